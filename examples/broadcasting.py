# Line 10 runs, and is wrong: each row is divided by the sum of another. Line 21 does not run at all.
import torch

torch.manual_seed(0)

# Shares out of counts. The matrix is square, so torch cannot know which sum was meant.
visits = torch.rand(27, 27)
counts = visits * 100
row_sums = counts.sum(dim=1)
wrong = counts / row_sums
right = counts / counts.sum(dim=1, keepdim=True)

# Dims are matched from the right: equal, or 1, or not there.
images = torch.rand(8, 3, 32, 32)
mean = torch.tensor([0.485, 0.456, 0.406])
std = torch.tensor([0.229, 0.224, 0.225])
centred = images - mean.view(3, 1, 1)
scaled = centred / std[:, None, None]
gray = scaled.mean(dim=1)
weights = torch.rand(8, 3)
mixed = scaled * weights
