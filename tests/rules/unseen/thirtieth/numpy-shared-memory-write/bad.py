"""Tabular regression from arrays, cleaned and shuffled in numpy."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def load(rows=200, columns=7, seed=0):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(rows, columns)).astype(np.float32)
    goal = (table @ rng.normal(size=columns).astype(np.float32)).astype(np.float32)
    return table, goal


def shuffled(table, goal, rng):
    order = rng.permutation(len(table))
    return table[order], goal[order]


def standardise(values, mean, std):
    values -= mean  # BAD: numpy-shared-memory-write
    values /= std
    return values


class Regressor(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(columns, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.layers(x).squeeze(-1)


def run(epochs=3):
    rng = np.random.default_rng(1)
    table, goal = shuffled(*load(), rng)
    cut = int(0.8 * len(table))
    raw = torch.from_numpy(table)
    mean, std = table[:cut].mean(0), table[:cut].std(0)
    table = standardise(table, mean, std)
    print("raw range", raw.min().item(), raw.max().item())
    train = TensorDataset(torch.from_numpy(table[:cut]), torch.from_numpy(goal[:cut]))
    test = TensorDataset(torch.from_numpy(table[cut:]), torch.from_numpy(goal[cut:]))
    net = Regressor(table.shape[1])
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(epochs):
        for x, y in DataLoader(train, batch_size=32, shuffle=True):
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
    error = weight = 0.0
    with torch.no_grad():
        for x, y in DataLoader(test, batch_size=64):
            error += nn.functional.l1_loss(net(x), y, reduction="sum").item()
            weight += len(y)
    return error / weight


print(run())
