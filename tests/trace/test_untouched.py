"""Parts of a file that an edit has not touched are not run again, and say what a run would say."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

import shapewise.trace.sources.parts as parts_module
from shapewise.queries import facts
from shapewise.repair import repair
from shapewise.trace import session, untouched
from shapewise.trace.sources.parts import Block, parts, poisoned
from shapewise.vocabulary.events import Log

_FILES = itertools.count()
PARTS = """
import torch
from torch import nn

batch = 4

class Head(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.lin = nn.Linear(width, 3)
    def forward(self, x):
        return self.lin(x)

head = Head(8)
logits = head(torch.randn(batch, 8))

def twice(x):
    return x + x

doubled = twice(torch.randn(2, 5))

table = torch.arange(6).view(2, 3)
x = table * 2
y = x.sum()
x = torch.zeros(7)
z = x + 1
"""


def keys(*texts: str):
    return of_blocks([Block(at, text) for at, text in enumerate(texts)])


def of_blocks(blocks: list[Block]):
    of, known = parts(blocks, [])
    return [None if part is None else known[part] for part in of]


def test_parts_of_an_edit_are_those_of_the_text():
    blocks = [Block(at, text) for at, text in enumerate(PARTS.split("\n\n"))]
    edits = ["y = x.view(5)", "import torch", "batch = 5", "def twice(x):\n    return x * batch", "pass"]
    for edit in edits:
        for at in range(len(blocks)):
            parts(blocks, [])
            new = [*blocks[:at], Block(at, edit), *blocks[at + 1 :]]
            edited = parts(new, [])
            parts_module._latest.clear()
            assert edited == parts(new, [])


@pytest.fixture
def said(monkeypatch):
    """How many blocks were said again."""
    count = [0]
    say = untouched.Untouched.say

    def counted(self, at):
        until = say(self, at)
        count[0] += until - at
        return until

    monkeypatch.setattr(untouched.Untouched, "say", counted)
    return count


def fresh(text: str, broken: dict[int, tuple[str, ...]] | None = None) -> Log:
    return session.trace(f"fresh{next(_FILES)}.py", text, broken or {})


def same(log: Log, other: Log) -> bool:
    frames = tuple(replace(frame, file="") for frame in log.frames)
    others = tuple(replace(frame, file="") for frame in other.frames)
    return (frames, log.events, log.weights, log.notes) == (others, other.events, other.weights, other.notes)


def test_blocks_that_share_a_name_are_one_part():
    one, two, three = keys("a = f()", "b = g(a)", "c = h()")
    assert one == two != three


def test_a_name_that_is_bound_anew_is_another():
    one, two, three, four = keys("x = f()", "y = x + 1", "x = g()", "z = x + 1")
    assert one == two and three == four and one != three


def test_what_may_stay_as_it_was_is_the_same():
    one, two, three = keys("x = f()", "if y:\n    x = g()", "z = x")
    assert one == two == three


def test_what_a_function_reads_is_one_name_all_along():
    one, two, three = keys("x = f()", "def g():\n    return x", "x = h()")
    assert one == two == three


def test_libraries_and_constants_join_nothing_but_decide():
    texts = "import torch", "n = 3", "a = torch.zeros(n)", "b = torch.ones(n)"
    library, constant, one, two = keys(*texts)
    assert library is None and constant is None and one != two
    assert keys(texts[0], "n = 4", *texts[2:])[2] != one
    assert keys("import numpy as torch", *texts[1:])[2] != one


def test_a_library_that_may_be_changed_is_one_under_all_its_names():
    texts = "import os", "os.environ['n'] = '3'", "from os import getenv", "n = getenv('n')", "import logging"
    one, two, three, four, five = keys(*texts)
    assert one == two == three == four != five


@pytest.mark.parametrize(
    "change",
    [
        "torch.nn.Linear.forward = f",
        "setattr(torch, 'add', f)",
        "globals()['x'] = 1",
        "from torch import *",
        "def f():\n    torch.x = 1",
    ],
)
def test_nothing_is_sure_where_a_library_or_any_name_may_change(change):
    assert set(keys("import torch", "x = f()", change)) == {None}


def test_how_torch_computes_does_not_matter():
    assert keys("import torch", "torch.backends.cudnn.benchmark = True", "x = f()")[2] is not None


def test_a_broken_line_touches_the_names_that_it_would_bind():
    blocks = [Block(1, "x = f()"), poisoned(2, ("x.weight", "y")), Block(3, "z = g(y)"), Block(4, "w = h()")]
    one, two, three, four = of_blocks(blocks)
    assert one == two == three != four


@pytest.mark.parametrize(
    "edit",
    [
        ("nn.Linear(width, 3)", "nn.Linear(width, 30)"),
        ("return x + x", "return torch.cat([x, x])"),
        ("x = torch.zeros(7)", "x = torch.zeros(9)"),
        ("x = table * 2", "x = table * twice(table)"),
        ("batch = 4", "batch = 5"),
        ("head = Head(8)", "head = Head(8)\nagain = head(head.lin.weight.new_zeros(1, 8))"),
        ("head = Head(8)", "head = Head(9)"),
        ("doubled = twice(torch.randn(2, 5))", "doubled = twice(twice(torch.randn(2, 5)))"),
        ("table =", "torch.set_grad_enabled(False)\ntable ="),
        ("batch = 4", "batch = 4; torch.set_default_dtype(torch.float64)"),
        ("def twice(x):", "def thrice(x):\n    return 3 * x\n\ndef twice(x):"),
        ("y = x.sum()", "y = x.view(5)"),
    ],
)
def test_an_edit_is_said_as_a_fresh_trace_says_it(trace, said, edit):
    file, edited = f"edited{next(_FILES)}.py", PARTS.replace(*edit)
    for text in (PARTS, PARTS, edited, edited, PARTS, edited, PARTS):
        assert same(session.trace(file, text, {}), fresh(text))
    assert said[0] > 6


def test_only_what_was_touched_is_run(trace, said):
    session.trace("touched.py", PARTS, {})
    session.trace("touched.py", PARTS.replace("width, 3", "width, 5"), {})
    assert said[0] == len("def twice, doubled, table, x, y, x, z".split(","))


def test_hooks_on_all_layers_are_a_switch(trace, said):
    hook = "def hook(layer, given, made):\n    return made * 2\n\nnn.modules.module.register_module_forward_hook(hook)\n"
    for one in (PARTS, PARTS.replace("head = Head", hook + "head = Head"), PARTS):
        assert same(session.trace("hooks.py", one, {}), fresh(one))


def test_a_switch_that_is_another_although_it_says_the_same_decides_about_all(trace, said):
    text = PARTS.replace("batch = 4\n", "batch = 4\nflags = [True]\ntorch.set_grad_enabled(flags[0])\n")
    file, edited = "switch.py", text.replace("[True]", "[False]")
    for one in (text, edited, text, edited):
        assert same(session.trace(file, one, {}), fresh(one))


UNTRIED = (
    PARTS
    + """
def unused(x, scale=2):
    y = x * scale
    return y.sum(-1)

class Mixer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 2 * width)
    def forward(self, x):
        return self.up(x).mean(1)
"""
)


@pytest.mark.parametrize(
    "edit",
    [
        ("width, 3", "width, 5"),
        ("x + x", "x.sum(0)"),
        ("y.sum(-1)", "y.sum(0)"),
        ("2 * width", "3 * width"),
        ("batch = 4", "batch = 6"),
        ("doubled = twice", "doubled = unused"),
        ("logits = head(torch.randn(batch, 8))", ""),
        ("return x + x", "return x +"),
        ("def twice", "def other(x):\n    return x.mT\n\ndef twice"),
    ],
)
def test_where_functions_have_not_run_an_edit_is_said_as_a_fresh_trace_says_it(trace, said, edit):
    file, edited = f"untried{next(_FILES)}.py", UNTRIED.replace(*edit)
    assert edited != UNTRIED
    for text in (UNTRIED, UNTRIED, edited, edited, UNTRIED, edited):
        repaired = repair(text)
        broken = {one.span.line: one.names for one in repaired.broken}
        log, other = session.trace(file, repaired.text, broken), fresh(repaired.text, broken)
        assert facts.facts_of(log) == facts.facts_of(other)  # who was edited last is tried last
    assert said[0]


def test_what_is_known_of_functions_that_have_not_run_is_not_found_out_again(trace, said):
    for text in (UNTRIED, UNTRIED.replace("width, 3", "width, 5")):
        said[0] = 0
        session.trace("untried.py", text, {})
    assert said[0] == len("def twice, doubled, table, x, y, x, z".split(","))


def test_what_stands_behind_the_end_of_a_file_has_said_nothing(trace, said):
    text = PARTS.replace("table =", "return\n\ntable =")
    for one in (text, text, text.replace("width, 3", "width, 5"), PARTS, text, PARTS):
        log = session.trace("ended.py", one, {})
        assert log.events and same(log, fresh(one))


def test_an_object_whose_methods_have_not_run_has_the_whole_file_run(trace, said):
    text = PARTS.replace(
        "        return self.lin(x)",
        "        return self.lin(x)\n    def more(self, x):\n        return self(x).mT",
    )
    for one in (text, text.replace("x + x", "x.sum(0)"), text):
        assert same(session.trace("object.py", one, {}), fresh(one))
    assert not said[0]


def test_what_others_call_is_there_when_they_do_not(trace):
    text = PARTS.split("head = Head")[0]
    called = session.trace("called.py", text, {}, called=frozenset(("Head.__init__", "Head.forward")))
    alone = session.trace("called.py", text, {})
    assert not called.events and same(alone, fresh(text))


def test_failures_are_told_again(trace):
    text = PARTS + "\nbad = torch.zeros(2, 3) @ torch.zeros(2, 3)\n"
    for one in (text, text.replace("width, 3", "width, 5"), text):
        assert same(session.trace("failure.py", one, {}), fresh(one))


def test_numbers_that_data_decides_are_looked_at_anew(trace):
    text = PARTS + "\nmask = torch.rand(9) > 0.5\nkept = torch.arange(9)[mask]\n"
    for one in (PARTS, text, text.replace("width, 3", "width, 5"), PARTS):
        assert same(session.trace("worlds.py", one, {}), fresh(one))


def test_facts_of_an_edit_are_those_of_the_text(trace):
    edits = [
        ("width, 3", "width, 5"),
        ("x + x", "x.sum(0)"),
        ("z = x + 1", "z = x.view(5)"),
        ("batch = 4", "batch = 6"),
    ]
    for number in range(1 << len(edits)):
        text = PARTS
        for at, edit in enumerate(edits):
            text = text.replace(*edit) if number >> at & 1 else text
        log = session.trace("facts.py", text, {})
        found, kept = facts.facts_of(log), dict(facts._latest)
        facts._latest.clear()
        assert found == facts.facts_of(log)
        facts._latest.update(kept)


def test_who_opens_a_file_does_not_wait_for_what_its_next_edit_needs(trace, said, monkeypatch):
    asked = []
    monkeypatch.setattr(untouched, "parts", lambda *given: asked.append(given) or parts(*given))
    session.trace("opened.py", PARTS, {})
    assert not asked
    untouched.look_ahead()
    before = len(asked)
    session.trace("opened.py", PARTS.replace("width, 3", "width, 5"), {})
    assert len(asked) == before + 1 and said[0]
