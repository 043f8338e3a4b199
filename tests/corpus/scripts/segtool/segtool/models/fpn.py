import torch
from torch import nn
from torch.nn import functional as F

from .blocks import ResBlock, conv_bn
from .registry import register


@register("fpn")
class FPN(nn.Module):
    def __init__(self, in_channels: int, classes: int, width: int = 16, levels: int = 3):
        super().__init__()
        chans = [width * 2 ** i for i in range(levels)]
        self.stem = conv_bn(in_channels, width)
        stages, prev = [], width
        for c in chans:
            stages.append(ResBlock(prev, c, s=2))
            prev = c
        self.stages = nn.ModuleList(stages)
        self.lateral = nn.ModuleList([nn.Conv2d(c, width, 1) for c in chans])
        self.smooth = nn.ModuleList([conv_bn(width, width) for _ in chans])
        self.head = nn.Conv2d(width * levels, classes, 1)

    def encode(self, x):
        feats = []
        x = self.stem(x)
        for stage in self.stages:
            x = stage(x)
            feats.append(x)
        return feats

    def forward(self, x):
        size = x.shape[-2:]
        feats = self.encode(x)
        top = None
        outs = []
        for feat, lat, smooth in zip(feats[::-1], self.lateral[::-1], self.smooth[::-1]):
            p = lat(feat)
            if top is not None:
                p = p + F.interpolate(top, size=p.shape[-2:], mode="nearest")
            top = p
            outs.append(F.interpolate(smooth(p), size=size, mode="bilinear", align_corners=False))
        fused = torch.cat(outs, dim=1)
        return self.head(fused)
