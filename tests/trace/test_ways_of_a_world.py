"""What is one thing in one world and another in the next, by a condition on a size: each world goes on with what it has."""

from __future__ import annotations

import pytest

_HEAD = """
import random
import numpy as np
import torch
import torch.nn.functional as F
wave = torch.randn(1, random.randint(30, 200))
rows = np.random.randn(random.randint(3, 20), 4).astype(np.float32)
mask = torch.rand(40) > 0.5
found = torch.randn(40, 3)[mask]
"""


@pytest.mark.parametrize(
    ("code", "shape"),
    [
        (
            "def fit(wave, n=80):\n"
            "    if wave.shape[1] > n:\n        wave = wave[:, :n]\n"
            "    elif wave.shape[1] < n:\n        wave = F.pad(wave, (0, n - wave.shape[1]))\n"
            "    return wave\nz = fit(wave)",
            (1, 80),
        ),
        (
            "def fit(wave, n=80):\n"
            "    if wave.size(1) < n:\n        pad = torch.zeros(1, n - wave.size(1))\n"
            "        wave = torch.cat([wave, pad], dim=1)\n"
            "    else:\n        start = random.randint(0, wave.size(1) - n)\n        wave = wave[:, start : start + n]\n"
            "    return wave\nz = fit(wave)",
            (1, 80),
        ),
        (
            "def fit(x, n=8):\n    if len(x) >= n:\n        return x[-n:]\n"
            "    pad = np.zeros((n - len(x), x.shape[1]), dtype=x.dtype)\n    return np.concatenate([pad, x], axis=0)\n"
            "z = torch.from_numpy(fit(rows))",
            (8, 4),
        ),
        (
            "def fit(x, n=16):\n    if x.shape[0] == 0:\n        return torch.zeros(n, 3)\n"
            "    if x.shape[0] >= n:\n        return x[:n]\n    return torch.cat([x, x.new_zeros(n - x.shape[0], 3)])\n"
            "z = fit(found)",
            (16, 3),
        ),
        ("z = wave[:, :80] if wave.size(1) >= 80 else F.pad(wave, (0, 80 - wave.size(1)))", (1, 80)),
        (
            "parts = []\nfor x in (found, found[:, :3]):\n"
            "    if len(x) > 8:\n        parts.append(x[:8])\n        continue\n"
            "    parts.append(F.pad(x, (0, 0, 0, 8 - len(x))))\nz = torch.stack(parts)",
            (2, 8, 3),
        ),
        ("y = wave\nif wave.size(1) > 80:\n    y = wave[:, :80]\nz = y", (1, None)),
        ("y = torch.zeros(3)\nif wave.size(1) > 80:\n    y = torch.zeros(4)\nz = y", (None,)),
        ("y = torch.zeros(3)\nif len(found) > 8:\n    y = torch.zeros(4)\nz = y", (None,)),
        ("def of(x):\n    if len(x) > 8:\n        return x[:4]\n    return x[:8]\nz = of(found)", (None, 3)),
        (
            "def of(x):\n    for row in x:\n        if x.shape[0] > 100:\n            return torch.zeros(4)\n"
            "    return torch.zeros(5)\nz = of(found)",
            (None,),
        ),
    ],
)
def test_what_all_worlds_have_after_a_condition_is_known(trace, code, shape):
    traced = trace(_HEAD + code + "\n")
    assert traced.shape("z") == shape
    assert not traced.failures()


def test_what_only_one_way_refuses_is_no_mistake(trace):
    traced = trace(
        _HEAD
        + """
def fit(x):
    if len(x) == 4:
        return x.view(2, 2, 3)
    return x.view(-1, 3)
z = fit(found)
"""
    )
    assert not traced.failures()


def test_requires_grad_on_one_way_is_not_known(trace):
    traced = trace(_HEAD + "z = torch.zeros(3)\nif len(found) > 8:\n    z.requires_grad_()\n")
    assert traced.fact("z").value.shape == (3,)
    traced = trace(_HEAD + "z = torch.zeros(3)\nif len(found) > 8:\n    z = z.requires_grad_()\nw = z * 2\n")
    assert traced.fact("w").value.requires_grad is None


_WORDS = """
import random
import torch
import nowhere
words = nowhere.load().split()
ids = [len(word) for word in words]
n = random.randint(3, 20)
"""


@pytest.mark.parametrize(
    ("code", "shape"),
    [
        (
            "def fit(x, n=10):\n    if len(x) < n:\n        x = x + [0] * (n - len(x))\n"
            "    else:\n        x = x[:n]\n    return torch.tensor(x)\nz = fit(ids)",
            (10,),
        ),
        (
            "def fit(x, n=10):\n    if len(x) >= n:\n        return x[:n]\n    return x + [0] * (n - len(x))\n"
            "z = torch.tensor(fit(ids))",
            (10,),
        ),
        ("z = torch.tensor(ids[:10] if len(ids) > 10 else ids + [0] * (10 - len(ids)))", (10,)),
        ("z = torch.zeros(3) if len(ids) == 7 else torch.zeros(4)", (None,)),
        ("z = torch.zeros(3) if n == 7 else torch.zeros(4)", (None,)),
        ("z = torch.zeros(3) if n > 7 else torch.zeros(4)", (None,)),
        ("y = torch.zeros(3)\nif n != 8:\n    y = torch.zeros(2)\nz = y", (None,)),
        (
            "def of(x):\n    if len(x) > 9:\n        return [1]\n    return [1, 2]\nz = torch.tensor(of(ids))",
            (None,),
        ),
    ],
)
def test_so_it_is_with_numbers_that_nobody_knows(trace, code, shape):
    traced = trace(_WORDS + code + "\n")
    assert traced.shape("z") == shape
    assert not traced.failures()


def test_what_is_raised_in_the_end_is_one_way_of_several(trace):
    traced = trace(
        _WORDS
        + """
def make(kind):
    if kind == "a":
        return torch.zeros(3)
    elif kind == "b":
        return torch.ones(3)
    raise ValueError(f"no such kind: {kind}")
y = make(words[0])
try:
    z = make(words[1])
except ValueError:
    z = torch.zeros(4)
w = z * 2
"""
    )
    assert traced.shape("y") == (3,)
    assert traced.shape("w") != (3,)
    assert not traced.failures()
