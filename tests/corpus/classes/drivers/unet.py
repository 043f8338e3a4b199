import torch

from unet import AttentionGate, UNet, Up

for batch, channels, classes, h, w, both, base in ((2, 3, 5, 64, 48, False, 8), (1, 1, 2, 72, 40, True, 16), (3, 4, 7, 32, 56, False, 12)):
    UNet(channels, classes, bilinear=both, base=base)(torch.randn(batch, channels, h, w))

for batch, cin, cout, h, w in ((2, 16, 10, 9, 7), (3, 24, 8, 6, 11), (1, 12, 20, 8, 5)):
    Up(cin, cout, bilinear=False)(torch.randn(batch, cin, h, w), torch.randn(batch, cin // 2, 2 * h + 1, 2 * w))

for batch, g, l, inner, h, w in ((2, 16, 8, 6, 10, 12), (3, 12, 20, 10, 7, 9), (4, 5, 7, 3, 14, 16)):
    AttentionGate(g, l, inner)(torch.randn(batch, g, h, w), torch.randn(batch, l, h, w))
