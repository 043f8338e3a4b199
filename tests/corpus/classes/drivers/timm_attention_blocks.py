# copy: timm/layers/cbam.py
# beside: helpers create_act activations activations_me config
# needs: timm
import torch

from timm_attention_blocks import CbamModule, ChannelAttn, LightCbamModule, SpatialAttn

for batch, channels, height, width in ((2, 32, 9, 12), (3, 48, 7, 5), (4, 64, 14, 10)):
    x = torch.randn(batch, channels, height, width)
    ChannelAttn(channels)(x)
    SpatialAttn()(x)
    CbamModule(channels)(x)
    LightCbamModule(channels)(x)
