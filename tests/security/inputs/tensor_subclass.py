import torch

before = torch.zeros(2, 3)
import os


class Attack(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        os.system("touch @MARKER@")
        return super().__torch_function__(func, types, args, kwargs or {})


x = torch.zeros(2).as_subclass(Attack)
y = x + 1
after = before.sum(dim=0)
