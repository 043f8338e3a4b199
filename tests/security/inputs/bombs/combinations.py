"""More ways to choose than a number can be written for in any time."""

import torch

before = torch.zeros(2, 3)
torch.combinations(torch.arange(10**6), 5 * 10**5)
torch.combinations(torch.arange(10**6), r=10**9, with_replacement=True)
after = torch.zeros(3)
