# copy: torchvision/ops/misc.py
# needs: torchvision
import torch

from torchvision_misc import MLP, Conv2dNormActivation, FrozenBatchNorm2d, Permute, SqueezeExcitation

for batch, channels, squeeze, out, h, w in ((2, 16, 4, 24, 8, 10), (3, 20, 6, 9, 7, 5), (5, 12, 3, 18, 14, 6)):
    x = torch.randn(batch, channels, h, w)
    SqueezeExcitation(channels, squeeze)(x)
    FrozenBatchNorm2d(channels)(x)
    Permute([0, 2, 3, 1])(x)
    Conv2dNormActivation(channels, out, stride=2)(x)
    MLP(channels, [out, squeeze])(torch.randn(batch, channels))
