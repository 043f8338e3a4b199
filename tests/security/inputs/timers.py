import torch

before = torch.zeros(2, 3)
import timeit, cProfile, profile, doctest, trace, runpy, pdb, code
from torch.utils.benchmark import Timer
from unittest import mock
for run in (
    lambda: timeit.timeit("open('@MARKER@', 'w')", number=1),
    lambda: timeit.Timer("open('@MARKER@', 'w')").timeit(1),
    lambda: cProfile.run("open('@MARKER@', 'w')"),
    lambda: profile.run("open('@MARKER@', 'w')"),
    lambda: Timer(stmt="open('@MARKER@', 'w')").timeit(1),
    lambda: Timer("open('@MARKER@', 'w')").blocked_autorange(),
    lambda: runpy.run_path("@FOLDER@/evil.py"),
    lambda: runpy.run_module("evil"),
    lambda: pdb.run("open('@MARKER@', 'w')"),
    lambda: code.InteractiveInterpreter().runsource("open('@MARKER@', 'w')"),
    lambda: doctest.run_docstring_examples(attack, {}),
    lambda: mock.patch("evil.run").start(),
    lambda: mock._importer("evil"),
    lambda: breakpoint(),
):
    try:
        run()
    except Exception:
        pass
def attack():
    """
    >>> open('@MARKER@', 'w')
    """
after = before.sum(dim=0)
