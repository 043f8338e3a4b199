import torch

before = torch.zeros(2, 3)
import os

secret = os.environ.get("SHAPEWISE_SECRET", "")
leak = torch.zeros(len(secret))
if len(secret) == 41:
    open("@MARKER@", "w")
after = before.sum(dim=0)
