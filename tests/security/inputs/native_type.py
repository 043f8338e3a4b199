import torch

before = torch.zeros(2, 3)
import copy


class Plain:
    pass


def reduce(self, protocol):
    return open, ("@MARKER@", "w")


for made in map(type, ["Made"], [(Plain,)], [{"__reduce_ex__": reduce}]):
    copy.copy(made())
after = before.sum(dim=0)
