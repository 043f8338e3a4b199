"""einx: operations over axes that a pattern names."""

from __future__ import annotations

import pytest

pytest.importorskip("einx")

HEAD = """
import torch, einx
from einx import get_at
x = torch.randn(2, 5, 8, requires_grad=True)
mask = torch.rand(2, 5) > 0.5
"""


def test_operators_over_named_axes(check):
    traced = check(
        HEAD
        + """
a = einx.where('b n, b n d, -> b n d', mask, x, 0.)
b = einx.where('b n, b n d, b n d', mask, x.half(), x.half())
c = einx.subtract('b i d, b j d -> b i j d', x, x)
d = einx.less('j, i -> i j', torch.arange(4), torch.arange(3))
e = einx.multiply('b, b ... -> b ...', torch.rand(2), x)
f = einx.divide('d b ..., d b -> (d b) ...', torch.randn(3, 2, 4), torch.rand(3, 2))
g = einx.where('b 1 f 1, , b 1 f 1 -> b 1 f 1', torch.rand(2, 1, 3, 1) > 0.5, 0., torch.randn(2, 1, 3, 1))
h = einx.add('... j, ... j k -> ... (j k)', torch.randn(2, 3, 4), torch.randn(2, 3, 4, 5))
i = einx.where('b n, b n d, -> b n d', mask, torch.arange(80).view(2, 5, 8), -1)
j = einx.minimum('a, a', torch.arange(3), torch.arange(3).float())
"""
    )
    shapes = [
        (2, 5, 8),
        (2, 5, 8),
        (2, 5, 5, 8),
        (3, 4),
        (2, 5, 8),
        (6, 4),
        (2, 1, 3, 1),
        (2, 3, 20),
        (2, 5, 8),
        (3,),
    ]
    assert [traced.shape(name) for name in "abcdefghij"] == shapes
    assert [traced.fact(name).value.dtype for name in "bdij"] == ["float16", "bool", "int64", "float32"]


def test_items_at_coordinates(check):
    traced = check(
        HEAD
        + """
code, ind = torch.randn(3, 16, 8), torch.randint(0, 16, (3, 2, 5))
a = get_at('h [c] d, h b n -> h b n d', code, ind)
b = get_at('[c] d, b ... -> b ... d', code[0], ind)
c = get_at('b n [l], b n -> b n', torch.randn(2, 5, 7), torch.randint(0, 7, (2, 5)))
d = get_at('b [h w] c, b p, b p -> b p c', torch.randn(2, 4, 5, 3), torch.randint(0, 4, (2, 7)), torch.randint(0, 5, (2, 7)))
"""
    )
    assert [traced.shape(name) for name in "abcd"] == [(3, 2, 5, 8), (3, 2, 5, 8), (2, 5), (2, 7, 3)]


def test_sums_products_and_orders(check):
    traced = check(
        HEAD
        + """
a = einx.sum('b n [d]', x)
b = einx.mean('b n d -> d b', x)
c = einx.max('b [n] d -> b d', x)
d = einx.id('b (n m) d -> b m (n d)', torch.randn(2, 6, 8), m=2)
e = einx.dot('b i d, b j d -> b i j', x, x)
f = einx.dot('a [b], [b] c -> a c', torch.randn(3, 4), torch.randn(4, 6))
g = einx.any('b [n]', mask)
h = einx.sum('b (s [d])', torch.randn(2, 6), d=3)
"""
    )
    shapes = [(2, 5), (8, 2), (2, 8), (2, 2, 24), (2, 5, 5), (3, 6), (2,), (2, 2)]
    assert [traced.shape(name) for name in "abcdefgh"] == shapes


def test_what_does_not_fit_or_is_not_read_is_not_known(trace):
    traced = trace(
        HEAD
        + """
a = einx.add('b n d, d -> b n d', x, torch.ones(7))
b = einx.sum('[s]... d', x)
c = einx.roll('b [n]', mask, shift=1)
"""
    )
    assert not traced.failures()
    assert not any(traced.knows(name) and traced.shape(name) for name in "abc")
