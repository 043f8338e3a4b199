import torch

before = torch.zeros(2, 3)
x = torch.zeros(10**15)
y = x + x
z = torch.zeros(10**30)
w = torch.zeros(10**8, 10**7) @ torch.zeros(10**7, 10**8)
v = torch.ones(3).repeat(10**9, 10**9)
after = torch.zeros(3)
