"""News classifier."""
import torch
from torch import nn

from config import Settings


class NewsNet(nn.Module):
    def __init__(self, cfg: Settings):
        super().__init__()
        self.emb = nn.Embedding(cfg.vocab, cfg.dim)
        self.conv = nn.Conv1d(cfg.dim, cfg.width, kernel_size=5, padding=2)
        self.drop = nn.Dropout(0.9)
        self.fc = nn.Linear(cfg.width, cfg.classes)

    def forward(self, ids):
        x = self.emb(ids).transpose(1, 2)
        x = torch.relu(self.conv(x)).amax(dim=2)
        return self.fc(self.drop(x))


def train(cfg: Settings):
    model = NewsNet(cfg)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    model.train()
    for _ in range(cfg.steps):
        ids = torch.randint(0, cfg.vocab, (16, 60))
        y = torch.randint(0, cfg.classes, (16,))
        loss = nn.functional.cross_entropy(model(ids), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    train(Settings())
