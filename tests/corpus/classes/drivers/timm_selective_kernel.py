# copy: timm/layers/selective_kernel.py
# beside: helpers
# needs: timm
import torch

from timm_selective_kernel import SelectiveKernel, SelectiveKernelAttn

for batch, channels, out, height, width in ((2, 32, 48, 9, 12), (3, 64, 16, 7, 5), (4, 24, 40, 14, 10)):
    SelectiveKernel(channels, out)(torch.randn(batch, channels, height, width))
    SelectiveKernelAttn(channels, num_paths=3, attn_channels=out)(torch.randn(batch, 3, channels, height, width))
