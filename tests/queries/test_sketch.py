"""The layers of a class that nothing calls."""

from __future__ import annotations

import pytest

from shapewise.queries.sketch import sketch
from shapewise.trace import session

TEXT = """\
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)
    def forward(self, x):
        return x + self.fc(x)

class Net(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.first = Block(width)
        self.blocks = nn.Sequential(Block(width), Block(width))
        self.head = nn.Linear(width, classes)
    def forward(self, x):
        B, T, C = x.shape
        x = self.first(x)
        x = self.blocks(x)
        return self.head(x.transpose(1, 2).mean(-1))
"""


@pytest.fixture(scope="module")
def log():
    session.prepare()
    return session.trace("/somewhere/file.py", TEXT, {})


def test_parts_stand_below_what_they_are_part_of(log):
    found = [(one.depth, one.type or one.name) for one in sketch(log, "Net")]
    block = ["Linear", "+"]
    assert found == [
        (0, "Net"),
        (1, "Block"),
        *((2, name) for name in block),
        (1, "Sequential"),
        (2, "Block"),  # for both: what is alike at one place is written down once
        *((3, name) for name in block),
        (1, "mean"),
        (1, "Linear"),
    ]


def test_dims_have_names(log):
    rows = sketch(log, "Net")
    assert rows[0].output.shape == ("B", "classes")
    assert rows[1].output.shape == ("B", "T", "C")


def test_what_is_called_or_is_no_layer_has_none(log):
    assert sketch(log, "Nothing") == ()
    called = session.trace("/somewhere/file.py", TEXT + "y = Net(8, 2)(torch.zeros(3, 4, 8))\n", {})
    assert sketch(called, "Net") == ()
