import torch

before = torch.zeros(2, 3)
import evil

evil.run()
after = before.sum(dim=0)
