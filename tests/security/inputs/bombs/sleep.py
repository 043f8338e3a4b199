import torch

before = torch.zeros(2, 3)
import time

time.sleep(10**6)
after = before.sum(dim=0)
