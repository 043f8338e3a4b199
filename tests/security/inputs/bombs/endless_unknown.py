import torch

before = torch.zeros(2, 3)
x = torch.randn(3)
while x.sum() != 3:
    x = x * 2
after = before.sum(dim=0)
