"""A float drawn between two limits is near the one in one world, near the other in another: so is what is made of it."""

from __future__ import annotations

import pytest

_HEAD = """
import random
import numpy as np
import torch
import torch.nn.functional as F
def fit(wave, n=2000):
    if wave.shape[1] > n:
        wave = wave[:, :n]
    if wave.shape[1] < n:
        wave = F.pad(wave, (0, n - wave.shape[1]))
    return wave
"""


@pytest.mark.parametrize(
    "draw", ["random.uniform(0.6, 1.3)", "np.random.uniform(0.6, 1.3)", "random.uniform(1.3, 0.6)"]
)
def test_what_is_longer_or_shorter_by_chance_is_both(trace, draw):
    traced = trace(_HEAD + f"wave = torch.randn(1, int(2000 * {draw}))\nz = fit(wave)\n")
    assert traced.shape("wave")[0] == 1
    assert not isinstance(traced.shape("wave")[1], int)
    assert traced.shape("z") == (1, 2000)
    assert traced.fact("z").value.stride is None or None in traced.fact("z").value.stride[:1]
    assert not traced.failures()


def test_a_picture_scaled_by_chance_keeps_its_other_dims(trace):
    traced = trace(
        """
import random
import torch
import torch.nn.functional as F
x = torch.randn(2, 3, 64, 64)
s = 1 + random.uniform(-0.2, 0.2)
y = F.interpolate(x, size=(int(64 * s), 64))
z = F.interpolate(y, size=(32, 32))
w = x * s
"""
    )
    y = traced.shape("y")
    assert (y[:2], y[3]) == ((2, 3), 64)
    assert not isinstance(y[2], int)
    assert (traced.shape("z"), traced.shape("w")) == ((2, 3, 32, 32), (2, 3, 64, 64))
    assert not traced.failures()
