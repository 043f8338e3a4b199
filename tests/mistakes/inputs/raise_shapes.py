# %% a product of two matrices that do not fit
import torch
q = torch.randn(2, 5)
k = torch.randn(3, 4)
scores = q @ k

# %% attention scores without a transpose
import torch
q, k = torch.randn(2, 8, 10, 64), torch.randn(2, 8, 12, 64)
scores = torch.matmul(q, k)
weights = scores.softmax(-1)

# %% bmm of two matrices
import torch
a, b = torch.randn(4, 8), torch.randn(8, 4)
c = torch.bmm(a, b)

# %% bmm of two batches
import torch
a, b = torch.randn(4, 3, 8), torch.randn(2, 8, 3)
c = torch.bmm(a, b)

# %% a vector of another length
import torch
w = torch.randn(10)
x = torch.randn(32, 12)
y = x @ w

# %% a sum of two shapes
import torch
a = torch.ones(5, 2, 4, 1)
b = torch.ones(3, 1, 1)
c = a + b

# %% a residual of another width
import torch
from torch import nn
class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 4 * width)
        self.norm = nn.LayerNorm(width)
    def forward(self, x):
        h = torch.relu(self.up(self.norm(x)))
        return x + h
y = Block(64)(torch.randn(2, 10, 64))

# %% rows by their sums
import torch
logits = torch.randn(8, 10)
probs = logits.exp() / logits.exp().sum(dim=1)

# %% positions that are longer than the text
import torch
x = torch.randn(2, 10, 16)
positions = torch.randn(12, 16)
x = x + positions

# %% a mask of another length
import torch
scores = torch.randn(2, 4, 10, 10)
mask = torch.tril(torch.ones(8, 8))
scores = scores.masked_fill(mask == 0, float("-inf"))

# %% a cat along another dim
import torch
a, b = torch.randn(1, 5, 4), torch.randn(1, 6, 4)
c = torch.cat([a, b], dim=-1)

# %% a cat of different ranks
import torch
tokens = torch.randn(2, 10, 64)
cls = torch.zeros(64)
x = torch.cat([cls, tokens], dim=1)

# %% a stack of different lengths
import torch
batch = torch.stack([torch.zeros(3), torch.zeros(4)])

# %% a view of another size
import torch
x = torch.arange(6)
y = x.view(4, 2)

# %% heads split with the wrong number
import torch
x = torch.randn(2, 10, 64)
heads = x.view(2, 10, 8, 16)

# %% two dims to be inferred
import torch
x = torch.randn(4, 6)
y = x.reshape(-1, -1)

# %% a view after a transpose
import torch
x = torch.randn(2, 10, 8, 8)
y = x.transpose(1, 2).view(2, 8, 80)

# %% permute with a dim too few
import torch
images = torch.randn(2, 32, 32, 3)
x = images.permute(2, 0, 1)

# %% a dim that is not there
import torch
x = torch.randn(4, 10)
y = x.sum(dim=2)

# %% an unsqueeze too far
import torch
x = torch.randn(4, 10)
y = x.unsqueeze(3)

# %% expand of a dim that is not one
import torch
x = torch.randn(3, 4)
y = x.expand(6, 4)

# %% a split that does not add up
import torch
qkv = torch.randn(2, 10, 192)
q, k, v = qkv.split([64, 64, 32], dim=-1)

# %% an index out of range
import torch
x = torch.randn(4, 10)
y = x[4]

# %% too many indices
import torch
x = torch.randn(4, 10)
y = x[0, 0, 0]

# %% a boolean mask of another shape
import torch
x = torch.randn(4, 10)
mask = torch.zeros(5, dtype=torch.bool)
y = x[mask]

# %% a write into fewer places than a mask picks
import torch
target = torch.zeros(4)
going_on = torch.tensor([True, False, True, True])
target[going_on] = torch.randn(2)

# %% a write of another rank in each round of a loop
import torch
kept = torch.zeros(3, 4)
for step in range(3):
    kept[step] = torch.randn(4, 1)

# %% gather with an index of another rank
import torch
logits = torch.randn(8, 10)
targets = torch.randint(0, 10, (8,))
picked = logits.gather(1, targets)

# %% gather with an expanded index beyond the end
import torch
logits = torch.randn(4, 2, 3)
targets = torch.arange(4).view(4, 1, 1).expand(4, 2, 1).long()
picked = logits.gather(2, targets)

# %% an in-place sum that would grow
import torch
total = torch.zeros(10)
total += torch.ones(4, 10)

# %% a write into an expanded view
import torch
mask = torch.ones(3).expand(4, 3)
mask.add_(1)

# %% too many samples
import torch
weights = torch.tensor([0.1, 0.2, 0.3, 0.4])
picks = torch.multinomial(weights, 5)

# %% an einsum whose letters disagree
import torch
a, b = torch.randn(2, 3), torch.randn(4, 5)
c = torch.einsum("ij,jk->ik", a, b)

# %% an einsum with a letter too few
import torch
q = torch.randn(2, 8, 10, 64)
s = torch.einsum("bqd,bkd->bqk", q, q)

# %% a matrix turned that is a batch
import torch
x = torch.randn(2, 3, 4)
y = x.t()

# %% an inverse of what is not square
import torch
a = torch.randn(3, 4)
b = torch.linalg.inv(a)

# %% more of topk than there are
import torch
values, indices = torch.topk(torch.randn(4, 3), 5)

# %% a list of ragged rows
import torch
x = torch.tensor([[1, 2, 3], [4, 5]])

# %% an unpacking of a batch
import torch
def attend(x):
    B, T, C = x.shape
    return x.view(B * T, C)
y = attend(torch.randn(4, 10))

# %% an unpacking of pieces
import torch
mean, deviation = torch.split(torch.randn(4, 7), 3, dim=1)

# %% queries, keys and values cut along the tokens, and each split into heads by a map
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(width, width * 3, bias=False)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x):
        parts = self.to_qkv(x).chunk(3, dim=1)
        q, k, v = map(self.split, parts)
        return (q @ k.mT).softmax(-1) @ v


y = Attention()(torch.randn(2, 4, 32))

# %% more pixels are drawn than there are
import numpy as np
import torch

coords = torch.stack(torch.meshgrid(torch.arange(8), torch.arange(8), indexing="ij"), -1).reshape(2, -1)
chosen = coords[np.random.choice(coords.shape[0], size=[16], replace=False)]

# %% a misspelled method
import torch

x = torch.randn(4, 10)
x = x.unsqeeze(1)

# %% the maximum along a dim has two parts
import torch

scores = torch.randn(4, 10)
best = scores.softmax(-1).max(dim=1).view(2, 2)

# %% a list of outputs is not stacked
import torch
from torch import nn

cell, steps = nn.GRUCell(8, 16), torch.randn(10, 4, 8)
h, outs = torch.zeros(4, 16), []
for step in steps:
    h = cell(step, h)
    outs.append(h)
outs = outs.permute(1, 0, 2)

# %% a product that does not fit, of each of a batch
import torch
from torch.func import vmap

A, b = torch.randn(6, 20, 3), torch.randn(6, 20)
solved = vmap(lambda a, y: torch.linalg.solve(a @ a, a.T @ y))(A, b)

# %% parts of unlike ranks, of each of a batch
import torch
from torch.func import vmap

x, extra = torch.randn(6, 20, 3), torch.randn(6, 20)
both = vmap(lambda one, more: torch.cat([one, more]))(x, extra)

# %% values of a critic that still have their column, written into a row of a buffer
import numpy as np
import torch
from torch import nn

critic, values = nn.Linear(8, 1), np.zeros((16, 4), dtype=np.float32)
with torch.no_grad():
    value = critic(torch.randn(4, 8))
values[0] = value.numpy().flatten()
values[1] = value.numpy().T
values[2] = value.numpy()
