import torch

before = torch.zeros(2, 3)
layers = torch.nn.ModuleList([torch.nn.Linear(4096, 4096) for _ in range(10**6)])
after = before.sum(dim=0)
