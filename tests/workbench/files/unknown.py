import torch
from nowhere import change

batch = torch.randn(2, 3)
changed = change(batch)
