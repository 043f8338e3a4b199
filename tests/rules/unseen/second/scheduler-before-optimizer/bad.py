"""Speech command classifier."""
import torch
from torch import nn
from torch.optim import SGD
from torch.optim.lr_scheduler import ExponentialLR

from speech import Commands, make_loader


class Net(nn.Module):
    def __init__(self, n=10):
        super().__init__()
        self.c1 = nn.Conv1d(1, 16, 9, stride=4)
        self.c2 = nn.Conv1d(16, 32, 9, stride=4)
        self.fc = nn.Linear(32, n)

    def forward(self, wav):
        h = torch.relu(self.c2(torch.relu(self.c1(wav))))
        return self.fc(h.mean(dim=2))


def main(epochs=3):
    loader = make_loader(Commands(), 16)
    model = Net()
    optimizer = SGD(model.parameters(), lr=0.05)
    scheduler = ExponentialLR(optimizer, gamma=0.999)
    for _ in range(epochs):
        for wav, label in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(wav), label)
            loss.backward()
            scheduler.step()
            optimizer.step()


if __name__ == "__main__":
    main()
