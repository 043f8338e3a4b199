import torch

before = torch.zeros(2, 3)
x = torch.arange(10**12)
y = torch.ones(10**6, 10**6) @ torch.ones(10**6, 10**6)
z = torch.linspace(0, 1, 10**13)
after = before.sum(dim=0)
