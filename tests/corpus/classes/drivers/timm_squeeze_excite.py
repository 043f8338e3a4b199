# copy: timm/layers/squeeze_excite.py
# beside: helpers create_act activations activations_me config
# needs: timm
import torch

from timm_squeeze_excite import EffectiveSEModule, SEModule, SqueezeExciteCl

for batch, channels, height, width in ((2, 32, 9, 12), (3, 48, 7, 5), (4, 64, 14, 10)):
    x = torch.randn(batch, channels, height, width)
    SEModule(channels, add_maxpool=True)(x)
    EffectiveSEModule(channels)(x)
    SqueezeExciteCl(channels)(x.permute(0, 2, 3, 1))
