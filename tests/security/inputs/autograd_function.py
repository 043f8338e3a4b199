import torch

before = torch.zeros(2, 3)
import os


class Evil(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        os.system("touch @MARKER@")
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        os.system("touch @MARKER@")
        return grad


Evil.apply(torch.ones(3, requires_grad=True)).sum().backward()
after = before.sum(dim=0)
