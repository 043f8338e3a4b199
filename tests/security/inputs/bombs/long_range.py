import torch

before = torch.zeros(2, 3)
x = list(range(10**12))
y = tuple(range(10**12))
z = sum(range(10**12))
after = before.sum(dim=0)
