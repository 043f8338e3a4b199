import torch

from vision_transformers import (
    ConvNeXtBlock,
    LayerNorm2d,
    MixerBlock,
    PatchMerging,
    VisionTransformer,
    WindowAttention,
    window_partition,
    window_reverse,
)

for batch, image, patch, channels, classes, dim, depth, heads in ((2, 32, 8, 3, 10, 48, 2, 4), (3, 60, 12, 1, 7, 36, 1, 3), (5, 40, 10, 4, 21, 64, 3, 8)):
    VisionTransformer(image, patch, channels, classes, dim, depth, heads)(torch.randn(batch, channels, image, image))

for batch, patches, dim, tokens, hidden in ((2, 16, 32, 24, 64), (4, 25, 20, 12, 50), (3, 9, 48, 30, 72)):
    MixerBlock(patches, dim, tokens, hidden)(torch.randn(batch, patches, dim))

for batch, dim, h, w in ((2, 16, 9, 12), (3, 24, 14, 8), (4, 10, 7, 11)):
    x = torch.randn(batch, dim, h, w)
    ConvNeXtBlock(dim)(x)
    LayerNorm2d(dim)(x)

for batch, h, w, dim, window, heads in ((2, 8, 12, 32, 4, 4), (3, 12, 18, 24, 6, 3), (1, 10, 20, 40, 5, 2)):
    x = torch.randn(batch, h, w, dim)
    windows = window_partition(x, window).view(-1, window * window, dim)
    count = (h // window) * (w // window)
    attention = WindowAttention(dim, (window, window), heads)
    out = attention(windows, torch.zeros(count, window * window, window * window))
    window_reverse(out.view(-1, window, window, dim), window, h, w)
    PatchMerging(dim)(x)
