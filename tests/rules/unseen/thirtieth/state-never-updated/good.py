"""Layers with running statistics, pooled heads, and a straight classifier over both."""
import torch
from torch import nn


class Whiten(nn.Module):
    """Scales features by what it has seen."""

    def __init__(self, width, momentum=0.1, eps=1e-5):
        super().__init__()
        self.momentum, self.eps = momentum, eps
        self.register_buffer("center", torch.zeros(width))
        self.register_buffer("spread", torch.ones(width))

    def forward(self, x):
        if self.training:
            with torch.no_grad():
                mean, var = x.mean(0), x.var(0, unbiased=False)
                self.center.lerp_(mean, self.momentum)
                self.spread.lerp_(var, self.momentum)
        return (x - self.center) / (self.spread + self.eps).sqrt()


class Gate(nn.Module):
    """Weighs channels by what each picture holds of them."""

    def __init__(self, channels, ratio=4):
        super().__init__()
        self.weigh = nn.Sequential(nn.Linear(channels, channels // ratio), nn.ReLU(), nn.Linear(channels // ratio, channels), nn.Sigmoid())

    def forward(self, maps):
        pooled = maps.mean(dim=(2, 3))
        gates = self.weigh(pooled)
        return maps * gates[:, :, None, None]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.gate = Gate(8)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.whiten = Whiten(8)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        x = self.gate(torch.relu(self.conv(x)))
        x = self.whiten(self.pool(x).flatten(1))
        return self.head(x).squeeze(1)


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
criterion = nn.BCEWithLogitsLoss()
for _ in range(4):
    x = torch.randn(12, 1, 8, 8)
    y = (x.mean(dim=(1, 2, 3)) > 0).float()
    opt.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    opt.step()
net.eval()
with torch.no_grad():
    print(torch.sigmoid(net(torch.randn(3, 1, 8, 8))))
