"""What torch refuses in functions that nobody calls, whatever they are given: told where it is certain, else not."""

from __future__ import annotations

import contextlib
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

from shapewise.queries.facts import facts_of
from shapewise.queries.files import certain
from shapewise.rules import check
from shapewise.trace import session
from shapewise.vocabulary.events import Log, Op

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\n"
MARK = "# <- raises"
NOT_FOUND = {
    "a view into heads that do not hold the width",  # with one dim the batch is another number
    "integers into a linear layer",  # a float is tried, and one_hot refuses that
}


@dataclass(frozen=True)
class Mistake:
    """Code as people write it, with a mistake in it and without, and a call that shows it."""

    title: str
    bad: str
    good: str
    call: str


def _mistakes() -> list[Mistake]:
    text = (Path(__file__).parent / "inputs" / "refused.txt").read_text()
    found = []
    for block in text.split("### ")[1:]:
        title, rest = block.split("\n", 1)
        body, call = rest.rsplit("run: ", 1)
        lines = body.rstrip().split("\n")
        bad, good = (
            "".join(line.removeprefix(own) + "\n" for line in lines if not line.startswith(other))
            for own, other in (("-|", "+|"), ("+|", "-|"))
        )
        found.append(Mistake(title, bad, good, call.strip()))
    return found


MISTAKES = _mistakes()


def refused(log: Log) -> list[tuple[int, str]]:
    """Line and words of what is refused on inputs that were made up."""
    return [
        (event.span.line, event.failure.message)
        for event in log.events
        if isinstance(event, Op) and event.failure is not None and log.frames[event.frame].assumed
    ]


def traced(text: str) -> Log:
    return session.trace("/somewhere/file.py", HEAD + textwrap.dedent(text), {}, patience=120)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one.title)
def test_the_mistakes_raise_and_their_twins_run(mistake: Mistake):
    with contextlib.suppress(IndexError), pytest.raises((RuntimeError, ValueError, AssertionError)):
        exec(compile(HEAD + mistake.bad + mistake.call, "bad", "exec"), {})
    exec(compile(HEAD + mistake.good + mistake.call, "good", "exec"), {})


def test_mistakes_are_found_at_their_lines_and_nothing_else(trace):
    for part in (MISTAKES[:21], MISTAKES[21:]):
        text = "\n\n".join(one.bad for one in part)
        lines = (HEAD + text).split("\n")
        found = {lines[line - 1] for line, _ in refused(traced(text))}
        expected = {
            line for one in part if one.title not in NOT_FOUND for line in one.bad.split("\n") if MARK in line
        }
        assert found == expected


def test_what_is_right_is_never_refused(trace):
    for part in (MISTAKES[:21], MISTAKES[21:]):
        assert not refused(traced("\n\n".join(one.good for one in part)))


BEFORE = """
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc1 = nn.Linear(width, 128)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        h = self.fc1(x)
        y = self.fc2(h)
        return y
"""


def test_the_lines_before_keep_their_facts_and_those_behind_have_none(trace):
    log = traced(BEFORE)
    shapes = {fact.name: fact.value.shape for fact in facts_of(log) if fact.kind == "binding"}
    assert shapes == {"h": ("*batch", 128)}
    assert refused(log) == [(15, "mat1 and mat2 shapes cannot be multiplied (?x128 and 64x10)")]


def test_it_is_an_error_in_torchs_words(trace):
    log = traced(BEFORE)
    findings = [one for one in check(certain(log), HEAD + BEFORE, log) if one.severity == "error"]
    assert [(one.rule, one.span.line) for one in findings] == [("layer-input-mismatch", 15)]
    assert "Nothing calls Net.forward here: this is so whatever it is given." in findings[0].message


NOT_CERTAIN = {
    "a width that asks whether it has to be another": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(64, 32)
                self.fc = nn.Linear(64, 10)
            def forward(self, x):
                if x.shape[-1] != 64:
                    x = self.proj(x)
                return self.fc(x)
        """,
    "a width that a default says": """
        class Net(nn.Module):
            def __init__(self, hidden=128):
                super().__init__()
                self.fc1 = nn.Linear(256, hidden)
                self.fc2 = nn.Linear(64, 10)
            def forward(self, x):
                return self.fc2(self.fc1(x))
        """,
    "a flag that only works the other way": """
        class Net(nn.Module):
            def __init__(self, wide=False):
                super().__init__()
                self.fc1 = nn.Linear(256, 128 if wide else 64)
                self.fc2 = nn.Linear(128, 10)
            def forward(self, x):
                return self.fc2(self.fc1(x))
        """,
    "what is caught": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc1 = nn.Linear(256, 64)
                self.fc2 = nn.Linear(128, 10)
            def forward(self, x):
                h = self.fc1(x)
                try:
                    return self.fc2(h)
                except RuntimeError:
                    return h
        """,
    "what is said to raise": """
        import pytest
        def test_it(x):
            fc1, fc2 = nn.Linear(256, 64), nn.Linear(128, 10)
            with pytest.raises(RuntimeError):
                fc2(fc1(x))
        """,
    "what a test case says to raise": """
        import unittest
        class TestNet(unittest.TestCase):
            def setUp(self):
                self.fc1, self.fc2 = nn.Linear(256, 64), nn.Linear(128, 10)
            def test_it(self):
                fc1, fc2 = nn.Linear(256, 64), nn.Linear(128, 10)
                with self.assertRaises(RuntimeError):
                    fc2(fc1(torch.randn(2, 256)))
            def check(self, x):
                fc1, fc2 = nn.Linear(256, 64), nn.Linear(128, 10)
                self.assertRaises(RuntimeError, fc2, fc1(x))
                with self.assertRaisesRegex(RuntimeError, "shapes"):
                    return fc2(fc1(x))
        """,
    "what is suppressed": """
        import contextlib
        def tried(x):
            fc1, fc2 = nn.Linear(256, 64), nn.Linear(128, 10)
            with contextlib.suppress(RuntimeError):
                return fc2(fc1(x))
        """,
    "a layer that takes what it is given at most": """
        class Net(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.fc1 = nn.Linear(16, min(width, 64))
                self.fc2 = nn.Linear(32, 10)
            def forward(self, x):
                return self.fc2(self.fc1(x))
        """,
    "a choice from a table by its name": """
        WIDTHS = {"small": 64, "large": 128}
        class Net(nn.Module):
            def __init__(self, size="small"):
                super().__init__()
                self.fc1 = nn.Linear(16, WIDTHS[size])
                self.fc2 = nn.Linear(128, 10)
            def forward(self, x):
                return self.fc2(self.fc1(x))
        """,
    "a share that a default says": """
        class Net(nn.Module):
            def __init__(self, ratio=0.5):
                super().__init__()
                self.fc1 = nn.Linear(16, int(64 * ratio))
                self.fc2 = nn.Linear(64, 10)
            def forward(self, x):
                return self.fc2(self.fc1(x))
        """,
    "a layer that a default says": """
        class Net(nn.Module):
            def __init__(self, pool=nn.Identity()):
                super().__init__()
                self.pool = pool
                self.fc1 = nn.Linear(16, 64)
                self.fc2 = nn.Linear(32, 10)
            def forward(self, x):
                return self.fc2(self.pool(self.fc1(x)))
        """,
    "a head that is put in the place of another": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc1 = nn.Linear(16, 64)
                self.head = nn.Linear(32, 10)
            def forward(self, x):
                return self.head(self.fc1(x))
        def build(classes):
            net = Net()
            net.head = nn.Linear(64, classes)
            return net
        """,
    "a width that classes derived from it say": """
        class Base(nn.Module):
            width = 64
            def __init__(self):
                super().__init__()
                self.fc1 = nn.Linear(16, self.width)
                self.fc2 = nn.Linear(128, 10)
            def forward(self, x):
                return self.fc2(self.fc1(x))
        class Wide(Base):
            width = 128
        """,
    "what the caller has converted": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc1 = nn.Linear(16, 64)
                self.fc2 = nn.Linear(64, 10)
            def forward(self, x):
                return self.fc2(self.fc1(x).half())
        """,
    "widths that a list says": """
        class Net(nn.Module):
            def __init__(self, widths=(64, 128, 256)):
                super().__init__()
                self.fc1 = nn.Linear(16, 32 * len(widths))
                self.fc2 = nn.Linear(64, 10)
            def forward(self, x):
                return self.fc2(self.fc1(x))
        """,
    "layers that double the width": """
        class Net(nn.Module):
            def __init__(self, depth):
                super().__init__()
                width, layers = 16, []
                for _ in range(depth):
                    layers.append(nn.Linear(width, 2 * width))
                    width *= 2
                self.layers = nn.ModuleList(layers)
                self.head = nn.Linear(256, 10)
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return self.head(x)
        """,
    "what **kwargs hold, past a mixin": """
        class Base(nn.Module):
            def __init__(self, dtype: torch.dtype, low: int, **kwargs):
                super().__init__()
                self.dtype, self.low = dtype, low
        class Stateful(Base):
            def __init__(self, **kwargs):
                super().__init__(**kwargs)
                self.register_buffer("scale", torch.empty(0))
        class Running:
            def __init__(self, average: float = 0.5, **kwargs):
                super().__init__(**kwargs)
                self.average = average
        class Moving(Running, Stateful):
            def forward(self, x):
                return x * self.scale
        """,
    "a number that was taken for a tensor": """
        import math
        def of_length(count, top=1e4):
            return torch.exp(-math.log(top) * torch.linspace(start=0, end=count, steps=count) / count.float())
        def frequencies(width, top=1e4):
            return torch.exp(-math.log(top) * torch.arange(start=0, end=width, dtype=torch.float32) / width)
        """,
    "numbers that were taken for an object": """
        from typing import Tuple
        class Normalizer(nn.Module):
            def __init__(self, mean: Tuple[float, float, float]) -> None:
                super().__init__()
                self.register_buffer("mean", torch.as_tensor(mean).view(1, 3, 1, 1))
            def forward(self, x):
                return x - self.mean
            def __repr__(self):
                return f"Normalizer({self.mean.squeeze()})"
        def normalized(model: nn.Module, mean: Tuple[float, float, float]) -> nn.Module:
            return nn.Sequential(Normalizer(mean), model)
        """,
    "an index of which the caller says the dtype": """
        def summed(data, ids, count):
            ids = ids.unsqueeze(-1).expand(-1, data.size(1))
            return data.new_zeros(count, data.size(1)).scatter_add_(0, ids, data)
        """,
    "one way of what nobody knows": """
        import somewhere
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc1 = nn.Linear(16, 64)
                self.fc2 = nn.Linear(128, 10)
            def forward(self, x):
                h = self.fc1(x)
                if somewhere.flag:
                    h = self.fc2(h)
                return h
        """,
}


@pytest.mark.parametrize("title", NOT_CERTAIN)
def test_what_is_not_certain_is_not_told(title, trace):
    assert not refused(traced(NOT_CERTAIN[title]))
