import torch

before = torch.zeros(2, 3)
import numpy as np

np.memmap("@MARKER@", mode="w+", shape=(3,))
np.lib.format.open_memmap("@MARKER@", mode="w+", shape=(3,))
after = before.sum(dim=0)
