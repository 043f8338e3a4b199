"""Calls that are said again: the same facts and failures as where each call is interpreted."""

from __future__ import annotations

import pytest

from shapewise.host.stable_lines import StableLines
from shapewise.repair import repair
from shapewise.trace.again import Again, calls
from shapewise.vocabulary.events import Op, Other

HEAD = "import torch, torch.nn as nn, torch.nn.functional as F\n"

BLOCKS = """
class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.qkv = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        att = (q @ k.transpose(-2, -1)) * c ** -0.5
        y = F.softmax(att.masked_fill(torch.ones(t, t).tril() == 0, float("-inf")), dim=-1) @ v
        y = F.gelu(self.out(y)) + F.gelu(self.out(x)).mean(dim=1, keepdim=True)
        return x + self.drop(y)
"""

SAME = {
    "layers": BLOCKS
    + """
net = nn.Sequential(*[Block(16) for _ in range(4)], nn.Flatten())
out = net(torch.randn(2, 5, 16))
out.sum().backward()
g = net[2].qkv.weight.grad
""",
    "training": BLOCKS
    + """
net = Block(8)
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for epoch in range(3):
    net.train()
    for _ in range(2):
        x = torch.randn(4, 3, 8)
        loss = F.mse_loss(net(x), x)
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        y = net(torch.randn(4, 3, 8))
""",
    "batch norm and recurrent": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.bn = nn.BatchNorm2d(8)
        self.rnn = nn.GRU(8, 6, batch_first=True, bidirectional=True)

    def forward(self, x):
        x = F.relu(self.bn(self.conv(x)))
        x = F.relu(self.bn(x)).flatten(2).transpose(1, 2)
        out, last = self.rnn(x)
        return out, last

net = Net()
out, last = net(torch.randn(2, 3, 8, 8))
again, _ = net(torch.randn(2, 3, 8, 8))
other, _ = net(torch.randn(5, 3, 8, 8))
n = net.bn.running_mean
""",
    "names of Python's own as parameters": """
class Norm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, input, hash=1):
        scaled = F.layer_norm(input, self.weight.shape, self.weight, None, 1e-5)
        return scaled * hash + F.softmax(input @ input.mT @ input, -1)

net = Norm(6)
for _ in range(3):
    out = net(torch.randn(2, 4, 6))
out.sum().backward()
""",
    "what data decides": """
data = torch.arange(100) * 2

def batch(size):
    at = torch.randint(len(data) - 8, (size,))
    x = torch.stack([data[i:i + 8] for i in at])
    kept = x[x[:, 0] > 20]
    parts = kept.float().softmax(-1).unsqueeze(1).repeat(1, 3, 1).flatten(1)
    return kept, parts

def two():
    a, _ = batch(4)
    if a.sum() > 7:
        a = a + 1
    return a, batch(2)[1]

for _ in range(3):
    a, b = two()
kept, parts = batch(4)
n = len(kept)
c = torch.zeros(n, 3) + parts[:, :3]
""",
    "both ways of what nobody knows": """
def clipped(x):
    if x.max() > 1:
        x = x / x.max()
        x = x.softmax(-1) * x.mean(-1, keepdim=True)
    else:
        x = x.relu().exp().log()
    return x.softmax(-1)

for _ in range(3):
    y = clipped(torch.randn(3, 4))
z = y.sum(0)
""",
    "objects as results": """
import argparse, collections
from dataclasses import dataclass
from torch.distributions import Normal
Pair = collections.namedtuple("Pair", "left right")

@dataclass
class Belief:
    mean: torch.Tensor
    cov: torch.Tensor

def step(belief, noise):
    gain = torch.linalg.solve(belief.cov + torch.eye(3), belief.cov).mT
    return Belief(belief.mean + gain @ noise, (torch.eye(3) - gain) @ belief.cov)

def halves(x):
    x = x.softmax(-1).relu().exp()
    return Pair(x[:, :2] + 1, x[:, 2:] + 1)

def policy(x):
    return Normal(x.softmax(-1).exp().log(), x.exp().softmax(-1).sqrt())

def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=5)
    parser.add_argument("--lr", type=float, default=0.1)
    return parser.parse_args([])

belief = Belief(torch.zeros(3), torch.eye(3))
for _ in range(4):
    belief = step(belief, torch.randn(3))
    left, right = halves(torch.randn(2, 5))
    chosen = policy(torch.randn(2, 3)).sample()
    width = torch.zeros(options().width)
mean, cov = belief.mean, belief.cov
""",
    "an attribute that is replaced by its like": """
class Sampled(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Parameter(torch.zeros(4, 4))
        self.scale = nn.Parameter(torch.zeros(4, 4))
        self.drawn = None

    def draw(self):
        self.drawn = self.mean + F.softplus(self.scale) * torch.randn(4, 4)
        return self.drawn

    def forward(self, x):
        return F.relu(x @ self.draw()).exp().log()

    def penalty(self):
        return (self.drawn ** 2).sum() + self.drawn.abs().softmax(-1).sum()

net = Sampled()
for _ in range(5):
    loss = net(torch.randn(2, 4)).sum() + net.penalty()
    loss.backward()
""",
    "a memory that is written to": """
class Cached(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.register_buffer("seen", torch.zeros(8, 4))

    def forward(self, x):
        self.seen[:2] = x.detach().softmax(-1).exp().log()
        return self.lin(x).softmax(-1) @ self.seen.mT

net = Cached()
for _ in range(3):
    with torch.no_grad():
        y = net(torch.randn(2, 4))
seen = net.seen[:2]
""",
    "one class of several does what cannot be said again": """
class Steps:
    def __init__(self):
        self.count = 0

    def pairs(self):
        for at in range(2):
            yield torch.zeros(at + 1, 3)

    def double(self, x):
        return (x.softmax(-1) * 2).relu().exp().log().sum(-1)

steps = Steps()
for _ in range(3):
    y = steps.double(torch.randn(4, 5))
both = [pair for pair in steps.pairs()]
""",
    "two heads, one of them unused": """
class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8))
        self.left = nn.Linear(8, 2)
        self.right = nn.Linear(8, 3)

    def forward(self, x):
        h = self.body(x)
        h = h + self.body(x).relu() if x.shape[1] == 8 else h.relu().relu()
        return self.left(h), self.right(h)

for _ in range(3):
    net = Two()
    a, b = net(torch.randn(7, 4))
    a.sum().backward()
    g = net.left.weight.grad
    none = net.right.weight.grad
""",
    "what it changes": """
class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
        self.calls = 1
        self.seen = []

    def forward(self, x):
        self.calls += 1
        self.seen.append(x)
        x = self.net(self.net(self.net(x)))
        return x.repeat(1, self.calls)

net = Counts()
a = net(torch.randn(2, 4))
b = net(torch.randn(2, 4))
c = torch.cat(net.seen)
""",
    "what it reads": """
SCALE = [2]
def grown(x):
    x = F.relu(F.gelu(F.relu(x))).sigmoid().tanh().exp().log().abs()
    y = torch.stack([x] * SCALE[0]).transpose(0, 1).contiguous().softmax(-1)
    return y.flatten(1)
a = grown(torch.randn(3, 4))
SCALE.append(5)
b = grown(torch.randn(3, 4))
SCALE[0] = 3
c = grown(torch.randn(3, 4))
SCALE = [7]
d = grown(torch.randn(3, 4))
""",
    "numbers in tensors": """
def picked(mask):
    x = torch.randn(6, 4).relu().exp().log().abs().sigmoid().tanh().softmax(-1).cumsum(0)
    kept = torch.arange(6)[mask]
    return x[kept], kept
a, ka = picked(torch.tensor([True, False, True, False, False, False]))
b, kb = picked(torch.tensor([True, True, True, True, False, False]))
c = ka + torch.zeros(2)
""",
    "views, places, modes": """
@torch.no_grad()
def measured(x):
    y = x.relu().exp().log().abs().sigmoid().tanh().softmax(-1).cumsum(0)
    return y.transpose(0, 1), y[:, 1:], y
t, part, y = measured(torch.randn(3, 5))
t2, part2, y2 = measured(torch.randn(3, 5, device="cuda"))
t3, part3, y3 = measured(torch.randn(3, 5, dtype=torch.float64))
t.add_(1)
with torch.inference_mode():
    def inside(x):
        return x.relu().exp().log().abs().sigmoid().tanh().softmax(-1).cumsum(0).t()
    u = inside(torch.randn(3, 5))
    v = inside(torch.randn(3, 5))
""",
    "tied weights and buffers": """
class Tied(nn.Module):
    def __init__(self, words=50, d=8):
        super().__init__()
        self.embed = nn.Embedding(words, d)
        self.body = nn.Sequential(nn.Linear(d, d), nn.GELU(), nn.LayerNorm(d), nn.Linear(d, d))
        self.head = nn.Linear(d, words, bias=False)
        self.head.weight = self.embed.weight
        self.register_buffer("mask", torch.tril(torch.ones(6, 6)))
        self.rows = [nn.Parameter(torch.zeros(3))]

    def forward(self, ids):
        h = self.body(self.body(self.embed(ids)))
        h = self.mask[: ids.shape[1], : ids.shape[1]] @ h
        return self.head(h)

nets = [Tied() for _ in range(3)]
out = nets[1](torch.randint(0, 50, (2, 6)))
same = nets[2].head.weight is nets[2].embed.weight
count = sum(p.numel() for p in nets[2].parameters())
state = nets[2].state_dict()
w = state["head.weight"]
flat = torch.zeros(count)
""",
}

FAILS = {
    "the second time": """
def body(x):
    return x.relu().exp().log().abs().sigmoid().tanh().softmax(-1).cumsum(0).sum()
w = torch.randn(3, 4, requires_grad=True)
for _ in range(2):
    loss = body(w)
    loss.backward()
loss.backward()
""",
    "written to what is kept": """
def body(x):
    return x.exp().log().abs().sigmoid().tanh().softmax(-1).cumsum(0).sum() + (x * x).sum()
w = torch.randn(3, 4, requires_grad=True)
for _ in range(3):
    h = w + 1
    loss = body(h)
h += 1
loss.backward()
""",
    "two results of one graph": """
lower, upper = nn.Linear(8, 8), nn.Linear(8, 2)
def body(x):
    h = lower(x).tanh()
    return upper(h).softmax(-1).log().abs().sum(), h.square().mean()
for _ in range(4):
    policy, value = body(torch.randn(3, 8))
    policy.backward()
    value.backward()
""",
    "inside": BLOCKS
    + """
net = Block(16)
a = net(torch.randn(2, 5, 16))
b = net(torch.randn(2, 5, 17))
c = net(torch.randn(2, 5, 16))
""",
}


@pytest.fixture(autouse=True)
def _each_call_is_worth_it(monkeypatch):
    monkeypatch.setattr(calls, "_WORTH", 0.0)
    monkeypatch.setattr(calls, "_START", 60.0)


def interpreted(trace, monkeypatch, text):
    with monkeypatch.context() as patch:
        patch.setattr(Again, "call", lambda self, function, node, given, named, enter: enter(given, named))
        return trace(text)


def failures(log):
    return [
        (event.span.line, event.failure.type, event.failure.message)
        for event in log.events
        if isinstance(event, Op) and event.failure is not None
    ]


def layers(log):
    """What the layers hold that are built or called, in order."""
    weights = {one.id: (one.parameters, one.bytes) for one in log.weights}
    values = [
        (event, value)
        for event in log.events
        if isinstance(event, Op)
        for value in (event.result, *event.args)
    ]
    return [
        (event.span.line, event.name, value.type, weights.get(value.id))
        for event, value in values
        if isinstance(value, Other)
    ]


@pytest.mark.parametrize("name", [*SAME, *FAILS])
def test_a_call_that_is_said_again_says_the_same(trace, name, monkeypatch):
    text = HEAD + {**SAME, **FAILS}[name]
    expected = interpreted(trace, monkeypatch, text)
    assert bool(failures(expected.log)) == (name in FAILS)
    for _ in range(4):
        traced = trace(text)
        assert {fact.span: fact for fact in traced.facts} == {fact.span: fact for fact in expected.facts}
        assert failures(traced.log) == failures(expected.log)
        assert layers(traced.log) == layers(expected.log)
        assert [frame.scope for frame in traced.log.frames] == [frame.scope for frame in expected.log.frames]


def test_a_line_that_is_added_above_costs_no_call_below(trace, monkeypatch):
    """As the host lays the text out."""
    interpreted = []
    listen = Again._listen
    monkeypatch.setattr(Again, "_listen", lambda self, *call: interpreted.append(call) or listen(self, *call))
    lines = None
    for above in (0, 1, 1, 1, 2, 5):
        lines = StableLines(repair("import math\n" * above + HEAD + SAME["layers"]), lines)
        interpreted.clear()
        trace(lines.text)
    assert not interpreted
