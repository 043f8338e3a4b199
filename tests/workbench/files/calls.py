import torch


def double(x):
    y = x * 2
    return y.relu()


few = double(torch.zeros(2, 3))
many = double(torch.zeros(5, 3))
