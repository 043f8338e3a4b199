# copy: siren_pytorch/siren_pytorch.py
# needs: siren-pytorch einops
import torch

from siren import Modulator, Siren, SirenNet, SirenWrapper

for batch, inputs, hidden, out, layers in ((10, 2, 24, 3, 2), (7, 3, 16, 1, 3), (15, 4, 20, 5, 2)):
    x = torch.randn(batch, inputs)
    Siren(inputs, out)(x)
    SirenNet(inputs, hidden, out, layers)(x)
    Modulator(inputs, hidden, layers)(torch.randn(inputs))

for height, width, latent, hidden in ((12, 10, 16, 24), (9, 14, 20, 12), (8, 11, 30, 18)):
    net = SirenNet(2, hidden, 3, 2)
    SirenWrapper(net, image_width=width, image_height=height, latent_dim=latent)(latent=torch.randn(latent))
