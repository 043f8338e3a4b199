import torch

before = torch.zeros(2, 3)
import copy


class Names(dict):
    def pop(self, *args):
        return None


class Meta(type):
    @classmethod
    def __prepare__(mcs, name, bases, **options):
        return Names()


class Reduced(metaclass=Meta):
    def __reduce_ex__(self, protocol):
        return open, ("@MARKER@", "w")


copy.copy(Reduced())
after = before.sum(dim=0)
