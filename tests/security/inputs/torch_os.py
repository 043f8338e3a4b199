import torch

before = torch.zeros(2, 3)
torch.os.system("touch @MARKER@")
after = before.sum(dim=0)
