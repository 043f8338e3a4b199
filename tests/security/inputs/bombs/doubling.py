import torch

before = torch.zeros(2, 3)
s = 'a'
for i in range(200):
    s = s + s
x = []
for i in range(100):
    x = [x, x]
print(x)
after = before.sum(dim=0)
