import torch

before = torch.zeros(2, 3)
help()
license()
breakpoint()
name = input("? ")
print(name, file=open("/dev/null"))
after = before.sum(dim=0)
