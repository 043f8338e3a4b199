import torch

before = torch.zeros(2, 3)
def f():
    pass


def g():
    return open("@MARKER@", "w")


f.__code__ = g.__code__
f()
type(f)(g.__code__, {"open": open})()
after = before.sum(dim=0)
