import torch

before = torch.zeros(2, 3)
import os

from torch import library


@library.custom_op("shapewise_evil::run", mutates_args=())
def run(x: torch.Tensor) -> torch.Tensor:
    os.system("touch @MARKER@")
    return x.clone()


run(before)
torch.ops.shapewise_evil.run(before)
after = before.sum(dim=0)
