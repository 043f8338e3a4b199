import torch

before = torch.zeros(2, 3)
def f(n):
    return f(n + 1)


f(0)
after = before.sum(dim=0)
