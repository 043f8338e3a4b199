import torch

before = torch.zeros(2, 3)
import math

math.factorial(10**9)
math.comb(10**9, 10**8)
pow(3, 10**10)
after = before.sum(dim=0)
