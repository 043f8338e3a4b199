import torch

before = torch.zeros(2, 3)
def numbers():
    yield 1


numbers().gi_frame.f_builtins["open"]("@MARKER@", "w")
after = before.sum(dim=0)
