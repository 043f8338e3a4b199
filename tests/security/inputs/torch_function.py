import torch

before = torch.zeros(2, 3)
import os


class Wrapped:
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        os.system("touch @MARKER@")
        for name in ("__globals__", "__self__", "__wrapped__"):
            getattr(function, name, {})
        return before


torch.add(Wrapped(), 1)
torch.nn.functional.linear(Wrapped(), Wrapped())
after = before.sum(dim=0)
