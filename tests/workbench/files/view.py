import torch

batch = torch.randn(2, 3, 4)
heads = batch.transpose(0, 1)
flat = heads.view(6, 4)
total = flat.sum(dim=1)
