import torch

before = torch.zeros(2, 3)
x = []
x.append(x)
a, b = [], []
a.append(b)
b.append(a)
str(x), repr(x), x == x, a == b, [*x], f'{x}'
import json

json.dumps(x)
after = torch.zeros(3)
