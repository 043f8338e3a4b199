"""Results that fake tensors lay out otherwise than real ones, and losses that look at their numbers."""

import copy
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

# layouts
x = torch.randn(2, 6, 3)
bn = nn.BatchNorm1d(3)
a = bn(x.transpose(1, 2))
b = nn.BatchNorm2d(3)(torch.randn(2, 4, 5, 3).permute(0, 3, 1, 2))
c = nn.BatchNorm2d(5)(torch.randn(2, 4, 5, 3).permute(0, 2, 3, 1))
d = bn(torch.randn(3, 2).T.contiguous().T if False else torch.randn(4, 3))
e = nn.GaussianNLLLoss()(x, x, torch.ones(2, 6, 3))
f = F.gaussian_nll_loss(x, x, torch.ones(2, 6), reduction="none")
g = F.gaussian_nll_loss(x, x, torch.ones(2, 6, 1))
h = nn.InstanceNorm1d(3)(x.transpose(1, 2))
i = x // 2
j = x / 2
k = x.T if x.dim() == 2 else x.mT / 2
l = torch.tensor_split(x, torch.tensor([2, 4]), dim=1)
m = x.tensor_split(3, 1)
bn.eval()
n = bn(x.transpose(1, 2))
o = nn.BatchNorm3d(2)(torch.randn(3, 2, 4, 5, 6))
p = nn.SyncBatchNorm(3)

# classes are filled in, and parts of complex numbers written
classes = torch.nn.functional.one_hot(torch.zeros(2, 3, 4, dtype=torch.int64).permute(2, 0, 1), 5)
weight = torch.zeros(3, requires_grad=True)
both = torch.zeros(3, dtype=torch.complex64)
both.real, both.imag = weight, weight
moved = both + 1

channels = torch.nn.Conv2d(3, 8, 3)
channels.to(memory_format=torch.channels_last)
kernel = channels.weight
seen = channels(torch.randn(2, 3, 8, 8))
