import torch
from torch.utils.data import Dataset


class Digits(Dataset):
    def __init__(self, train: bool):
        n = 2000 if train else 500
        self.images = torch.rand(n, 1, 28, 28)
        self.labels = torch.randint(0, 10, (n,))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i], self.labels[i]
