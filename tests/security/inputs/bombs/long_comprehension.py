import torch

before = torch.zeros(2, 3)
x = [i for i in range(10**12)]
y = {i: i for i in range(10**12)}
after = before.sum(dim=0)
