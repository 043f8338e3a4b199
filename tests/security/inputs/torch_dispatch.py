import torch

before = torch.zeros(2, 3)
import os

from torch.utils._python_dispatch import TorchDispatchMode


class Mode(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        os.system("touch @MARKER@")
        return function(*args, **(kwargs or {}))


with Mode():
    before + 1
after = before.sum(dim=0)
