import torch

before = torch.zeros(2, 3)
s = "a" * 10**12
after = before.sum(dim=0)
