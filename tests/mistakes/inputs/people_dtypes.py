# %% a replay buffer of arrays
import random
from collections import deque

import numpy as np
import torch
from torch import nn

buffer = deque(maxlen=1000)
for _ in range(200):
    state = np.random.rand(4).astype(np.float32)
    buffer.append((state, random.randrange(2), 1.0, np.random.rand(4).astype(np.float32)))

q_net = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
batch = random.sample(buffer, 32)
states, actions, rewards, next_states = zip(*batch)
states = torch.stack(states)
q = q_net(states).gather(1, torch.tensor(actions).unsqueeze(1))

# %% a data set of doubles
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Houses(Dataset):
    def __init__(self, n=500):
        rng = np.random.RandomState(0)
        self.features = rng.normal(size=(n, 13))
        self.prices = rng.uniform(5, 50, size=(n, 1))

    def __len__(self):
        return len(self.features)

    def __getitem__(self, i):
        return torch.from_numpy(self.features[i]), torch.from_numpy(self.prices[i])


model = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters())
for x, y in DataLoader(Houses(), batch_size=50, shuffle=True):
    pred = model(x)
    loss = nn.functional.mse_loss(pred, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% a model in half precision and images that are not
import torch
from torch import nn

backbone = nn.Sequential(nn.Conv2d(3, 32, 3, stride=2), nn.BatchNorm2d(32), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
model = nn.Sequential(backbone, nn.Flatten(), nn.Linear(32, 10))
model = model.half().eval()

images = torch.rand(4, 3, 224, 224)
with torch.no_grad():
    logits = model(images)
    probs = logits.softmax(dim=1)

# %% one minus a mask of truth values
import torch
from torch import nn


def masked_loss(pred, target, lengths):
    steps = torch.arange(pred.size(1)).unsqueeze(0)
    padding = steps >= lengths.unsqueeze(1)
    losses = nn.functional.cross_entropy(pred.transpose(1, 2), target, reduction="none")
    keep = 1 - padding
    return (losses * keep).sum() / keep.sum()


logits = torch.randn(4, 10, 50, requires_grad=True)
labels = torch.randint(0, 50, (4, 10))
loss = masked_loss(logits, labels, torch.tensor([10, 7, 3, 5]))
loss.backward()

# %% frequencies of a position that is an integer
import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        position *= div_term
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = torch.sin(position)
        pe[:, 1::2] = torch.cos(position)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return x + self.pe[:, : x.size(1)]


encode = PositionalEncoding(512)
y = encode(torch.randn(2, 30, 512))

# %% indices that are floats
import torch


def sample_patches(features, count):
    n = features.size(0)
    chosen = torch.rand(count) * n
    chosen = chosen.floor()
    return features[chosen]


features = torch.randn(1024, 256)
patches = sample_patches(features, 64)
normed = patches / patches.norm(dim=1, keepdim=True)

# %% a checkpoint of another head
import torch
import torch.nn as nn


class Classifier(nn.Module):
    def __init__(self, num_classes=10):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
        self.fc = nn.Linear(16, num_classes)

    def forward(self, x):
        return self.fc(self.features(x).flatten(1))

pretrained = Classifier(num_classes=100)
model = Classifier(num_classes=10)
state = pretrained.state_dict()
model.load_state_dict(state)
out = model(torch.randn(2, 3, 32, 32))

# %% log-probabilities in a list
import torch
import torch.nn as nn
from torch.distributions import Categorical

policy = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2), nn.Softmax(dim=-1))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
log_probs, rewards = [], []
state = torch.randn(4)
for t in range(10):
    m = Categorical(policy(state))
    action = m.sample()
    log_probs.append(m.log_prob(action))
    rewards.append(1.0)
    state = torch.randn(4)
R, returns = 0, []
for r in rewards[::-1]:
    R = r + 0.99 * R
    returns.insert(0, R)
returns = torch.tensor(returns)
loss = -(log_probs * returns).sum()
optimizer.zero_grad()
loss.backward()
optimizer.step()

# %% half of a width that is a fraction
import torch
import torch.nn.functional as F

img = torch.rand(1, 3, 65, 65)
half = img.shape[-1] / 2
left = img[:, :, :, :half]
small = F.interpolate(left, scale_factor=0.5)

# %% users and items out of a table of floats
import torch
import torch.nn as nn


class Recommender(nn.Module):
    def __init__(self, n_users, n_items, k=20):
        super().__init__()
        self.users = nn.Embedding(n_users, k)
        self.items = nn.Embedding(n_items, k)

    def forward(self, u, i):
        return (self.users(u) * self.items(i)).sum(1)

ratings = torch.tensor([[0, 3, 4.0], [1, 2, 3.5], [2, 0, 1.0], [1, 1, 5.0]])
u, i, r = ratings[:, 0], ratings[:, 1], ratings[:, 2]
model = Recommender(3, 4)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
loss = nn.functional.mse_loss(model(u, i), r)
loss.backward()
opt.step()
