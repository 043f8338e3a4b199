import torch

before = torch.zeros(2, 3)
x = torch.zeros(1)
while True:
    x = torch.cat([x, x])
after = before.sum(dim=0)
