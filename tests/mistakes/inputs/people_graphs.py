# %% weights updated by hand
import torch

torch.manual_seed(0)
w = torch.randn(3, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
X = torch.randn(100, 3)
y = X @ torch.tensor([[1.0], [2.0], [3.0]]) + 0.5
lr = 0.1
for epoch in range(20):
    y_hat = X @ w + b
    loss = ((y_hat - y) ** 2).mean()
    loss.backward()
    w -= lr * w.grad
    b -= lr * b.grad
    w.grad.zero_()
    b.grad.zero_()
print(w, b)

# %% a hidden state carried from batch to batch
import torch
import torch.nn as nn


class CharRNN(nn.Module):
    def __init__(self, n_tokens, n_hidden):
        super().__init__()
        self.emb = nn.Embedding(n_tokens, n_hidden)
        self.rnn = nn.GRU(n_hidden, n_hidden, batch_first=True)
        self.out = nn.Linear(n_hidden, n_tokens)

    def forward(self, x, h):
        y, h = self.rnn(self.emb(x), h)
        return self.out(y), h

    def init_hidden(self, batch_size):
        return torch.zeros(1, batch_size, 64)

net = CharRNN(80, 64)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
data = torch.randint(0, 80, (8, 101))
hidden = net.init_hidden(8)
for i in range(0, 100, 25):
    x, y = data[:, i:i + 25], data[:, i + 1:i + 26]
    opt.zero_grad()
    output, hidden = net(x, hidden)
    loss = criterion(output.reshape(-1, 80), y.reshape(-1))
    loss.backward()
    opt.step()

# %% a generator trained through the discriminator's graph
import torch
import torch.nn as nn

latent = 16
G = nn.Sequential(nn.Linear(latent, 64), nn.ReLU(), nn.Linear(64, 2))
D = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1), nn.Sigmoid())
criterion = nn.BCELoss()
d_opt = torch.optim.Adam(D.parameters(), lr=2e-4)
g_opt = torch.optim.Adam(G.parameters(), lr=2e-4)

for step in range(3):
    real = torch.randn(32, 2) + 3
    noise = torch.randn(32, latent)
    fake = G(noise)
    d_opt.zero_grad()
    real_loss = criterion(D(real), torch.ones(32, 1))
    fake_loss = criterion(D(fake), torch.zeros(32, 1))
    d_loss = real_loss + fake_loss
    d_loss.backward()
    d_opt.step()
    g_opt.zero_grad()
    g_loss = criterion(D(fake), torch.ones(32, 1))
    g_loss.backward()
    g_opt.step()

# %% layers in a plain list
import torch
import torch.nn as nn


class MLP(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = [nn.Linear(i, o) for i, o in zip(sizes[:-1], sizes[1:])]

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return self.layers[-1](x)

model = MLP([8, 32, 32, 2])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(64, 8), torch.randn(64, 2)
for _ in range(10):
    loss = (model(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% weights that are no parameters
import torch
import torch.nn as nn


class LinearRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.randn(1, requires_grad=True)
        self.b = torch.randn(1, requires_grad=True)

    def forward(self, x):
        return x * self.w + self.b

model = LinearRegression()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.linspace(0, 1, 50)
for _ in range(10):
    optimizer.zero_grad()
    loss = (model(x) - 3 * x).square().mean()
    loss.backward()
    optimizer.step()

# %% a model that is frozen as a whole
import torch
import torch.nn as nn

backbone = nn.Sequential(nn.Linear(30, 60), nn.ReLU())
head = nn.Linear(60, 3)
model = nn.Sequential(backbone, head)
for p in model.parameters():
    p.requires_grad = False
opt = torch.optim.SGD(head.parameters(), lr=0.01)
x, y = torch.randn(9, 30), torch.randint(0, 3, (9,))
loss = nn.functional.cross_entropy(model(x), y)
loss.backward()
opt.step()

# %% losses kept with their graphs and averaged
import numpy as np
import torch
import torch.nn as nn

model = nn.Linear(6, 3)
x, y = torch.randn(40, 6), torch.randint(0, 3, (40,))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for epoch in range(3):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss)
print(np.mean(losses))
