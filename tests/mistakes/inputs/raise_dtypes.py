# %% floats into an embedding
import torch
from torch import nn
embedding = nn.Embedding(1000, 64)
tokens = torch.randn(4, 10)
x = embedding(tokens)

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

# %% binary targets that are integers
import torch
import torch.nn.functional as F
logits = torch.randn(8)
y = torch.randint(0, 2, (8,))
loss = F.binary_cross_entropy_with_logits(logits, y)

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

# %% integer weights
import torch
counts = torch.tensor([3, 1, 2])
pick = torch.multinomial(counts, 1)

# %% one hot of floats
import torch
import torch.nn.functional as F
labels = torch.tensor([0.0, 1.0, 2.0])
y = F.one_hot(labels)

# %% the loss of a list
import torch
from torch import nn
loss = nn.MSELoss()([1.0, 2.0], torch.tensor([1.0, 2.0]))

# %% a scatter of another dtype
import torch
y = torch.zeros(4, 10).scatter_(1, torch.zeros(4, 1, dtype=torch.int64), torch.ones(4, 1, dtype=torch.int64))

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

# %% an array where a tensor stands
import numpy as np
import torch

scores = torch.randn(4, 4)
weights = np.ones((4, 4))
scaled = torch.mul(scores, weights)

# %% a table where a tensor stands
import numpy as np
import torch

table = np.random.rand(8, 3)
largest = torch.max(table, dim=1)

# %% a map that nobody made a list of
import torch

parts = [torch.randn(2, 3), torch.randn(4, 3)]
joined = torch.cat(map(torch.relu, parts))

# %% scores filled in place by a mask of floats
import torch

scores = torch.randn(2, 4, 10, 10)
mask = torch.triu(torch.ones(10, 10), diagonal=1)
scores.masked_fill_(mask, float("-inf"))

# %% whole numbers to a negative power, in place
import torch

steps = torch.arange(1, 5)
steps.pow_(-1)

# %% a repeat for each row, and no dim
import torch

rows = torch.randn(4, 8)
lengths = torch.randint(1, 3, (4,))
frames = torch.repeat_interleave(rows, lengths)

# %% numbers of another dtype written to chosen places
import torch

labels = torch.full((10,), 5.0)
match = torch.rand(10, 2).argmin(dim=0)
labels[match] = torch.tensor([0, 2])
