import torch

before = torch.zeros(2, 3)
torch.save(torch.zeros(2), "@MARKER@")
after = before.sum(dim=0)
