"""What may have been meant is offered where it holds, among the likeliest few."""

from __future__ import annotations

import pytest

from shapewise.analysis import Tracer, analyse
from shapewise.edits.apply import apply_to
from shapewise.fixes.verify import verified
from shapewise.source import Source

HEADS = """
import torch

x = torch.randn(2, 10, 64)
q = x.view(2, 10, 4, 16).transpose(1, 2)
k = x.view(2, 10, 4, 16){turned}
a = q @ k.transpose(-2, -1)
"""
PROJECTED = """
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, c = x.shape
        q = self.q(x).view(b, t, 8, -1).transpose(1, 2)
        k = self.k(x).view(b, t, 8, -1){turned}
        v = self.v(x).view(b, t, 8, -1).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        return scores.softmax(dim=-1) @ v


out = Attention(64)(torch.randn(4, 16, 64))
"""
KEPT = """
import torch

x = torch.randn(2, 5, 3)
pooled = x.mean(dim=1{kept})
joined = torch.cat([x, pooled], dim=1)
"""
ORDER = """
import torch

rows = torch.linspace(0, 1, 6).reshape({order}, 1, 1)
columns = torch.zeros(1, 6, 6, 1)
grid = torch.cat([rows.expand(1, 6, 6, 1), columns], dim=-1)
"""
GATED = """
import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.up = nn.Linear(dim, {width})
        self.gate = nn.Linear(dim, hidden)
        self.down = nn.Linear(hidden, dim)

    def forward(self, x):
        return self.down(self.up(x) * self.gate(x))


out = Gated(8, 24)(torch.randn(2, 8))
"""
CALLED = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)

    def forward(self, x):
        return self.conv(x).mean((2, 3))


images = torch.randn(8, 28, 28)
out = Net()(images{ranked})
"""
CAST = """
import torch
from torch import nn

codes = torch.zeros(4, 7, dtype={dtype})
codes[0, 0] = 3
out = nn.Embedding(10, 5)(codes)
"""
LOSS = """
import torch
import torch.nn.functional as F

scores = torch.randn(16, 1)
targets = torch.rand(16)
loss = F.binary_cross_entropy_with_logits(scores{ranked}, targets)
"""


CASES = [
    (HEADS, {"turned": ""}, {"turned": ".transpose(1, 2)"}),
    (PROJECTED, {"turned": ""}, {"turned": ".transpose(1, 2)"}),
    (KEPT, {"kept": ""}, {"kept": ", keepdim=True"}),
    (ORDER, {"order": "6, 1"}, {"order": "1, 6"}),
    (GATED, {"width": "hidden + dim"}, {"width": "hidden"}),
    (CALLED, {"ranked": ""}, {"ranked": ".unsqueeze(1)"}),
    (CAST, {"dtype": "torch.float32"}, {"dtype": "torch.int64"}),
    (LOSS, {"ranked": ""}, {"ranked": ".squeeze(-1)"}),
]


@pytest.mark.asyncio(loop_scope="session")
async def test_what_was_meant_is_offered(tracer: Tracer) -> None:
    for text, wrong, meant in CASES:
        source = Source("/x.py", text.format(**wrong))
        analysis = await verified(await analyse(source, tracer), tracer)
        found = [apply_to(source, fix.edits).text for one in analysis.findings for fix in one.fixes]
        assert text.format(**meant) in found, (wrong, found)
