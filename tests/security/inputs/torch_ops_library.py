import torch

before = torch.zeros(2, 3)
torch.ops.load_library("@FOLDER@/evil.so")
torch.classes.load_library("@FOLDER@/evil.so")
open("@MARKER@", "w")
after = before.sum(dim=0)
