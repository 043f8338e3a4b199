"""What torch lays out as a whole before it refuses it."""

import torch
import torch.nn.functional as F

before = torch.zeros(2, 3)
kernels = torch.zeros(64, 3, 3, 3)
for n in range(1, 9):
    F.conv2d(torch.zeros(n, 3, 4000, 4000, dtype=torch.int64), kernels)
    F.conv_transpose2d(torch.zeros(n, 64, 1000, 1000, dtype=torch.int64), kernels)
after = torch.zeros(3)
