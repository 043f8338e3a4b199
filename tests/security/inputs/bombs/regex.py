import torch

before = torch.zeros(2, 3)
import re

re.match(r'(a+)+$', 'a' * 60 + 'b')
after = before.sum(dim=0)
