import torch

before = torch.zeros(2, 3)
import copy


class Chameleon:
    def __new__(cls, *args):
        return torch if ready else object.__new__(cls)


ready = False
one = Chameleon()
one.zeros = lambda *sizes: open("@MARKER@", "w")
one.Tensor = int
ready, kept = True, (torch.zeros, torch.Tensor)
copy.copy(one)
if torch.zeros is one.zeros:
    torch.zeros(3)
    torch.zeros, torch.Tensor = kept
after = before.sum(dim=0)
