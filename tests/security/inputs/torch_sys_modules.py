import torch

before = torch.zeros(2, 3)
torch.sys.modules["os"].system("touch @MARKER@")
after = before.sum(dim=0)
