"""Rules about a text that has changed meanwhile end soon, and leave nothing behind."""

from __future__ import annotations

import itertools

import pytest

from shapewise.program.course import course_of
from shapewise.rules import check
from shapewise.vocabulary.events import Frame, Log

_STEPS = "".join(f"    loss = model(x) * {number}\n    loss.backward()\n" for number in range(50))
TEXT = f"""\
import torch
model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for x in torch.zeros(3, 4, 2):
{_STEPS}    optimizer.step()
"""


@pytest.mark.parametrize("after", [0, 1, 30])
def test_they_end_where_they_stand(after):
    course_of.cache_clear()
    log = Log("/a.py", "3.11", "2.13", 0.1, (Frame(0, "/a.py", "<module>"),), ())
    asked = itertools.count()
    check(log, TEXT, is_stale=lambda: next(asked) >= after)
    assert next(asked) == after + 1  # nobody asked again
    assert check(log, TEXT) == check(log, TEXT + "\n")
