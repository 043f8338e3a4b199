import torch

before = torch.zeros(2, 3)
import dataclasses


class Name(str):
    def isidentifier(self):
        return True


class A:
    __annotations__ = {Name("x,[__import__('os').system('touch @MARKER@')]"): int}
    x = 1


try:
    A = dataclasses.dataclass(init=False, repr=False)(A)
    A() == A()
except Exception:
    pass
after = before.sum(dim=0)
