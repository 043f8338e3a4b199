"""The first look at a definition that was edited: what options decided before the edit is known, where that does not touch it."""

from __future__ import annotations

import textwrap

import pytest

from shapewise.trace import session
from shapewise.trace.uncalled import turns
from shapewise.trace.uncalled.doubting.edited import Edit
from shapewise.vocabulary.events import Bound, Tensor

LAYER = """
import torch
from torch import nn

class Layer(nn.Module):
    def __init__(self, dim, bias=True, width=None, cls=False):
        super().__init__()
        self.cls = cls
        self.one = nn.Linear(dim, 2 * dim, bias=bias)
        self.two = nn.Linear(2 * dim, width or dim, bias=bias)
        self.token = nn.Parameter(torch.zeros(1, 1, 2 * dim)) if cls else None

    def forward(self, x, mask=None):
        b, t, c = x.shape
        h = self.one(x)
        # after h
        if mask is not None:
            h = h[:, 0]
        # after mask
        y = self.one(x)
        y = self.two(y)
        # after y
        z = self.one(x)
        if self.cls:
            z = torch.cat((self.token.expand(b, -1, -1), z), dim=1)
        # after z
        return z
"""


@pytest.fixture
def first_look(trace, monkeypatch):
    """What a new name is told at once, with no time for options, and what when all was tried; `edits`: of the text, in turns."""

    def looked(name: str, *edits: tuple[str, str], text: str = LAYER):
        text = textwrap.dedent(text)
        assert session.trace("first.py", text, {}).unfinished == ()
        for old, new in edits:
            assert old in text
            text = text.replace(old, new)
        with monkeypatch.context() as patch:
            patch.setattr(turns, "_SOON", 0.0)
            log = session.trace("first.py", text, {}, typed=True)
        assert log.unfinished == ("Layer",)
        at_once = shapes(log, name)
        return at_once, shapes(session.trace("first.py", text, {}), name)

    return looked


def shapes(log, name: str):
    values = [event.value for event in log.events if isinstance(event, Bound) and event.name == name]
    return {value.shape if isinstance(value, Tensor) else None for value in values}


def test_what_no_option_changed_is_known_at_once(first_look):
    assert first_look("new", ("# after h", "new = h.mean(dim=1)"))[0] == {("b", "2*c")}


def test_only_a_dim_that_an_option_changed_is_not(first_look):
    at_once, whole = first_look("new", ("# after y", "new = y.transpose(1, 2)"))
    assert at_once == {("b", None, "t")}
    assert ("b", "width", "t") in whole


def test_of_a_number_that_an_option_changed_any_other_may_be_made(first_look):
    numbers = LAYER.replace("width=None", "width=24").replace("width or dim", "width")
    at_once, whole = first_look("new", ("# after y", "new = torch.cat((y, y), dim=2)"), text=numbers)
    assert at_once == {("b", "t", None)}
    assert ("b", "t", "2*width") in whole


@pytest.mark.parametrize("place", ["# after mask", "# after z"])
def test_what_a_condition_on_an_option_decides_is_not_known(first_look, place):
    name = "h" if place == "# after mask" else "z"
    assert first_look("new", (place, f"new = {name}.sum(dim=0)"))[0] == {None}


def test_what_is_given_something_else_by_the_edit_is_not_known_of_what_was_before(first_look):
    at_once, _ = first_look("y", ("# after h", "x = x.flatten(0, 1)"))
    assert at_once == {None}


def test_what_the_edit_does_in_place_is_something_else(first_look):
    assert first_look("y", ("# after h", "x.unsqueeze_(0)"))[0] == {None}


def test_an_edit_of_a_condition_and_one_of_another_definition_leave_nothing_known(first_look):
    assert first_look("new", ("# after h", "new = h.mean(dim=1)"), ("if mask is not", "if mask is  not"))[
        0
    ] == {None}
    both = ("bias=bias)\n        self.two", "bias=not bias)\n        self.two")
    assert first_look("new", ("# after h", "new = h.mean(dim=1)"), both)[0] == {None}


def test_a_line_that_is_gone_and_one_that_is_written_again(first_look):
    at_once, whole = first_look(
        "new", ("# after h", "new = h.mean(dim=1)"), ("new = h.mean(dim=1)", "new = h[:, 0]")
    )
    assert at_once == whole == {("b", "2*c")}
    again = LAYER.replace("# after h", "new = h.mean(dim=1)")
    assert first_look("new", ("mean(dim=1)", "mean(dim=2)"), text=again)[0] == {("b", "t")}


CONVOLUTIONS = """
import torch
from torch import nn

class Layer(nn.Module):
    def __init__(self, channels, classes):
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 3, padding=1)
        self.head = nn.Linear(channels, classes)

    def forward(self, images):
        x = self.stem(images).relu()
        pooled = x.mean(dim=(2, 3))
        # here
        return self.head(pooled)
"""


@pytest.mark.parametrize(
    ("line", "shape"),
    [
        ("new = pooled.unsqueeze(1)", ("B", 1, "channels")),
        ("new = self.head(pooled)", ("B", "classes")),
        ("new = pooled @ pooled.view(-1, 16)", None),  # it asks for other inputs
    ],
)
def test_what_the_inputs_of_before_tell_is_told_before_others_are_looked_for(trace, line, shape):
    session.trace("at_once.py", CONVOLUTIONS, {})
    early = []
    text = CONVOLUTIONS.replace("# here", line)
    log = session.trace("at_once.py", text, {}, typed=True, early=early.append)
    told = [found for one in early for found in shapes(one, "new")]
    assert told == ([] if shape is None else [shape])
    if shape is not None:
        assert shapes(log, "new") == {shape}


@pytest.mark.parametrize(
    ("old", "new", "edit"),
    [
        ("a\nb\nc", "a\nb\nc", Edit(3, 3, 0)),
        ("a\nb\nc", "a\nx\nb\nc", Edit(1, 2, 1)),
        ("a\nb\nc", "a\nc", Edit(1, 1, -1)),
        ("a\nb\nc", "a\nx\nc", Edit(1, 2, 0)),
        ("a\na", "a\na\na", Edit(2, 3, 1)),
    ],
)
def test_an_edit_is_what_two_texts_do_not_share(old, new, edit):
    assert Edit.of(old, new) == edit
    lines = new.split("\n")
    for at, line in enumerate(old.split("\n")):
        there = edit.since(at)
        assert there is None or lines[there] == line
