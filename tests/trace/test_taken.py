"""What a file of settings says: a size makes one dim that is not known, a rate or a flag no more than other values."""

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


@pytest.mark.parametrize(
    "code",
    [
        "z = nn.Dropout(settings['p'])(y)",
        "z = nn.functional.dropout(y, p=settings['p'], training=settings['train'])",
        "z = nn.Sequential(nn.LayerNorm(6, eps=settings['eps']), nn.LeakyReLU(settings['slope']))(y)",
        "z = nn.Linear(6, 6, bias=settings['bias'])(y)",
        "z = nn.BatchNorm1d(6, settings['eps'], settings['momentum'])(y)",
        "z = nn.GRU(6, 6, 2, dropout=settings['p'])(y[None])[0][0]",
    ],
)
def test_a_rate_or_a_flag_changes_no_shape(trace, code):
    traced = trace(HEAD + "y = torch.zeros(3, 6)\n" + code + "\n")
    assert traced.shape("z") == (3, 6)
    assert traced.failures() == []


def test_a_layer_does_not_tell_which_rate_it_was_made_of(trace):
    traced = trace(
        HEAD + "drop, layer = nn.Dropout(settings['p']), nn.Linear(4, 2, bias=settings['bias'])\n"
        "z = torch.zeros(2) if drop.p > 0 else torch.zeros(3)\nw = layer.bias\n"
    )
    assert traced.shape("z") == (None,)
    assert traced.fact("w").value.shape is None


@pytest.mark.parametrize(
    ("code", "shape", "dtype"),
    [
        ("y * settings['w'] + settings.get('b', 0.0)", (3, 6), "float32"),
        ("settings['w'] * y.sum() / settings['train']['n']", (), "float32"),
        ("x / settings['w']", (3, 7), "float32"),
        ("x > settings['t']", (3, 7), "bool"),
        ("y.clamp(min=settings['least'])", (3, 6), "float32"),
        ("y.masked_fill(y > 0, settings['fill'])", (3, 6), "float32"),
        ("torch.where(y > 0, y, settings['fill'])", (3, 6), "float32"),
    ],
)
def test_a_setting_is_no_tensor(trace, code, shape, dtype):
    traced = trace(HEAD + f"y = torch.zeros(3, 6)\nz = {code}\n")
    assert traced.shape("z") == shape and traced.fact("z").value.dtype == dtype
    assert traced.failures() == []


@pytest.mark.parametrize(
    "code",
    [
        "x * settings['w']",
        "x.clamp(min=settings['w'])",
        "torch.full((2,), settings['w'])",
        "y == settings['w']",
        "y[settings['i']]",
    ],
)
def test_what_hangs_on_which_setting_it_is_stays_unknown(trace, code):
    traced = trace(HEAD + f"y = torch.zeros(3, 6)\nz = {code}\n")
    assert not traced.knows("z") or traced.fact("z").value.dtype is None or traced.shape("z") is None


def test_what_is_no_float_is_said_by_torch(trace):
    traced = trace(HEAD + "z = nn.Dropout(settings['p'], False, 3, 4)(torch.zeros(2))\n")
    assert not traced.knows("z")


def test_how_many_weights_a_layer_of_such_a_size_has_is_not_known(trace):
    traced = trace(
        HEAD + "wide, known = nn.Linear(4, settings['words']), nn.Linear(4, 2)\nz = wide(torch.zeros(3, 4))\n"
    )
    assert [one.parameters for one in traced.log.weights] == [10]
