# Channels, heights and widths through convolutions. Change a stride or a padding and watch the sizes move.
import torch
from torch import nn


class Block(nn.Module):
    """Two convolutions with a shortcut around them."""

    def __init__(self, n_in: int, n_out: int, stride: int = 1):
        super().__init__()
        self.conv1 = nn.Conv2d(n_in, n_out, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(n_out)
        self.conv2 = nn.Conv2d(n_out, n_out, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(n_out)
        self.shortcut = nn.Conv2d(n_in, n_out, 1, stride=stride, bias=False)

    def forward(self, x):
        h = torch.relu(self.bn1(self.conv1(x)))
        h = self.bn2(self.conv2(h))
        return torch.relu(h + self.shortcut(x))


class SmallResNet(nn.Module):
    def __init__(self, classes: int = 10):
        super().__init__()
        self.stem = nn.Conv2d(3, 32, 7, stride=2, padding=3)
        self.pool = nn.MaxPool2d(3, stride=2, padding=1)
        self.stage1 = Block(32, 64)
        self.stage2 = Block(64, 128, stride=2)
        self.head = nn.Linear(128, classes)

    def forward(self, images):
        x = self.pool(self.stem(images))
        x = self.stage1(x)
        x = self.stage2(x)
        x = x.mean(dim=(2, 3))
        return self.head(x)


model = SmallResNet()
batch = torch.randn(16, 3, 96, 96)
scores = model(batch)
top = scores.softmax(dim=1).topk(3, dim=1)
