import torch

before = torch.zeros(2, 3)
import os

from torch.utils.data import DataLoader, Dataset


class Attack(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        os.system("touch @MARKER@")
        return torch.zeros(2)


for batch in DataLoader(Attack(), batch_size=2, num_workers=0):
    pass
after = before.sum(dim=0)
