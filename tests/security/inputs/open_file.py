import torch

before = torch.zeros(2, 3)
open("@MARKER@", "w").write("x")
after = before.sum(dim=0)
