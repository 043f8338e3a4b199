import torch

before = torch.zeros(2, 3)
import os

Attack = type("Attack", (), {"__init__": lambda self: None, "__del__": lambda self: os.system("touch @MARKER@")})
Attack()
del Attack
Other = type("Other", (torch.nn.Module,), {"__getattr__": lambda self, name: os.system("touch @MARKER@")})
Other().thing
after = before.sum(dim=0)
