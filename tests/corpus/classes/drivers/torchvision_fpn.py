# copy: torchvision/ops/feature_pyramid_network.py
# needs: torchvision
from collections import OrderedDict

import torch

from torchvision_fpn import FeaturePyramidNetwork, LastLevelMaxPool, LastLevelP6P7

for batch, channels, out, h, w in ((2, [8, 16, 24], 12, 16, 20), (1, [6, 10, 14], 9, 24, 12), (3, [5, 7, 20], 16, 8, 28)):
    maps = OrderedDict((f"p{i}", torch.randn(batch, c, h // 2**i, w // 2**i)) for i, c in enumerate(channels))
    FeaturePyramidNetwork(channels, out)(maps)
    FeaturePyramidNetwork(channels, out, LastLevelMaxPool())(maps)
    FeaturePyramidNetwork(channels, out, LastLevelP6P7(out, out))(maps)
