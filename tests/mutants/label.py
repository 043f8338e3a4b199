"""Run as a script: runs texts for real, one a line of JSON on stdin, and says what each raises, if it does.

In a process of its own for each, with a limit of time, in a folder of its own.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
import tempfile
import warnings
from typing import Any

LIMIT = 25


def run(text: str) -> dict[str, Any]:
    """The line in the text (0: outside it) and the first line of the message; or that it ran."""
    signal.alarm(LIMIT)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(text, "<mutant>", "exec"), {"__name__": "__main__", "__file__": "mutant.py"})
    except BaseException as error:
        line, at = 0, error.__traceback__
        while at is not None:
            if at.tb_frame.f_code.co_filename == "<mutant>":
                line = at.tb_lineno
            at = at.tb_next
        return {"line": line, "type": type(error).__name__, "error": str(error).strip().split("\n")[0]}
    return {"ran": True}


def main() -> None:
    import torch

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for row in sys.stdin:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                sys.stdin, sys.stderr, sys.argv = io.StringIO(), io.StringIO(), ["mutant.py"]
                said = run(json.loads(row))
                os.write(write, json.dumps(said).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            print(pipe.read() or '{"type": "killed"}', flush=True)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
