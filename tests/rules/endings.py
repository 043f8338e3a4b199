"""How a whole script ends, run as a person runs it: in a folder of its own, under `__main__`.

Run as a script this is the server: torch is imported once, and each script is a fork of it.
"""

from __future__ import annotations

import json
import os
import resource
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Literal

Ending = Literal["runs", "fails", "takes too long"]

PROCESSOR_SECONDS, SECONDS = 60, 240
"""How long a script may compute, and how long it may take. Of one that is not done by then nothing is said."""


class Endings:
    """Runs scripts under some Python. What they print is thrown away."""

    def __init__(self, python: str) -> None:
        self._server = subprocess.Popen(
            [python, "-W", "ignore", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )

    def of(self, text: str, folder: str) -> Ending:
        """`folder`: what the script imports is there, and what it writes goes there."""
        assert self._server.stdin is not None and self._server.stdout is not None
        Path(folder, "script.py").write_text(text, "utf-8")
        self._server.stdin.write(json.dumps(folder) + "\n")
        self._server.stdin.flush()
        ending: Ending = json.loads(self._server.stdout.readline())
        return ending

    def close(self) -> None:
        self._server.communicate()


def _serve() -> None:
    import torch

    answers = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for request in sys.stdin:
        folder = json.loads(request)
        child = os.fork()
        if not child:
            os.setsid()
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
            os.chdir(folder)
            # OpenMP's threads do not live on in a forked process (torch's DataLoader does the same).
            torch.set_num_threads(1)
            resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS + 5))
            os._exit(_code_of("script.py"))
        answers.write(json.dumps(_ending(child)) + "\n")
        answers.flush()


def _code_of(script: str) -> int:
    """The exit status that Python would end with."""
    sys.argv[:], sys.path[0] = [script], os.getcwd()
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        return 1
    return 0


def _ending(child: int) -> Ending:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            _end_all(child)  # what it left running
            return "takes too long" if code == -signal.SIGXCPU else "fails" if code else "runs"
        time.sleep(0.05)
    _end_all(child)
    os.waitpid(child, 0)
    return "takes too long"


def _end_all(session: int) -> None:
    try:
        os.killpg(session, signal.SIGKILL)
    except ProcessLookupError:
        pass


if __name__ == "__main__":
    _serve()
