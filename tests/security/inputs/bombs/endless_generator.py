import torch

before = torch.zeros(2, 3)
def g():
    while True:
        yield 1


x = list(g())
import itertools

y = list(itertools.count())
z = list(itertools.product(range(10**5), repeat=9))
after = before.sum(dim=0)
