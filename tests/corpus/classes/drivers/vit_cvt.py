# copy: vit_pytorch/cvt.py
# needs: vit-pytorch einops
import torch

from vit_cvt import Attention, CvT, FeedForward, LayerNorm

for batch, dim, h, w, heads, head in ((2, 16, 8, 12, 2, 10), (3, 24, 14, 6, 3, 8), (4, 20, 10, 16, 4, 12)):
    x = torch.randn(batch, dim, h, w)
    LayerNorm(dim)(x)
    FeedForward(dim, mult=3)(x)
    Attention(dim, proj_kernel=3, kv_proj_stride=2, heads=heads, dim_head=head)(x)

for batch, size, classes in ((2, 64, 10), (3, 96, 7), (1, 128, 33)):
    CvT(num_classes=classes, s1_emb_dim=16, s2_emb_dim=24, s3_emb_dim=32, s3_depth=2)(torch.randn(batch, 3, size, size))
