"""Repairs away from the line that fails: in the layer, in the call that gave a number, in several places."""

from __future__ import annotations

import pytest

from shapewise.analysis import Tracer, analyse
from shapewise.edits.apply import apply, apply_to, difference
from shapewise.fixes.titles import title
from shapewise.fixes.verify import verified
from shapewise.source import Source
from shapewise.vocabulary.findings import Edit, Finding, Fix
from shapewise.vocabulary.span import Span

BATCH_FIRST = """
import torch
from torch import nn
import torch.nn.functional as F

lstm, head = nn.LSTM(8, 16{first}), nn.Linear(16, 4)
_, (hidden, _) = lstm(torch.randn(32, 20, 8))
loss = F.cross_entropy(head(hidden[-1]), torch.randint(0, 4, (32,)))
"""
JOINED = """
import torch
from torch import nn

encode, judge = nn.Linear(20, 32), nn.Linear(64, 2)
both = torch.cat((encode(torch.randn(10, 20)), encode(torch.randn(10, 20))){dim})
out = judge(both)
"""
STATES = """
import torch
from torch import nn

lstm = nn.LSTM(1, 50, 2)
h = torch.zeros({many}, 64, 50)
c = torch.zeros({many}, 64, 50)
out, _ = lstm(torch.randn(24, 64, 1), (h, c))
"""
MASKED = """
import torch
from torch import nn


def forward(encoder, tokens, x):
    mask = nn.Transformer.generate_square_subsequent_mask(tokens.size({at}))
    return encoder(x, src_mask=mask)


encoder = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
y = forward(encoder, torch.zeros(3, 7), torch.randn(3, 7, 16))
"""
SQUARE = """
import torch
from torch import nn

x = torch.randn(8, 15, 32)
mask = torch.triu(torch.ones(x.size({at}), x.size({at}), dtype=torch.bool), 1)
out, _ = nn.MultiheadAttention(32, 4, batch_first=True)(x, x, x, attn_mask=mask)
"""
LONGER = """
import torch

x, table = torch.randn(2, 10, 16), torch.randn(1, 512, 16)
y = x + table{part}
"""
FLAT = """
import torch
from torch import nn

head = nn.Linear({flat}, 10)
x = torch.randn(4, 16, 13, 13)
y = head(x.view(-1, {flat}))
"""
CALLED = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.head = nn.Linear(width, 2)

    def forward(self, x):
        return self.head(x)


y = Net({width})(torch.randn(3, 9))
"""
CARRIED = """
import torch
from torch import nn

net, h = nn.GRU(4, 8), torch.zeros(1, 2, 8)
for _ in range(3):
    y, h = net(torch.randn(5, 2, 4), h)
    y.sum().backward(){cut}
"""
HIDDEN = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = {begin}torch.randn(3{on}){end}

    def forward(self, x):
        return x @ self.w


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.randn(2, 3)).sum().backward()
"""
KEPT_BELOW = """
import torch

mask = torch.tril(torch.ones(6, 6))
scores = torch.randn(2, 6, 6).masked_fill(mask{kept}, float("-inf"))
"""
CASES = [
    (KEPT_BELOW, {"kept": ""}, {"kept": " == 0"}),
    (BATCH_FIRST, {"first": ""}, {"first": ", batch_first=True"}),
    (JOINED, {"dim": ""}, {"dim": ", dim=-1"}),
    (STATES, {"many": 1}, {"many": 2}),
    (MASKED, {"at": 0}, {"at": 1}),
    (SQUARE, {"at": 0}, {"at": 1}),
    (LONGER, {"part": ""}, {"part": "[:, :x.size(1)]"}),
    (FLAT, {"flat": "16 * 5 * 5"}, {"flat": "16 * 13 * 13"}),
    (CALLED, {"width": 8}, {"width": 9}),
    (CARRIED, {"cut": ""}, {"cut": "\n    h = h.detach()"}),
    (
        HIDDEN,
        {"begin": "", "on": ", requires_grad=True", "end": ""},
        {"begin": "nn.Parameter(", "on": "", "end": ")"},
    ),
]


@pytest.mark.asyncio(loop_scope="session")
async def test_what_is_to_change_elsewhere_is_offered(tracer: Tracer) -> None:
    for text, wrong, meant in CASES:
        source = Source("/x.py", text.format(**wrong))
        analysis = await verified(await analyse(source, tracer), tracer)
        errors = [one for one in analysis.findings if one.severity == "error"]
        found = [apply_to(source, fix.edits).text for one in errors for fix in one.fixes]
        assert len(errors) == 1 and text.format(**meant) in found, (wrong, analysis.findings)


def test_a_title_names_the_lines_that_are_not_the_findings() -> None:
    finding = Finding("r", Span(3, 0, 4, 2), "error", "m")
    first, own, last = (Edit(Span(line, 0, line, 0), "x") for line in (1, 4, 7))
    assert title(finding, Fix("t", "safe", (first,))) == "t (line 1)"
    assert title(finding, Fix("t", "safe", (own,))) == "t"
    assert title(finding, Fix("t", "safe", (own, last))) == "t (also line 7)"
    assert (
        title(finding, Fix("t", "safe", (first, own, last)), {1: "", 7: "2"}.__getitem__) == "t (also line 2)"
    )


def test_the_difference_of_two_texts_makes_one_the_other() -> None:
    lines = ["a = 1\nb = 2\n", "a = 12\nb = 2\n", "b = 2\n", "a = 1\nc\nd\nb = 2", "", "a = 1\nb = 2\nc\n"]
    for one in lines:
        for other in lines:
            assert apply(one, difference(one, other)) == other, (one, other)
