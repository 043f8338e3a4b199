"""Where a column `(N, 1)` meets a row `(N,)`: by mistake, and on purpose."""

from __future__ import annotations

import pytest

from shapewise.analysis import Tracer, analyse
from shapewise.source import Source

HEAD = """import torch
import torch.nn.functional as F
from torch import nn

net, wide = nn.Linear(4, 1), nn.Linear(4, 3)
x, y, a = torch.randn(20, 4), torch.randn(20), torch.randint(0, 3, (20,))
"""
MISTAKES = [
    "z = torch.distributions.Normal(net(x), 1.0).log_prob(torch.randn(20, 1)) - y",
    "z = F.cross_entropy(wide(x), a, reduction='none') * torch.ones(20, 1)",
    "z = torch.stack([net(x) for _ in range(3)]) - y",
    "z = torch.stack([net(x) for _ in range(3)]).mean(0) - y",
    "z = net(x)[:, 0] - x[:, :1]",
    "z = y + 0.9 * wide(x).amax(1, keepdim=True)",
    "z = wide(x).argmax(1, keepdim=True) == a",
    "z = (x * x).sum(1, keepdim=True) - (x * x.flip(0)).sum(1)",
    "z = x.mean(1, keepdim=True) / x.std(1)",
    "z = net(x) * y",
]
ON_PURPOSE = [
    "z = x.norm(dim=1, keepdim=True) * x.norm(dim=1)",
    "z = (x * x).sum(1, keepdim=True) + (x * x).sum(1)",
    "z = net(x) - torch.linspace(0, 1, 20)",
    "z = net(x) + net(x.flip(0)).squeeze(1)",
    "z = net(x).squeeze(1)[:, None] - net(x).squeeze(1)",
    "c = torch.rand(20, 20)\nu = c.amin(1, keepdim=True)\nz = u + (c - u).amin(0)",
    "z = y.unsqueeze(1) == y",
    "z = y.view(-1, 1) - y",
    "z = x.sum(1, keepdim=True) * torch.randn(20)",
    "z = torch.randn(20, 1) * torch.randn(20)",
    "z = wide(x).amax(1, keepdim=True) * torch.arange(20)",
]


@pytest.mark.asyncio(loop_scope="session")
async def test_a_column_meets_a_row(tracer: Tracer) -> None:
    for line in (*MISTAKES, *ON_PURPOSE):
        findings = (await analyse(Source("a.py", HEAD + line + "\n"), tracer)).findings
        found = [one.rule for one in findings if one.severity != "hint"]
        assert found == (["loss-shape-broadcast"] if line in MISTAKES else []), line
