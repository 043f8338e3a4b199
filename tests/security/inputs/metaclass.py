import torch

before = torch.zeros(2, 3)
import os


class Meta(type):
    def __new__(mcls, name, bases, namespace):
        os.system("touch @MARKER@")
        return super().__new__(mcls, name, bases, namespace)

    def __prepare__(name, bases):
        os.system("touch @MARKER@")
        return {}


class Attack(metaclass=Meta):
    pass
after = before.sum(dim=0)
