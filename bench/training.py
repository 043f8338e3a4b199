"""An edit at the end of real training scripts: seconds of the processor for the whole trace that follows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

SCRIPTS = Path(__file__).parents[1] / "tests" / "corpus" / "scripts"
_PROGRAM = """
import sys, time
import torch
from pathlib import Path
from shapewise.trace import one_world, session
torch.set_num_threads(1)
session.prepare()
if sys.argv[1] == "plainly":
    one_world.repeats = lambda text: False
for name in sys.argv[2:]:
    text = Path(name).read_text()
    for edit in range(3):
        began = time.thread_time()
        session.trace(name, f"{text}\\n_edited = {edit}\\n", {})
        taken = time.thread_time() - began
        session.tidy()
    print(taken, flush=True)
"""


def edited() -> Iterator[tuple[str, str, list[float]]]:
    """For the scripts of the corpus that need torch alone, with the memory of calls and without: the third trace of each."""
    names = [str(path) for path in sorted(SCRIPTS.glob("*.py")) if not path.name.startswith("pkg_")]
    for how, what in (("again", "edit of a training script"), ("plainly", "the same, no call remembered")):
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, how, *names], stdout=subprocess.PIPE, text=True, check=True
        )
        yield what, f"{len(names)} scripts", [float(line) for line in done.stdout.splitlines()]
