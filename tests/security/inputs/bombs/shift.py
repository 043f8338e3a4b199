import torch

before = torch.zeros(2, 3)
n = 1 << (1 << 40)
after = before.sum(dim=0)
