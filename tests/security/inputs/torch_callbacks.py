import torch

before = torch.zeros(2, 3)
import os


def evil(x, *rest):
    os.system("touch @MARKER@")
    return x * 2


torch.func.vmap(evil)(before)
torch.autograd.functional.jacobian(evil, torch.ones(2))
torch.utils.checkpoint.checkpoint(evil, before, use_reentrant=False)
torch.compile(evil, backend=lambda graph, inputs: evil)
torch.ones(2).apply_(evil)
after = before.sum(dim=0)
