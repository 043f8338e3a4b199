"""Diffusion of points in the plane: schedules as tensors, noise that is nothing at the last step, frames kept as arrays."""
import argparse

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=20)
parser.add_argument("--batch", type=int, default=128)
parser.add_argument("--width", type=int, default=48)
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--schedule", choices=["linear", "squared"], default="linear")
args = parser.parse_args()
torch.manual_seed(0)


class Waves(nn.Module):
    def __init__(self, size, scale=1.0):
        super().__init__()
        self.size, self.scale = size, scale

    def forward(self, x):
        half = self.size // 2
        falls = torch.exp(-torch.arange(half) * (torch.log(torch.Tensor([10000.0])) / (half - 1)))
        waves = (x * self.scale).unsqueeze(-1) * falls
        return torch.cat((waves.sin(), waves.cos()), dim=-1)

    def __len__(self):
        return self.size


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.time, self.left, self.right = Waves(32), Waves(32, 25.0), Waves(32, 25.0)
        layers = [nn.Linear(len(self.time) + len(self.left) + len(self.right), width), nn.GELU()]
        for _ in range(2):
            layers += [nn.Linear(width, width), nn.GELU()]
        self.net = nn.Sequential(*layers, nn.Linear(width, 2))

    def forward(self, x, t):
        parts = (self.left(x[:, 0]), self.right(x[:, 1]), self.time(t))
        return self.net(torch.cat(parts, dim=-1))


class Schedule:
    def __init__(self, steps, kind):
        if kind == "linear":
            self.betas = torch.linspace(1e-4, 0.02, steps)
        else:
            self.betas = torch.linspace(1e-4**0.5, 0.02**0.5, steps) ** 2
        self.alphas = 1.0 - self.betas
        self.kept = torch.cumprod(self.alphas, dim=0)
        self.before = F.pad(self.kept[:-1], (1, 0), value=1.0)

    def noisy(self, x, noise, t):
        signal = self.kept[t].sqrt().reshape(-1, 1)
        return signal * x + (1 - self.kept[t]).sqrt().reshape(-1, 1) * noise

    def spread(self, t):
        if t == 0:
            return 0
        spread = self.betas[t] * (1.0 - self.before[t]) / (1.0 - self.kept[t])
        return spread.clip(1e-20)

    def back(self, guess, t, x):
        start = (x - (1 - self.kept[t]).sqrt() * guess) / self.kept[t].sqrt()
        first = self.betas[t] * self.before[t].sqrt() / (1.0 - self.kept[t])
        second = (1.0 - self.before[t]) * self.alphas[t].sqrt() / (1.0 - self.kept[t])
        mean = first * start + second * x
        noise = 0
        if t > 0:
            noise = (self.spread(t) ** 0.5) * torch.randn_like(guess)
        return mean + noise


rng = np.random.default_rng(3)
corners = np.stack((rng.uniform(-2, 2, 1000), rng.uniform(-4, 4, 1000)), axis=1)
loader = DataLoader(TensorDataset(torch.from_numpy(corners.astype(np.float32))), args.batch, shuffle=True, drop_last=True)
net, schedule = Net(args.width), Schedule(args.steps, args.schedule)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
frames, losses = [], []
for epoch in range(args.epochs):
    net.train()
    for (points,) in loader:
        noise = torch.randn(points.shape)
        t = torch.randint(0, args.steps, (points.shape[0],))
        loss = F.mse_loss(net(schedule.noisy(points, noise, t), t), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    net.eval()
    x = torch.randn(64, 2)
    for step in list(range(args.steps))[::-1]:
        t = torch.from_numpy(np.repeat(step, 64)).long()
        with torch.no_grad():
            guess = net(x, t)
        x = schedule.back(guess, t[0], x)
    frames.append(x.numpy())
film = torch.from_numpy(np.stack(frames))
curve = torch.tensor(losses)
