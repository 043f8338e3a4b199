import torch

before = torch.zeros(2, 3)
t = 0
for i in range(10**4):
    for j in range(10**4):
        for k in range(10**4):
            t += 1
after = before.sum(dim=0)
