import torch

before = torch.zeros(2, 3)
import operator

x = list(map('x'.ljust, [10**10]))
y = list(map(bytes, [10**12]))
z = operator.lshift(1, 10**11)
w = operator.mod('%0999999999d', 1)
after = torch.zeros(3)
