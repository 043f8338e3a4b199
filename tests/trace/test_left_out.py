"""Layers that chance leaves out: nobody knows how many are left, but what each of them does."""

from __future__ import annotations

import pytest

HEAD = """
import torch
from operator import itemgetter
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
    def forward(self, x, scale=1):
        return self.layer(x) * scale
    def back(self, x):
        with torch.enable_grad():
            inner = self.layer(x.detach())
        return inner
layers = nn.ModuleList([Block() for _ in range(3)])
drop = torch.rand(3) < 0.1
kept = [layer for layer, out in zip(layers, drop) if not out]
kept = layers[:1] if len(kept) == 0 else kept
pairs = [(layer, {"scale": 2}) for layer, out in zip(layers, drop) if not out]
x = torch.zeros(2, 4)
"""


@pytest.mark.parametrize(
    "loop",
    [
        "for layer in kept: x = layer(x)",
        "for layer in kept[::-1]: x = layer.back(x)",
        "for layer in reversed(list(kept)): x = layer(x)",
        "for layer, options in pairs: x = layer(x, **options)",
        "for layer in map(itemgetter(0), pairs): x = layer(x)",
        "a, b = map(lambda i: list(map(itemgetter(i), pairs)), (0, 1))\nfor layer, options in zip(a, b): x = layer(x, **options)",
    ],
)
def test_the_layers_that_are_left_are_gone_through(trace, loop):
    traced = trace(HEAD + loop + "\ny = x")
    assert traced.shape("y") == (2, 4)
    assert not traced.failures()


def test_an_op_of_the_file_gets_a_list_of_nobody_knows_how_many(trace):
    text = """
class Through(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, layers):
        for layer in layers:
            x = layer(x)
        ctx.layers, ctx.last = layers, x.detach()
        return x
    @staticmethod
    def backward(ctx, given):
        for layer in ctx.layers[::-1]:
            again = layer.back(ctx.last)
        return given, None
y = Through.apply(x.requires_grad_(), kept)
y.sum().backward()
"""
    traced = trace(HEAD + text)
    assert traced.shape("y") == (2, 4)
    inner = [fact.value.requires_grad for fact in traced.facts if fact.name == "inner"]
    assert set(inner) == {True}


def test_an_optimizer_over_lists_of_tensors_is_followed(trace):
    text = """
class Mine(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, foreach=hasattr(torch, "_foreach_mul_")):
        super().__init__(params, dict(lr=lr, foreach=foreach))
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            params = [p for p in group["params"] if p.grad is not None]
            grads = [p.grad for p in params]
            if group["foreach"]:
                torch._foreach_mul_(grads, group["lr"])
                ratio = torch._foreach_div(grads, 2.0)[0]
                torch._foreach_sub_(params, grads)
optimizer = Mine(layers[0].parameters())
layers[0](x).sum().backward()
optimizer.step()
y = layers[0](x)
"""
    traced = trace(HEAD + text)
    assert traced.shape("ratio") == (4, 4)
    assert traced.fact("y").value.requires_grad is True
    assert not traced.failures()
