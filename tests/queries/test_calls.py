"""From which places a function is called, and what one of the calls shows alone."""

from __future__ import annotations

import pytest

from shapewise.queries.calls import calls, seen_through
from shapewise.queries.facts import facts_of
from shapewise.trace import session

TEXT = """\
import torch

def inner(a):
    b = a * 2
    return b

def outer(x):
    y = inner(x)
    return y

outer(torch.zeros(2, 3))
outer(torch.zeros(5, 3))
for n in (7, 8):
    outer(torch.zeros(n, 3))
inner(torch.zeros(1))

def alone(z):
    return z.relu()
"""


@pytest.fixture(scope="module")
def log():
    session.prepare()
    return session.trace("a.py", TEXT, {})


def shapes(log):
    return {(fact.scope, fact.name): fact.value.shape for fact in facts_of(log) if fact.kind == "binding"}


def test_each_place_that_calls_is_one_call(log):
    found = calls(log)
    assert {scope: [call.line for call in them] for scope, them in found.items()} == {
        "outer": [11, 12, 14],
        "inner": [8, 15],
    }
    assert [call.given and (call.given[0], call.given[1].shape) for call in found["outer"]] == [
        ("x", (2, 3)),
        ("x", (5, 3)),
        None,
    ]


def test_one_call_alone(log):
    assert shapes(log) == {("inner", "b"): None, ("outer", "y"): ("B", 3)}
    assert shapes(seen_through(log, {"outer": 1})) == {("inner", "b"): None, ("outer", "y"): (5, 3)}
    assert shapes(seen_through(log, {"outer": 0, "inner": 0})) == {
        ("inner", "b"): (2, 3),
        ("outer", "y"): (2, 3),
    }
    assert shapes(seen_through(log, {"inner": 1})) == {("inner", "b"): (1,), ("outer", "y"): ("B", 3)}


def test_a_call_that_is_gone_is_passed_over(log):
    assert seen_through(log, {"outer": 9, "gone": 0}) is log
