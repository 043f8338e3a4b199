"""Findings in code that runs on: what a page, whose bad blocks raise, cannot show."""

from __future__ import annotations

import pytest

from shapewise.analysis import Tracer, analyse
from shapewise.source import Source

pytestmark = pytest.mark.asyncio(loop_scope="session")

HEAD = """import torch
from torch import nn

head, criterion = nn.Linear(16, 12), nn.CrossEntropyLoss()
logits, labels = head(torch.randn(4, 12, 16)), torch.randint(0, 12, (4, 12))
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("loss = criterion(logits, labels)", [("ce-sequence-layout", "warning", 6)]),
        ("loss = criterion(logits.transpose(1, 2), labels)", []),
        ("loss = criterion(logits.flatten(0, 1), labels.flatten())", []),
        ("loss = criterion(torch.randn(4, 12, 12), labels)", []),
    ],
)
async def test_as_many_steps_as_classes(
    line: str, expected: list[tuple[str, str, int]], tracer: Tracer
) -> None:
    findings = (await analyse(Source("a.py", HEAD + line + "\n"), tracer)).findings
    assert [(one.rule, one.severity, one.span.line) for one in findings if one.severity != "hint"] == expected


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("z = kept * kept.sum(1)", "broadcast-incompatible"),
        ("z = kept @ kept", "matmul-inner-mismatch"),
        ("z = kept * kept.sum(1)[:, None]", None),
    ],
)
async def test_what_is_refused_unless_the_data_happen_to_fit_is_a_warning(
    line: str, rule: str | None, tracer: Tracer
) -> None:
    head = "import torch\nx = torch.randn(50, 6)\nkept = x[x[:, 0] > 0.5]\n"
    findings = (await analyse(Source("a.py", head + line + "\n"), tracer)).findings
    assert [(one.rule, one.severity) for one in findings if one.severity != "hint"] == (
        [(rule, "warning")] if rule else []
    )
    assert all("unless the size that the data decide happens to be 6" in one.message for one in findings)


MISTAKES = """import math
import torch
import torch.nn.functional as F
from torch import nn

class Duel(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.value, self.gain = nn.LayerNorm(4), nn.Linear(4, 1), nn.Linear(4, 3)

    def forward(self, x):
        self.norm(x)  # tensor-to-result-discarded
        x = self.norm(x)
        x = x + x  # blend-with-itself
        gain = self.gain(x)
        return self.value(x) + gain - gain.mean()  # reductions-over-unlike-dims

class Writer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(9, 8), nn.Linear(8, 9)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

    def forward(self, ids):
        past = torch.triu(torch.full((6, 6), float("-inf")), 1)
        return self.head(self.layer(self.embed(ids), src_mask=past))

class Heads(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.qkv = heads, nn.Linear(width, 3 * width)

    def forward(self, x, mask=None):
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, self.heads, -1).transpose(1, 2).chunk(3, dim=-1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(c // self.heads)
        if mask is not None:
            scores = scores + mask
        return (scores.softmax(-1) @ v).reshape(b, n, c)  # view-used-as-transpose

duel, model, ids = Duel(), Writer(), torch.randint(0, 9, (4, 6))
lagging = duel
lagging.load_state_dict(duel.state_dict())  # best-state-aliased
for p, q in zip(duel.parameters(), lagging.parameters()):
    q.data.copy_(0.1 * p.data + 0.9 * q.data)  # best-state-aliased
for p in model.parameters():
    p.data.clamp(-1, 1)  # tensor-to-result-discarded
for _ in range(2):
    loss = F.cross_entropy(model(ids).reshape(-1, 9), ids.reshape(-1))  # target-not-shifted
    penalty = duel(torch.randn(5, 4)).pow(2).mean()
    loss + 0.1 * penalty  # tensor-to-result-discarded
shares = torch.softmax(torch.randn(4, 3), dim=1)[:, 0].sigmoid()  # softmax-twice
kept, noise = torch.rand(4, 1), torch.randn(4, 3)
mixed = kept.sqrt() * torch.ones(4, 3) + (1 - kept) * noise  # variance-as-deviation

def total(model, loader):
    loss = 0.0
    for x, y in loader:
        loss = F.mse_loss(model(x), y).item() * len(x)  # hits-overwritten
    return loss / len(loader.dataset)
"""


async def test_what_nothing_raises_for_is_found_in_its_line(tracer: Tracer) -> None:
    marked = [
        (line.rpartition("  # ")[2], at) for at, line in enumerate(MISTAKES.splitlines(), 1) if "  # " in line
    ]
    findings = (await analyse(Source("a.py", MISTAKES), tracer)).findings
    assert [(one.rule, one.span.line) for one in findings if one.severity != "hint"] == marked
