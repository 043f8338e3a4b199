"""An example runs in a process of its own: what it switches on or patches (`torch.compile` replaces
`torch.jit.trace` for good) ends with it, and what tests have patched before does not reach it.

Run as a script this is the server: torch is imported once, and each example is a fork of it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
import types
from dataclasses import asdict, dataclass
from pathlib import Path

FILE = "page.py"


@dataclass(frozen=True)
class Outcome:
    """How a run ended: the exception's names (its own and its bases'), words, the lines of the page it passed."""

    raised: tuple[str, ...] = ()
    words: str = ""
    lines: tuple[int, ...] = ()
    story: str = ""


class Apart:
    """Runs examples, each with the same seed, what it prints thrown away."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, code: str, folder: str) -> Outcome:
        """`folder`: what the example writes goes there."""
        assert self._server.stdin is not None and self._server.stdout is not None
        self._server.stdin.write(json.dumps([code, folder]) + "\n")
        self._server.stdin.flush()
        return Outcome(**json.loads(self._server.stdout.readline()))

    def close(self) -> None:
        self._server.communicate()


def _outcome(code: str) -> Outcome:
    page = sys.modules["page"] = types.ModuleType("page")  # a compiler looks for it by its name
    try:
        exec(compile(code, FILE, "exec", dont_inherit=True), vars(page))
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = tuple(frame.lineno or 0 for frame in frames if frame.filename == FILE)
        names = tuple(kind.__name__ for kind in type(error).__mro__)
        return Outcome(names, str(error), lines, traceback.format_exc())
    return Outcome()


def _serve() -> None:
    import torch

    torch.manual_seed(0)
    # An optimizer's first step imports torch's compiler, which takes seconds: once, not in each fork.
    torch.optim.SGD([torch.zeros(1, requires_grad=True)]).step()
    answers = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for request in sys.stdin:
        code, folder = json.loads(request)
        written = os.path.join(folder, ".outcome")
        child = os.fork()
        if not child:
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
            os.chdir(folder)
            # OpenMP's threads do not live on in a forked process (torch's DataLoader does the same).
            torch.set_num_threads(1)
            outcome = _outcome(code)
            with open(written, "w") as file:
                json.dump(asdict(outcome), file)
            os._exit(0)
        os.waitpid(child, 0)
        died = Outcome(("SystemExit",), "the process died")
        answer = Path(written).read_text() if os.path.exists(written) else json.dumps(asdict(died))
        answers.write(answer + "\n")
        answers.flush()


if __name__ == "__main__":
    _serve()
