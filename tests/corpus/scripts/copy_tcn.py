"""The copying task for causal convolutions: batches are cut by hand, accuracy is a tensor that a number became."""
import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.nn.utils import weight_norm

parser = argparse.ArgumentParser()
parser.add_argument("--optim", default="RMSprop")
parser.add_argument("--levels", type=int, default=3)
parser.add_argument("--width", type=int, default=10)
parser.add_argument("--blank", type=int, default=40)
parser.add_argument("--keep", type=int, default=6)
args = parser.parse_args()
torch.manual_seed(2)


class Cut(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def forward(self, x):
        return x[:, :, : -self.size].contiguous()


class Causal(nn.Module):
    def __init__(self, ins, outs, kernel, dilation):
        super().__init__()
        pad = (kernel - 1) * dilation
        self.first = weight_norm(nn.Conv1d(ins, outs, kernel, padding=pad, dilation=dilation))
        self.second = weight_norm(nn.Conv1d(outs, outs, kernel, padding=pad, dilation=dilation))
        self.net = nn.Sequential(self.first, Cut(pad), nn.ReLU(), self.second, Cut(pad), nn.ReLU())
        self.skip = nn.Conv1d(ins, outs, 1) if ins != outs else None

    def forward(self, x):
        kept = x if self.skip is None else self.skip(x)
        return torch.relu(self.net(x) + kept)


class Copier(nn.Module):
    def __init__(self, widths, classes, kernel=5):
        super().__init__()
        layers = []
        for level, width in enumerate(widths):
            ins = 1 if level == 0 else widths[level - 1]
            layers += [Causal(ins, width, kernel, 2**level)]
        self.net = nn.Sequential(*layers)
        self.out = nn.Linear(widths[-1], classes)

    def forward(self, x):
        return self.out(self.net(x).transpose(1, 2))


def task(count):
    digits = torch.from_numpy(np.random.randint(1, 9, size=(count, args.keep))).float()
    blank = torch.zeros((count, args.blank))
    x = torch.cat((digits, blank[:, :-1], 9 * torch.ones((count, args.keep + 1))), 1)
    y = torch.cat((torch.zeros((count, args.keep)), blank, digits), 1).long()
    return x, y


train_x, train_y = task(100)
model = Copier([args.width] * args.levels, 10)
optimizer = getattr(optim, args.optim)(model.parameters(), lr=5e-4)
criterion = nn.CrossEntropyLoss()
for epoch in range(2):
    right, seen, total = 0, 0, 0.0
    for start in range(0, len(train_x), 32):
        x, y = train_x[start : start + 32], train_y[start : start + 32]
        optimizer.zero_grad()
        out = model(x.unsqueeze(1).contiguous())
        loss = criterion(out.view(-1, 10), y.view(-1))
        best = out.view(-1, 10).data.max(1, keepdim=True)[1]
        right += best.eq(y.view_as(best)).sum()
        seen += best.size(0)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item()
    share = 100.0 * right / seen
