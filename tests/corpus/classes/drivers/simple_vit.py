# copy: vit_pytorch/simple_vit.py
# needs: vit-pytorch einops
import torch

from simple_vit import SimpleViT

for batch, image, patch, classes, dim, heads, mlp in ((2, 32, 8, 10, 64, 4, 128), (3, 48, 12, 5, 32, 2, 80), (5, 40, 10, 100, 48, 3, 96)):
    net = SimpleViT(image_size=image, patch_size=patch, num_classes=classes, dim=dim, depth=2, heads=heads, mlp_dim=mlp, dim_head=dim // heads)
    net(torch.randn(batch, 3, image, image))
