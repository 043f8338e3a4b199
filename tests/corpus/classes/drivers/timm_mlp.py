# copy: timm/layers/mlp.py
# beside: helpers grn
# needs: timm
import torch

from timm_mlp import ConvMlp, GatedMlp, GlobalResponseNormMlp, GluMlp, Mlp, SwiGLU

for batch, tokens, dim, hidden, out in ((2, 17, 32, 64, 40), (4, 9, 24, 48, 30), (3, 25, 16, 80, 10)):
    x = torch.randn(batch, tokens, dim)
    Mlp(dim, hidden, out)(x)
    GluMlp(dim, hidden, out)(x)
    SwiGLU(dim, hidden, out)(x)

for batch, height, width, dim, hidden in ((2, 7, 9, 32, 64), (3, 5, 6, 24, 40), (4, 8, 4, 16, 72)):
    x = torch.randn(batch, dim, height, width)
    ConvMlp(dim, hidden)(x)
    GlobalResponseNormMlp(dim, hidden, use_conv=True)(x)
    GatedMlp(dim, hidden)(x.permute(0, 2, 3, 1))
