import torch

before = torch.zeros(2, 3)
from collections import namedtuple

namedtuple("x", "a")
try:
    namedtuple("x", ["a", "b=open('@MARKER@', 'w')"])
except ValueError:
    open("@MARKER@", "w")
after = before.sum(dim=0)
