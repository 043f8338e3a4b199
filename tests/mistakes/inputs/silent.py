# %% a regression whose error is taken by hand
import torch
from torch import nn


class Regressor(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(features, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 1))

    def forward(self, x):
        return self.layers(x)


model = Regressor(8)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
X, y = torch.randn(256, 8), torch.randn(256)
for epoch in range(3):
    optimizer.zero_grad()
    prediction = model(X)
    loss = torch.sqrt(((prediction - y) ** 2).mean())  # <-
    loss.backward()
    optimizer.step()

# %% an accuracy over one hundred percent
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.randn(320, 20), torch.randint(0, 2, (320,))), batch_size=32)
model = nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
model.eval()

correct, total = 0, 0
with torch.no_grad():
    for inputs, labels in loader:
        predicted = (model(inputs) > 0.5).long()
        correct += (predicted == labels).sum().item()  # <-
        total += labels.size(0)
print(f"accuracy {100 * correct / total:.1f}%")

# %% a target of Q values with a column
import copy

import torch
import torch.nn.functional as F
from torch import nn

GAMMA = 0.99
policy = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
target = copy.deepcopy(policy)
optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)

states, next_states = torch.randn(128, 4), torch.randn(128, 4)
actions = torch.randint(0, 2, (128, 1))
rewards, dones = torch.randn(128), torch.zeros(128)

q = policy(states).gather(1, actions)
with torch.no_grad():
    best = target(next_states).max(1).values
    expected = rewards + GAMMA * best * (1 - dones)
loss = F.smooth_l1_loss(q, expected)  # <-
optimizer.zero_grad()
loss.backward()
optimizer.step()

# %% advantages of each step against all
import torch
from torch import nn


class ActorCritic(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 64), nn.Tanh())
        self.actor = nn.Linear(64, actions)
        self.critic = nn.Linear(64, 1)

    def forward(self, x):
        h = self.body(x)
        return torch.distributions.Categorical(logits=self.actor(h)), self.critic(h)


net = ActorCritic(4, 2)
observations, rewards = torch.randn(200, 4), torch.rand(200)
returns, running = [], 0.0
for reward in reversed(rewards.tolist()):
    running = reward + 0.99 * running
    returns.insert(0, running)
returns = torch.tensor(returns)
policy, values = net(observations)
actions = policy.sample()
advantage = returns - values  # <-
actor_loss = -(policy.log_prob(actions) * advantage.detach()).mean()
critic_loss = advantage.pow(2).mean()
(actor_loss + 0.5 * critic_loss).backward()

# %% weights of samples on losses with a column
import torch
from torch import nn

model = nn.Linear(10, 1)
criterion = nn.BCEWithLogitsLoss(reduction="none")
x, y = torch.randn(64, 10), torch.randint(0, 2, (64, 1)).float()
counts = torch.tensor([50.0, 14.0])
weights = 1.0 / counts[y.long().squeeze(1)]
losses = criterion(model(x), y)
loss = (losses * weights).mean()  # <-
loss.backward()

# %% rows of a similarity by sums of the columns
import torch
import torch.nn.functional as F
from torch import nn


class Affinity(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.project = nn.Linear(dim, dim)

    def forward(self, nodes):
        z = F.normalize(self.project(nodes), dim=-1)
        similarity = torch.exp(z @ z.T / 0.1)
        return similarity / similarity.sum(dim=1)  # <-


affinity = Affinity(32)
transition = affinity(torch.randn(50, 32))
steps = transition @ transition

# %% a contrastive loss over the wrong dim
import torch
from torch import nn


class CLIPLoss(nn.Module):
    def forward(self, image, text, scale):
        logits = scale * image @ text.T
        labels = torch.arange(len(image))
        probs = logits.softmax(dim=0)
        return -probs[labels, labels].log().mean()


image, text = torch.randn(32, 64), torch.randn(32, 64)
classify = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
logits = classify(image)
probs = torch.softmax(logits, dim=0)  # <-
predicted = probs.argmax(dim=1)

# %% the loss of a matrix factorisation with a bias
import torch
from torch import nn


class MF(nn.Module):
    def __init__(self, users, items, dim=16):
        super().__init__()
        self.user, self.item = nn.Embedding(users, dim), nn.Embedding(items, dim)
        self.user_bias, self.item_bias = nn.Embedding(users, 1), nn.Embedding(items, 1)

    def forward(self, u, i):
        dot = (self.user(u) * self.item(i)).sum(1)
        return dot + self.user_bias(u) + self.item_bias(i)  # <-


model = MF(1000, 500)
users, items = torch.randint(0, 1000, (256,)), torch.randint(0, 500, (256,))
ratings = torch.rand(256) * 5
loss = nn.functional.mse_loss(model(users, items).mean(1), ratings)
loss.backward()

# %% images of channels last that are viewed and not turned
import numpy as np
import torch
from torch import nn

pictures = np.random.randint(0, 256, (16, 32, 48, 3)).astype("uint8")
batch = torch.from_numpy(pictures).float() / 255
batch = batch.view(16, 3, 32, 48)  # <-
net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
features = net(batch)

# %% a sequence of batches in a recurrent layer that wants time first
import torch
from torch import nn


class Forecaster(nn.Module):
    def __init__(self, features, hidden=32):
        super().__init__()
        self.lstm = nn.LSTM(features, hidden, num_layers=2)  # <-
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.head(out[:, -1])


windows, targets = torch.randn(64, 24, 5), torch.randn(64, 1)
model = Forecaster(5)
loss = nn.functional.mse_loss(model(windows), targets)
loss.backward()

# %% an accuracy against a column of labels
import torch
import torch.nn as nn

net = nn.Linear(12, 4)
x, y = torch.randn(30, 12), torch.randint(0, 4, (30, 1))
out = net(x)
pred = out.argmax(dim=1)
correct = (pred == y).sum().item()  # <-
print(f"accuracy {100 * correct / len(y):.1f}%")

# %% square images of channels last, reshaped
import numpy as np
import torch
import torch.nn as nn

images = np.random.rand(16, 32, 32, 3).astype('float32')
x = torch.from_numpy(images).reshape(16, 3, 32, 32)  # <-
net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10))
print(net(x).argmax(dim=1))

# %% squared norms along the same dim twice
import torch
def pdist(e):
    square = e.pow(2).sum(dim=1)
    prod = e @ e.t()
    return (square + square.unsqueeze(0) - 2 * prod).clamp(min=1e-12).sqrt()  # <-
d = pdist(torch.randn(8, 4))
