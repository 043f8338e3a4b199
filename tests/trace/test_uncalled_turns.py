"""Who is tried when, of what nobody calls."""

from __future__ import annotations

import textwrap

import pytest
from shown import shapes

from shapewise.queries.facts import facts_of
from shapewise.trace import session
from shapewise.trace.uncalled import turns

CLASSES = """
import torch
from torch import nn

class First(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.proj = nn.Linear(dim, 2 * dim)
    def forward(self, x):
        first = self.proj(x)
        return first

class Second(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.proj = nn.Linear(dim, 3 * dim)
    def forward(self, x):
        second = self.proj(x)
        return second
"""


@pytest.fixture
def made(monkeypatch):
    """The steps that were made and not remembered, in order."""
    steps: list[str] = []
    make = turns.Turns._made

    def noted(self, turn, step, how):
        steps.append(turn.target.name + turn.suffix + step)
        return make(self, turn, step, how)

    monkeypatch.setattr(turns.Turns, "_made", noted)
    return steps


def traced(text: str, file: str, typed: bool = False):
    log = session.trace(file, textwrap.dedent(text), {}, typed=typed)
    found = {
        fact.name: getattr(fact.value, "shape", None) for fact in facts_of(log) if fact.kind == "binding"
    }
    return log, found


def test_what_was_edited_is_shown_before_others_are_gone_on_with(trace, made, monkeypatch):
    monkeypatch.setattr(turns, "_BRIEF", 0.0)
    finish = turns.Turns._finish
    monkeypatch.setattr(turns.Turns, "_finish", lambda self, turn: None)
    log, _ = traced(CLASSES, "turns.py")
    assert log.unfinished == ("First", "Second")
    monkeypatch.setattr(turns.Turns, "_finish", finish)
    made.clear()
    edited = CLASSES.replace("3 * dim", "5 * dim")
    log, found = traced(edited, "turns.py")
    assert made and all(step.startswith("Second") for step in made)
    assert log.unfinished == ("First",)
    assert found["second"][-1] == "5*dim"
    made.clear()
    log, found = traced(edited, "turns.py")
    assert made and all(step.startswith("First") for step in made)
    assert log.unfinished == ()
    assert found["first"][-1] == "2*dim" and found["second"][-1] == "5*dim"


def test_what_nests_too_deeply_costs_its_own_turn(trace, monkeypatch):
    as_it_is = turns._as_it_is

    def nests(env, turn, most):
        if turn.target.name == "Second":
            raise RecursionError
        return as_it_is(env, turn, most)

    monkeypatch.setattr(turns, "_as_it_is", nests)
    log, found = traced(CLASSES, "deep.py")
    assert log.cut is None and log.unfinished == ("Second",)
    assert found["first"][-1] == "2*dim" and "second" not in found


def test_of_several_edits_the_last_comes_first(trace, made):
    log, _ = traced(CLASSES, "several.py")
    assert log.unfinished == ()
    made.clear()
    traced(CLASSES.replace("2 * dim", "4 * dim").replace("3 * dim", "5 * dim"), "several.py")
    assert [step for step in made if "options" not in step and "beside" not in step] == ["First", "Second"]


def test_an_edit_elsewhere_waits_for_nothing_that_is_not_done(trace, made, monkeypatch):
    finish = turns.Turns._finish
    monkeypatch.setattr(turns.Turns, "_finish", lambda self, turn: None)
    traced(CLASSES, "elsewhere.py")
    monkeypatch.setattr(turns.Turns, "_finish", finish)
    made.clear()
    edited = f"{CLASSES}\nn = 3\n"
    log, _ = traced(edited, "elsewhere.py", typed=True)
    assert not made and log.unfinished == ("First", "Second")
    log, found = traced(edited, "elsewhere.py", typed=True)
    assert log.unfinished == () and found["second"][-1] == "3*dim"


def test_what_was_edited_is_told_before_what_uses_it(trace, made, monkeypatch):
    both = CLASSES.replace("self.proj = nn.Linear(dim, 3 * dim)", "self.proj = First(dim)")
    traced(both, "uses.py", typed=True)
    edited = both.replace("2 * dim", "4 * dim")
    monkeypatch.setattr(turns, "_SOON", 0.0)
    made.clear()
    log, found = traced(edited, "uses.py", typed=True)
    assert made[0] == "First" and log.unfinished == ("Second",)
    assert found["first"][-1] == "4*dim" and "second" not in found
    log, found = traced(edited, "uses.py", typed=True)
    assert log.unfinished == ()
    assert (found["first"][-1], found["second"][-1]) == ("4*dim", "4*dim")


@pytest.mark.parametrize("block", ["try:\n    import nothing_here\nexcept ImportError:\n", "if True:\n"])
def test_a_function_within_a_block_is_tried_anew_when_it_is_edited_and_moves_with_its_lines(trace, block):
    function = "    def f(x):\n        b, t, c = x.shape\n        y = x.reshape(b, t * c)\n        return y\n"
    text = f"import torch\n{block}{function}"
    assert traced(text, "block.py")[1]["y"] == ("b", "c*t")
    assert traced(text.replace("b, t * c", "b * t, c"), "block.py")[1]["y"] == ("b*t", "c")
    log = session.trace("block.py", "\n\n" + text, {})
    y = next(fact for fact in facts_of(log) if (fact.name, fact.kind) == ("y", "binding"))
    assert ("\n\n" + text).split("\n")[y.span.line - 1].strip().startswith("y = ")


def test_what_only_a_caller_shows_is_open_while_not_all_was_tried(trace, monkeypatch):
    finish = turns.Turns._finish
    monkeypatch.setattr(
        turns.Turns,
        "_finish",
        lambda self, turn: None if turn.target.name == "Inner" else finish(self, turn),
    )
    found = shapes(
        """
        class Inner(nn.Module):
            def __init__(self, dim, weighs=False):
                super().__init__()
                self.fc, self.weighs = nn.Linear(dim, dim), weighs
            def forward(self, query, key=None):
                if key is None:
                    key = query
                if self.weighs:
                    weights = self.fc(query) @ key.transpose(1, 2)
                    return weights
                return self.fc(query)
        class Outer(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.inner = Inner(dim, weighs=True)
            def forward(self, x):
                y = self.inner(x)
                return y
        """
    )
    assert found.get("Inner.forward:weights") is None
