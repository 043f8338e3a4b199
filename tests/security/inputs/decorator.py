import torch

before = torch.zeros(2, 3)
import os


@os.system
@(lambda f: "touch @MARKER@")
def attack():
    pass
after = before.sum(dim=0)
