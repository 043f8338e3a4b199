import torch

before = torch.zeros(2, 3)
import sys

sys.path.insert(0, "@FOLDER@")
import evil
after = before.sum(dim=0)
