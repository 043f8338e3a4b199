import torch

before = torch.zeros(2, 3)
torch.save.__globals__["os"].system("touch @MARKER@")
after = before.sum(dim=0)
