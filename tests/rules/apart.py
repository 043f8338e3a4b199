"""An example runs in a process of its own: what it switches on or patches (`torch.compile` replaces
`torch.jit.trace` for good) ends with it.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection

import torch

FILE = "page.py"


@dataclass(frozen=True)
class Outcome:
    """How a run ended: the exception's names (its own and its bases'), words, the lines of the page it passed."""

    raised: tuple[str, ...] = ()
    words: str = ""
    lines: tuple[int, ...] = ()
    story: str = ""


def run(code: str) -> Outcome:
    """Run it with one seed; what it writes goes into the current folder."""
    context = get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(code, there))
    process.start()
    there.close()
    try:
        return here.recv()
    except EOFError:
        process.join()
        return Outcome(("SystemExit",), f"the process ended with {process.exitcode}")
    finally:
        process.join()
        here.close()


def _run(code: str, to: Connection) -> None:
    # OpenMP's threads do not live on in a forked process (torch's DataLoader does the same).
    torch.set_num_threads(1)
    torch.manual_seed(0)
    try:
        exec(compile(code, FILE, "exec"), {"__name__": "page"})
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = tuple(frame.lineno or 0 for frame in frames if frame.filename == FILE)
        names = tuple(kind.__name__ for kind in type(error).__mro__)
        to.send(Outcome(names, str(error), lines, traceback.format_exc()))
    else:
        to.send(Outcome())
