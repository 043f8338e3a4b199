import torch

before = torch.zeros(2, 3)
s = '{:1000000000000}'.format(1)
t = f'{1:>1000000000000}'
u = '%1000000000000d' % 1
after = before.sum(dim=0)
