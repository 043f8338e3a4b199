import torch

before = torch.zeros(2, 3)
torch.save.__builtins__["open"]("@MARKER@", "w")
after = before.sum(dim=0)
