import torch

before = torch.zeros(2, 3)
torch.hub.load("@FOLDER@", "entry", source="local")
after = before.sum(dim=0)
