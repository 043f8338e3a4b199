# copy: vit_pytorch/vit.py
# needs: vit-pytorch einops
import torch

from vit_attention import Attention, FeedForward, Transformer, ViT

for batch, tokens, dim, heads, head, mlp in ((2, 9, 32, 4, 8, 64), (3, 14, 24, 3, 10, 50), (5, 6, 48, 2, 20, 90)):
    x = torch.randn(batch, tokens, dim)
    Attention(dim, heads=heads, dim_head=head)(x)
    FeedForward(dim, mlp)(x)
    Transformer(dim, 2, heads, head, mlp)(x)

for batch, image, patch, classes, dim, heads in ((2, 32, 8, 10, 48, 4), (4, 30, 6, 7, 20, 2), (3, 40, 10, 21, 36, 3)):
    ViT(image_size=image, patch_size=patch, num_classes=classes, dim=dim, depth=1, heads=heads, mlp_dim=dim * 3)(torch.randn(batch, 3, image, image))
