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

# %% a layer fed with another width
import torch
from torch import nn
model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(64, 10))
out = model(torch.randn(32, 784))
probs = out.softmax(dim=1)

# %% images into a linear layer
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(784, 10)
    def forward(self, x):
        return self.fc(x)
net = Net()
logits = net(torch.randn(16, 1, 28, 28))

# %% a wrong flatten size
import torch
import torch.nn as nn
import torch.nn.functional as F
class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 4 * 4, 120)
        self.fc2 = nn.Linear(120, 10)
    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        return self.fc2(x)
out = CNN()(torch.randn(4, 3, 32, 32))

# %% channels last into a convolution
import torch
from torch import nn
images = torch.randn(8, 224, 224, 3)
conv = nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3)
features = conv(images)

# %% the channels of the second convolution
import torch
from torch import nn
net = nn.Sequential(nn.Conv2d(3, 32, 3), nn.ReLU(), nn.Conv2d(64, 64, 3))
y = net(torch.randn(1, 3, 32, 32))

# %% a sequence into a 2d convolution
import torch
from torch import nn
x = torch.randn(8, 100)
y = nn.Conv2d(1, 16, 3)(x)

# %% a kernel larger than the image
import torch
from torch import nn
y = nn.Conv2d(16, 32, 5)(torch.randn(2, 16, 3, 3))

# %% batch norm of another number of channels
import torch
from torch import nn
x = nn.Conv2d(3, 32, 3, padding=1)(torch.randn(4, 3, 8, 8))
y = nn.BatchNorm2d(16)(x)

# %% a 1d batch norm on images
import torch
from torch import nn
y = nn.BatchNorm1d(3)(torch.randn(4, 3, 8, 8))

# %% a layer norm of another width
import torch
from torch import nn
norm = nn.LayerNorm(256)
x = torch.randn(4, 10, 512)
y = norm(x)

# %% group norm whose groups do not divide
import torch
from torch import nn
norm = nn.GroupNorm(8, 20)

# %% a batch of one in training
import torch
from torch import nn
net = nn.Sequential(nn.Linear(10, 4), nn.BatchNorm1d(4))
y = net(torch.randn(1, 10))

# %% heads that do not divide
import torch
from torch import nn
attention = nn.MultiheadAttention(embed_dim=100, num_heads=8)

# %% another embedding in attention
import torch
from torch import nn
attention = nn.MultiheadAttention(64, 8, batch_first=True)
x = torch.randn(2, 10, 32)
y, _ = attention(x, x, x)

# %% causal without a mask
import torch
from torch import nn
attention = nn.MultiheadAttention(64, 8, batch_first=True)
x = torch.randn(2, 10, 64)
y, _ = attention(x, x, x, is_causal=True)

# %% a padding mask the wrong way round
import torch
from torch import nn
layer = nn.TransformerEncoderLayer(32, 4, batch_first=True)
x = torch.randn(2, 10, 32)
mask = torch.zeros(10, 2, dtype=torch.bool)
y = layer(x, src_key_padding_mask=mask)

# %% an lstm fed with another width
import torch
from torch import nn
lstm = nn.LSTM(input_size=50, hidden_size=100, batch_first=True)
out, (h, c) = lstm(torch.randn(32, 20, 40))

# %% a hidden state of another batch
import torch
from torch import nn
gru = nn.GRU(16, 32, batch_first=True)
h0 = torch.zeros(1, 8, 32)
out, h = gru(torch.randn(4, 20, 16), h0)

# %% floats into an embedding
import torch
from torch import nn
embedding = nn.Embedding(1000, 64)
tokens = torch.randn(4, 10)
x = embedding(tokens)

# %% a token beyond the vocabulary
import torch
from torch import nn
embedding = nn.Embedding(5, 3)
tokens = torch.tensor([[0, 1, 2], [3, 4, 5]])
x = embedding(tokens)

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

# %% a packed sequence of another width
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence
packed = pack_padded_sequence(torch.randn(3, 7, 5), torch.tensor([7, 4, 2]), batch_first=True)
out, state = nn.LSTM(6, 8, batch_first=True)(packed)

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

# %% gather with an index of floats
import torch
logits = torch.randn(8, 10)
picked = logits.gather(1, torch.zeros(8, 1))

# %% a cross entropy of int32
import torch
import torch.nn.functional as F
logits = torch.randn(8, 10)
target = torch.randint(0, 10, (8,), dtype=torch.int32)
loss = F.cross_entropy(logits, target)

# %% a cross entropy of float classes
import torch
from torch import nn
criterion = nn.CrossEntropyLoss()
loss = criterion(torch.randn(8, 10), torch.randint(0, 10, (8,)).float())

# %% a target with a dim too many
import torch
import torch.nn.functional as F
logits = torch.randn(8, 10)
y = torch.randint(0, 10, (8, 1))
loss = F.cross_entropy(logits, y)

# %% a language model's logits
import torch
import torch.nn.functional as F
logits = torch.randn(4, 32, 50)
labels = torch.randint(0, 50, (4, 32))
loss = F.cross_entropy(logits, labels)

# %% another batch of targets
import torch
from torch import nn
loss = nn.CrossEntropyLoss()(torch.randn(32, 10), torch.randint(0, 10, (16,)))

# %% a class beyond the logits
import torch
import torch.nn.functional as F
loss = F.cross_entropy(torch.randn(3, 4), torch.tensor([0, 4, 1]))

# %% binary targets that are integers
import torch
import torch.nn.functional as F
logits = torch.randn(8)
y = torch.randint(0, 2, (8,))
loss = F.binary_cross_entropy_with_logits(logits, y)

# %% binary targets with a dim too few
import torch
from torch import nn
logits = torch.randn(8, 1)
y = torch.randint(0, 2, (8,)).float()
loss = nn.BCEWithLogitsLoss()(logits, y)

# %% float64 from numpy into a layer
import numpy as np
import torch
from torch import nn
x = torch.from_numpy(np.random.randn(32, 10))
y = nn.Linear(10, 2)(x)

# %% a product of two precisions
import torch
w = torch.randn(4, 4, dtype=torch.bfloat16)
y = torch.randn(4, 4) @ w

# %% integers into a layer
import torch
from torch import nn
x = torch.randint(0, 255, (8, 784))
y = nn.Linear(784, 10)(x)

# %% a mean of integers
import torch
x = torch.tensor([1, 2, 3])
m = x.mean()

# %% a softmax of integers
import torch
scores = torch.randint(0, 10, (4, 10))
p = scores.softmax(dim=1)

# %% a gradient of integers
import torch
w = torch.tensor([1, 2, 3], requires_grad=True)

# %% an in-place result that does not fit its dtype
import torch
counts = torch.zeros(3, dtype=torch.int64)
counts += torch.rand(3)

# %% an in-place sum that would grow
import torch
total = torch.zeros(10)
total += torch.ones(4, 10)

# %% a write into an expanded view
import torch
mask = torch.ones(3).expand(4, 3)
mask.add_(1)

# %% a leaf changed in place
import torch
w = torch.randn(3, requires_grad=True)
w -= 0.1

# %% numpy of what requires grad
import torch
from torch import nn
pred = nn.Linear(3, 1)(torch.randn(4, 3))
values = pred.numpy()

# %% backward of a vector
import torch
x = torch.randn(3, requires_grad=True)
(x * 2).backward()

# %% too many samples
import torch
weights = torch.tensor([0.1, 0.2, 0.3, 0.4])
picks = torch.multinomial(weights, 5)

# %% integer weights
import torch
counts = torch.tensor([3, 1, 2])
pick = torch.multinomial(counts, 1)

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

# %% a pooling window larger than the image
import torch
from torch import nn
y = nn.MaxPool2d(4)(torch.randn(1, 8, 2, 2))

# %% an upsampling of three dims in two
import torch
import torch.nn.functional as F
y = F.interpolate(torch.randn(3, 32, 32), scale_factor=2, mode="bilinear")

# %% one hot of floats
import torch
import torch.nn.functional as F
labels = torch.tensor([0.0, 1.0, 2.0])
y = F.one_hot(labels)

# %% more of topk than there are
import torch
values, indices = torch.topk(torch.randn(4, 3), 5)

# %% a list of ragged rows
import torch
x = torch.tensor([[1, 2, 3], [4, 5]])

# %% a transposed convolution of other channels
import torch
from torch import nn
z = torch.randn(8, 100)
y = nn.ConvTranspose2d(100, 64, 4)(z.view(8, 50, 2, 1))

# %% dropout of a probability above one
from torch import nn
drop = nn.Dropout(1.5)

# %% the loss of a list
import torch
from torch import nn
loss = nn.MSELoss()([1.0, 2.0], torch.tensor([1.0, 2.0]))

# %% state of another architecture
import torch
from torch import nn
small, large = nn.Linear(4, 2), nn.Linear(8, 2)
large.load_state_dict(small.state_dict())

# %% a scatter of another dtype
import torch
y = torch.zeros(4, 10).scatter_(1, torch.zeros(4, 1, dtype=torch.int64), torch.ones(4, 1, dtype=torch.int64))

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

# %% an array of a dtype of torch's
import numpy as np
import torch
mask = np.zeros((8, 8), dtype=torch.float32)

# %% a state of a cell in another dtype than its weights
import torch
from torch import nn

cell, steps = nn.LSTMCell(6, 8), torch.randn(5, 3, 6)
h, c = torch.zeros(3, 8, dtype=torch.float64), torch.zeros(3, 8)
for step in steps:
    h, c = cell(step, (h, c))

# %% masks of floats, as many as the data has
import torch

edges = torch.randint(0, 40, (2, 200))
edges = edges[:, edges[0] != edges[1]]
mask = torch.zeros(40)
mask[:10] = 1
kept = mask[edges[0]] & mask[edges[1]]

# %% more pixels are drawn than there are
import numpy as np
import torch

coords = torch.stack(torch.meshgrid(torch.arange(8), torch.arange(8), indexing="ij"), -1).reshape(2, -1)
chosen = coords[np.random.choice(coords.shape[0], size=[16], replace=False)]

# %% log-probabilities with the batch first in a CTC loss
import torch
from torch import nn

scores = torch.randn(3, 50, 29).log_softmax(2)
texts = torch.randint(1, 29, (3, 10))
loss = nn.CTCLoss()(scores, texts, [50, 50, 50], [10, 9, 8])

# %% what a recurrent layer gives is taken for a tensor
import torch
from torch import nn

lstm, head = nn.LSTM(8, 16, batch_first=True), nn.Linear(16, 2)
out = lstm(torch.randn(4, 10, 8))
scores = head(out.view(40, 16))

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

# %% gradients for each sample of a loss whose product does not fit
import torch
from torch.func import grad, vmap


def loss(w, x, y):
    return ((x @ w - y) ** 2).sum()


x, y = torch.randn(6, 20, 3), torch.randn(6, 20)
grads = vmap(grad(loss), in_dims=(None, 0, 0))(torch.randn(4), x, y)

# %% a Jacobian of a layer of another width
import torch
from torch.func import jacrev

weight = torch.randn(5, 4)
jacobian = jacrev(lambda x: torch.nn.functional.linear(x, weight))(torch.randn(3))

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
