import torch

before = torch.zeros(2, 3)
torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), "@MARKER@")
torch.jit.load("@MARKER@")
after = before.sum(dim=0)
