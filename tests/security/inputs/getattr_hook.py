import torch

before = torch.zeros(2, 3)
import os


class Attack:
    def __getattr__(self, name):
        return os.system

    def __repr__(self):
        os.system("touch @MARKER@")
        return ""

    __str__ = __hash__ = __len__ = __repr__


Attack().anything("touch @MARKER@")
print(Attack())
repr(Attack())
after = before.sum(dim=0)
