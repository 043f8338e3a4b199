import torch

from diffusion_unet import DenoisingUNet, GaussianDiffusion, timestep_embedding

for batch, channels, h, w, dim, mults, steps in ((2, 3, 16, 24, 16, (1, 2), 100), (3, 1, 20, 12, 8, (2, 3), 50), (4, 4, 8, 28, 12, (1, 3), 77)):
    GaussianDiffusion(DenoisingUNet(channels, dim, mults), timesteps=steps)(torch.randn(batch, channels, h, w))

for batch, channels, h, w, dim, classes in ((2, 3, 16, 12, 16, 10), (5, 1, 8, 20, 8, 7), (3, 2, 24, 4, 24, 13)):
    net = DenoisingUNet(channels, dim, num_classes=classes)
    net(torch.randn(batch, channels, h, w), torch.randint(0, 30, (batch,)), torch.randint(0, classes, (batch,)))

for batch, dim in ((4, 32), (7, 21), (2, 50)):
    timestep_embedding(torch.arange(batch), dim)
