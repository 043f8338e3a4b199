"""Model files of any length: parts as people write them, each with widths of its own, built and called once."""

from __future__ import annotations

import re

HEAD = """\
import torch
import torch.nn.functional as F
from torch import nn

batch = 4
"""

ATTENTION = '''
class Attention{n}(nn.Module):
    """Self-attention over a sequence."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm(x)).split(c, dim=2)
        # one view a head
        q = q.view(b, t, self.heads, c // self.heads).transpose(1, 2)
        k = k.view(b, t, self.heads, c // self.heads).transpose(1, 2)
        v = v.view(b, t, self.heads, c // self.heads).transpose(1, 2)
        att = q @ k.transpose(-2, -1) * k.size(-1) ** -0.5
        att = F.softmax(att, dim=-1)
        y = (att @ v).transpose(1, 2).reshape(b, t, c)
        return x + self.proj(y)


attention{n} = Attention{n}({d}, 8)
out{n} = attention{n}(torch.randn(batch, {t}, {d}))
'''

CONVOLUTIONS = """
class Convolutions{n}(nn.Module):
    def __init__(self, channels, classes):
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(channels)
        self.body = nn.Sequential(
            nn.Conv2d(channels, 2 * channels, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.head = nn.Linear(2 * channels, classes)

    def forward(self, images):
        x = F.relu(self.norm(self.stem(images)))
        x = self.body(x)
        pooled = x.mean(dim=(2, 3))
        logits = self.head(pooled)
        return logits


convolutions{n} = Convolutions{n}({d}, {t})
out{n} = convolutions{n}(torch.randn(batch, 3, 64, 64))
"""

GATED = """
class Gated{n}(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.up = nn.Linear(dim, hidden)
        self.gate = nn.Linear(dim, hidden)
        self.down = nn.Linear(hidden, dim)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        residual = x
        gated = F.silu(self.gate(x)) * self.up(x)
        x = self.dropout(self.down(gated))
        scale = x.pow(2).mean(-1, keepdim=True)
        x = x * torch.rsqrt(scale + 1e-6)
        return residual + x


gated{n} = Gated{n}({d}, {d} * 4)
out{n} = gated{n}(torch.randn(batch, {t}, {d}))
"""

RECURRENT = """
class Recurrent{n}(nn.Module):
    def __init__(self, words, dim, tags):
        super().__init__()
        self.embed = nn.Embedding(words, dim)
        self.cell = nn.GRU(dim, dim, batch_first=True)
        self.head = nn.Linear(dim, tags)

    def forward(self, tokens):
        vectors = self.embed(tokens)
        states, last = self.cell(vectors)
        logits = self.head(states)
        return logits, last


recurrent{n} = Recurrent{n}(1000, {d}, {t})
logits{n}, last{n} = recurrent{n}(torch.randint(0, 1000, (batch, 20)))
target{n} = torch.randint(0, {t}, (batch, 20))
loss{n} = F.cross_entropy(logits{n}.flatten(0, 1), target{n}.flatten())
"""

TAIL = "\nprobe = abs(1.5)\nlast = torch.zeros(batch, 7)\n"
PARTS = (ATTENTION, CONVOLUTIONS, GATED, RECURRENT)


def model_file(lines: int) -> str:
    """A file of about so many lines."""
    text, number = HEAD, 0
    while text.count("\n") + TAIL.count("\n") < lines - 12:
        text += PARTS[number % len(PARTS)].format(n=number, d=64 + 8 * number, t=16 + number % 11)
        number += 1
    return text + TAIL


def equal_blocks(count: int) -> str:
    """One attention block, called so many times in a row through a stack of its own instances."""
    block = ATTENTION.format(n="", d=64, t=16).split("\n\nattention")[0]
    return (
        HEAD
        + block
        + f"\n\nstack = nn.Sequential(*[Attention(64, 8) for _ in range({count})])\nout = stack(torch.randn(batch, 16, 64))\n"
    )


def library_file(lines: int) -> str:
    """The same parts as a file of classes that nothing calls."""
    text = model_file(lines)
    called = re.compile(r"^(attention|convolutions|gated|recurrent|logits|target|loss|out)\d.* = ")
    return "\n".join(line for line in text.split("\n") if not called.match(line))
