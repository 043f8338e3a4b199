import torch

before = torch.zeros(2, 3)
x = torch.cat([torch.zeros(10)] * 10**6)
y = torch.stack((before,) * 10**6)
after = torch.zeros(3)
