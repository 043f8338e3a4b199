import torch

before = torch.zeros(2, 3)
import importlib

importlib.import_module("evil")
__import__("evil")
after = before.sum(dim=0)
