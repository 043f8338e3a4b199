"""The first look at a file that takes long says nothing that the whole trace contradicts, and changes nothing of that."""

from __future__ import annotations

from pathlib import Path

import pytest

from shapewise.queries.facts import facts_so_far
from shapewise.queries.files import happened_in
from shapewise.repair import repair
from shapewise.trace import outline, session
from shapewise.vocabulary.events import Log
from shapewise.vocabulary.facts import Fact, may_be_same

TESTS = Path(__file__).resolve().parents[1]
FILES = sorted([*(TESTS.parent / "examples").glob("*.py"), *(TESTS / "truth" / "inputs").glob("**/*.py")])


@pytest.fixture(autouse=True)
def of_every_file(monkeypatch: pytest.MonkeyPatch) -> None:
    session.prepare()
    monkeypatch.setattr(outline, "_LONG", 0.0)
    monkeypatch.setattr(outline, "_SHARE", 1e9)
    monkeypatch.setattr(outline, "_REST", 0.0)


def edited(path: str, text: str, edit: str = "\n# edited\n") -> tuple[Log | None, Log]:
    """What is told at first of a text that was edited, and what at last."""
    told = list[Log]()
    for now in (text, text + edit):
        told.clear()
        repaired = repair(now)
        broken = {one.span.line: one.names for one in repaired.broken}
        last = session.trace(path, repaired.text, broken, early=told.append, typed=True, patience=0.0)
    return (told[0] if told else None), last


def facts(log: Log) -> dict[tuple[object, ...], Fact]:
    return {(one.span, one.kind, one.name): one for one in facts_so_far(happened_in(log, log.file))}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_that_is_told_is_contradicted(path: Path) -> None:
    first, last = edited(str(path), path.read_text())
    assert first is not None
    known = facts(last)
    told = facts(first)
    others = [(one, known[place].value) for place, one in told.items() if place in known]
    assert [(one, value) for one, value in others if not may_be_same(one.value, value)] == []


TRAINING = """
import random
import torch
from torch import nn

class Block(nn.Module):
    def forward(self, x):
        y = x.relu()
        return y

net = nn.Sequential(nn.Linear(8, 4), Block())
head = Block()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
steps = random.choice([3, 900])
for epoch in range(60):
    x = torch.randn(16, 8)
    loss = net(x).mean()
    loss.backward()
    optimizer.step()
rows = torch.load("rows.pt")
net(rows)
seen = head(torch.zeros(2, 4))
"""


def test_it_is_told_of_a_loop_before_the_loop_is_at_its_end() -> None:
    first, last = edited("/outline/training.py", TRAINING)
    assert first is not None
    told = {one.name: one.value.shape for one in facts(first).values() if one.kind == "binding"}
    assert told["x"] == (16, 8)
    assert told["loss"] == ()
    assert told["seen"] == (2, 4)
    assert len(first.events) < len(last.events)


ON_DATA = """
import torch
from torch import nn

class Block(nn.Module):
    def forward(self, x):
        y = x.relu()
        return y

net = nn.Sequential(Block(), nn.Linear(4, 4))
kept = torch.randn(50, 4)
rows = kept[kept[:, 0] > 0]
out = net(rows)
seen = net(torch.zeros(2, 4))
"""


def test_a_layer_within_torchs_has_seen_what_nobody_knows() -> None:
    first, last = edited("/outline/data.py", ON_DATA)
    assert first is not None
    assert "y" in {one.name for one in facts(last).values()}
    assert {one.name: one.value.dtype for one in facts(first).values()}["y"] is None
    assert {one.name: one.value.shape for one in facts(first).values()}["seen"] == (2, 4)


def test_the_whole_trace_is_what_it_is_without() -> None:
    fresh = session.trace("/outline/fresh.py", TRAINING + "\n# edited\n", {}, typed=True, patience=0.0)
    _, last = edited("/outline/again.py", TRAINING)
    assert facts(last) == facts(fresh)


def test_a_file_that_is_traced_in_no_time_is_not_looked_at_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outline, "_LONG", 0.25)
    first, _ = edited("/outline/short.py", "import torch\nx = torch.zeros(3)\n")
    assert first is None
