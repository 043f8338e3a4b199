"""A run that is given what another was given is not made again: nothing is otherwise for it."""

from __future__ import annotations

import itertools
import textwrap

import pytest

from shapewise.queries.facts import facts_of
from shapewise.trace import session
from shapewise.trace.uncalled.searching.outcomes import Outcomes

HEADER = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n"
LAYERS = """
class Layers(nn.Module):
    def __init__(self, dim, depth, heads=4, pool="mean"):
        super().__init__()
        assert dim % heads == 0, "dim has to be so many heads"
        self.layers = nn.ModuleList([nn.Linear(dim, dim) for _ in range(depth)])
        self.scale = nn.Parameter(torch.empty(dim))
        nn.init.uniform_(self.scale)
        self.heads, self.pool = heads, pool
    def forward(self, x, mask=None):
        batch, length, dim = x.shape
        for layer in self.layers:
            x = F.gelu(layer(x)) + x
        split = x.view(batch, length, self.heads, dim // self.heads).transpose(1, 2)
        scores = split @ split.mT
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        y = (scores.softmax(dim=-1) @ split).transpose(1, 2).reshape(batch, length, dim) * self.scale
        return y.mean(dim=1) if self.pool == "mean" else y[:, 0]
"""
PICTURES = """
class Pictures(nn.Module):
    def __init__(self, channels, classes, kernel=3):
        super().__init__()
        self.conv = nn.Conv2d(3, channels, kernel, padding=kernel // 2)
        self.norm = nn.BatchNorm2d(channels)
        nn.init.zeros_(self.conv.bias)
        self.head = nn.Linear(channels, classes)
    def forward(self, images):
        x = F.relu(self.norm(self.conv(images)))
        x = F.max_pool2d(x, 2)
        pooled = x.mean(dim=(2, 3))
        return self.head(pooled)
"""
FUNCTIONS = """
def attend(query, key, value, dropout=0.0):
    scores = query @ key.transpose(-2, -1) / key.shape[-1] ** 0.5
    weights = F.dropout(scores.softmax(dim=-1), dropout)
    return weights @ value

def halves(x, n):
    x.zero_()
    left, right = x.chunk(2, dim=-1)
    rounds = [left * i for i in range(n)]
    return torch.stack(rounds), max(left.shape[0], n)
"""


@pytest.mark.parametrize("text", [LAYERS, PICTURES, FUNCTIONS], ids=["layers", "pictures", "functions"])
def test_what_is_not_run_again_says_the_same(trace, text, monkeypatch):
    names, spared = itertools.count(), 0
    get = Outcomes.get

    def shown() -> list[str]:
        log = session.trace(f"{text[7:12]}{next(names)}.py", textwrap.dedent(HEADER + text), {})
        return sorted(f"{fact.span} {fact.name} {fact.value}" for fact in facts_of(log))

    def counted(self, *how):
        nonlocal spared
        found = get(self, *how)
        spared += found is not None
        return found

    monkeypatch.setattr(Outcomes, "get", counted)
    once = shown()
    assert spared
    monkeypatch.setattr(Outcomes, "get", lambda *how: None)
    assert shown() == once
