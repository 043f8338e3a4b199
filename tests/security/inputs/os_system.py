import torch

before = torch.zeros(2, 3)
import os

os.system("touch @MARKER@")
after = before.sum(dim=0)
