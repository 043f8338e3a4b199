"""Arrays of one shape that lie in memory in one of several ways."""

from __future__ import annotations

import pytest

_PICTURE = """
import random
import numpy as np
import torch
def augment(picture):
    for _ in range(random.randint(0, 3)):
        picture = {turned}
    return picture
picture = augment(np.zeros((8, 8, 3), np.float32))
"""


@pytest.mark.parametrize(
    "turned", ["np.flip(picture, 1)", "picture.transpose(1, 0, 2)", "np.ascontiguousarray(picture[::-1])"]
)
def test_turned_in_some_rounds_it_has_its_shape(trace, turned):
    traced = trace(
        _PICTURE.format(turned=turned)
        + """
chw = torch.from_numpy(np.ascontiguousarray(picture.transpose(2, 0, 1)))
scaled = torch.from_numpy(((picture - 0.5) / 0.5).copy())
rows = torch.from_numpy(picture.reshape(-1))
"""
    )
    chw = traced.fact("chw").value
    assert (chw.shape, chw.dtype, chw.contiguous) == ((3, 8, 8), "float32", True)
    assert (traced.shape("scaled"), traced.fact("scaled").value.contiguous) == ((8, 8, 3), True)
    assert traced.shape("rows") == (192,)


def test_how_it_lies_is_not_said(trace):
    traced = trace(
        _PICTURE.format(turned="picture.transpose(1, 0, 2)")
        + """
same = torch.from_numpy(picture)
half = torch.from_numpy(picture * 0.5)
step = torch.ones(picture.strides[0] // 4)
plain = torch.ones(2) if picture.flags.c_contiguous else torch.ones(3)
"""
    )
    for name in ("same", "half"):
        value = traced.fact(name).value
        assert value.shape == (8, 8, 3)
        assert value.stride is None and value.contiguous is None
    assert traced.shape("step") in ((None,), None)
    assert traced.shape("plain") in ((None,), None)


def test_turned_on_both_ways_it_lies_as_it_was_turned(trace):
    traced = trace(
        """
import random
import numpy as np
import torch
turned = np.zeros((6, 8, 3), np.uint8).transpose(2, 0, 1)
if turned.max() > 1:
    turned = turned / 255
a = torch.from_numpy(turned)
other = np.zeros((6, 8, 3)).transpose(2, 0, 1)
if random.random() < 0.5:
    other = np.zeros((6, 8, 6)).transpose(2, 0, 1)[::2]
b = torch.from_numpy(other)
"""
    )
    assert (traced.shape("a"), traced.fact("a").value.stride) == ((3, 6, 8), (1, 24, 3))
    assert (traced.shape("b"), traced.fact("b").value.stride) == ((3, 6, 8), (None, None, None))


def test_a_batch_of_one_that_was_computed_with_numbers_may_be_channels_last(trace):
    text = """
import torch
import torch.nn.functional as F
from torch import nn
tokens = torch.randn(1, 16, 8)
x = tokens.transpose(1, 2).reshape(1, 8, 4, 4) / 2.0
a = nn.Conv2d(8, 4, 3)(x)
b = F.interpolate(x, scale_factor=2.0)
c = F.max_pool2d(x, 2)
d = F.avg_pool2d(x, 2)
e = nn.GroupNorm(2, 8)(x)
f = F.pixel_shuffle(x, 2)
g = nn.Conv2d(8, 4, 3)(x.contiguous())
h = torch.cat([x, x])
i = nn.Conv2d(8, 4, 3)(torch.randn(2, 16, 8).transpose(1, 2).reshape(2, 8, 4, 4) / 2.0)
"""
    names: dict[str, object] = {}
    exec(compile(text, "<real>", "exec"), names)
    traced = trace(text)
    said = {name: traced.fact(name).value.contiguous for name in "abcdefghi"}
    assert {name: one for name, one in said.items() if one not in (None, names[name].is_contiguous())} == {}
    assert (said["g"], said["i"]) == (True, False)


def test_what_index_tensors_take_out_lies_as_they_do(check):
    traced = check("""
import torch
x, y = torch.randn(5, 4), torch.randn(7, 5, 4)
pairs = torch.randint(0, 5, (2, 11)).t()
a = x[pairs]
b = y[:, pairs]
c = x[pairs, 0]
d = x[(x > 0).nonzero()]
e = x[pairs.contiguous()] * 2
f = x[pairs[:, 0]]
""")
    assert traced.shape("a") == (11, 2, 4)
    assert traced.fact("a").value.contiguous is None
    assert traced.fact("e").value.contiguous is True
    assert traced.fact("f").value.stride == (4, 1)


@pytest.mark.parametrize("call", ["F.logsigmoid(x)", "torch.nn.LogSigmoid()(x)"])
def test_logsigmoid_of_what_is_not_contiguous(trace, call):
    """Real ones lie in rows on a CPU, fake ones as their input does."""
    head = "import torch\nimport torch.nn.functional as F\nx = torch.randn(2, 32, 4)"
    value = trace(f"{head}.transpose(1, 2)\nz = {call}\n").fact("z").value
    assert value.shape == (2, 4, 32)
    assert (value.contiguous, value.stride) == (None, None)
    assert trace(f"{head}\nz = {call}\n").fact("z").value.contiguous
