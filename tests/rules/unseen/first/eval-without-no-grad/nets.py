from torch import nn


class Regressor(nn.Module):
    def __init__(self, n_in, hidden=64, p=0.2):
        super().__init__()
        self.l1 = nn.Linear(n_in, hidden)
        self.l2 = nn.Linear(hidden, 1)
        self.act = nn.ReLU()
        self.drop = nn.Dropout(p)

    def forward(self, x):
        return self.l2(self.drop(self.act(self.l1(x))))
