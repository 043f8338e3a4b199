import torch

before = torch.zeros(2, 3)
x = torch.zeros(10**7, 10**7)
y = x + 1
z = torch.zeros(10**18)
after = before.sum(dim=0)
