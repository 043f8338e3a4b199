# copy: vit_pytorch/mobile_vit.py
# needs: vit-pytorch einops
import torch

from mobile_vit import Attention, FeedForward, MobileViTBlock, MV2Block

for batch, dim, tokens, patches, heads, head in ((2, 16, 9, 4, 2, 10), (3, 24, 6, 5, 3, 8), (4, 20, 12, 7, 4, 6)):
    x = torch.randn(batch, patches, tokens, dim)
    Attention(dim, heads, head)(x)
    FeedForward(dim, dim * 3)(x)

for batch, cin, cout, h, w, stride in ((2, 8, 12, 16, 12, 2), (3, 10, 10, 14, 18, 1), (4, 6, 9, 20, 10, 2)):
    MV2Block(cin, cout, stride, 3)(torch.randn(batch, cin, h, w))

for batch, dim, channels, h, w in ((2, 16, 8, 8, 12), (3, 24, 10, 6, 10), (4, 20, 6, 14, 4)):
    MobileViTBlock(dim, 2, channels, 3, (2, 2), dim * 2)(torch.randn(batch, channels, h, w))
