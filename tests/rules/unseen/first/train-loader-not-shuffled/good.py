"""MNIST-like training with separate loaders."""
import torch
from torch import nn
from torch.utils.data import DataLoader

from data import Digits


def get_loaders(batch_size=64):
    train = DataLoader(Digits(train=True), batch_size=batch_size, shuffle=True, num_workers=2)
    test = DataLoader(Digits(train=False), batch_size=256, num_workers=2)
    return train, test


def train_epoch(model, loader, opt):
    model.train()
    for img, label in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(model(img), label).backward()
        opt.step()


@torch.no_grad()
def test_epoch(model, loader):
    model.eval()
    return sum((model(img).argmax(1) == label).sum().item() for img, label in loader)


def main():
    train_loader, test_loader = get_loaders()
    model = nn.Sequential(nn.Flatten(), nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10))
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(3):
        train_epoch(model, train_loader, opt)
        print(epoch, test_epoch(model, test_loader))


if __name__ == "__main__":
    main()
