"""Sizes that a file of settings says: a layer or a tensor that is made of one has one dim that is not known."""

from __future__ import annotations

import pytest

HEAD = """
import json, torch
from torch import nn
with open("settings.json") as f:
    settings = json.load(f)
x = torch.zeros(3, 7, dtype=torch.long)
"""


@pytest.mark.parametrize(
    ("code", "shape"),
    [
        ("z = nn.Embedding(settings['words'], 64)(x)", (3, 7, 64)),
        ("z = nn.Linear(64, settings['words'])(nn.Embedding(settings['words'], 64)(x))", (3, 7, None)),
        ("n = settings['words']\nout = nn.Linear(64, n)(torch.zeros(2, 64))\nz = out.view(-1, n)", (2, None)),
        ("z = nn.LSTM(9, settings['hidden'])(torch.zeros(4, 2, 9))[0]", (4, 2, None)),
        ("z = nn.Conv2d(3, settings['width'], 3)(torch.zeros(2, 3, 8, 8))", (2, None, 6, 6)),
        ("z = torch.zeros(settings['rows'], 4)", (None, 4)),
        ("z = torch.zeros((2, settings['rows'])) + torch.zeros(2, 6)", (2, 6)),
        ("z = nn.Linear(settings['in'], 10)(torch.zeros(5, 784))", (5, 10)),
    ],
)
def test_what_is_made_of_a_size_that_a_file_says(trace, code, shape):
    traced = trace(HEAD + code + "\n")
    assert traced.shape("z") == shape
    assert traced.failures() == []


def test_it_stays_unknown_to_conditions(trace):
    traced = trace(
        HEAD + "n = settings['words']\nlayer = nn.Linear(4, n)\n"
        "z = layer(torch.zeros(2, 4))\nif n > 100:\n    z = torch.zeros(9)\n"
    )
    assert traced.shape("z") == (9,) and not traced.knows("w")
    after = trace(
        HEAD + "n = settings['words']\nlayer = nn.Linear(4, n)\nz = 1 if n > 100 else torch.zeros(2)\nw = z\n"
    )
    assert not after.knows("w") or after.fact("w").value.shape is None


def test_how_many_layers_or_how_large_a_kernel_is_no_such_size(trace):
    traced = trace(HEAD + "z = nn.LSTM(9, 5, settings['layers'])(torch.zeros(4, 2, 9))[0]\n")
    assert not traced.knows("z") or traced.shape("z") is None
