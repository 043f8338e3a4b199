import torch

from gan import AdaIN, ConditionalGenerator, Discriminator, Generator, MappingNetwork, MinibatchDiscrimination, gradient_penalty

for batch, nz, ngf, ndf, nc in ((4, 20, 8, 10, 3), (3, 32, 6, 5, 1), (7, 13, 12, 9, 2)):
    generator, critic = Generator(nz, ngf, nc), Discriminator(nc, ndf)
    fake = generator(torch.randn(batch, nz, 1, 1))
    critic(fake)
    gradient_penalty(critic, torch.randn(batch, nc, 16, 16), fake.detach())

for batch, latent, classes, shape in ((4, 30, 10, (1, 14, 12)), (6, 100, 7, (3, 8, 8)), (5, 16, 12, (2, 9, 11))):
    ConditionalGenerator(latent, classes, shape)(torch.randn(batch, latent), torch.randint(0, classes, (batch,)))

for batch, features, out, kernel in ((4, 20, 6, 5), (7, 16, 10, 3), (3, 32, 8, 9)):
    MinibatchDiscrimination(features, out, kernel)(torch.randn(batch, features))

for batch, z, w, channels, height, width in ((4, 32, 20, 12, 8, 10), (3, 16, 48, 6, 5, 7), (5, 24, 40, 9, 11, 6)):
    style = MappingNetwork(z, w)(torch.randn(batch, z))
    AdaIN(channels, w)(torch.randn(batch, channels, height, width), style)
