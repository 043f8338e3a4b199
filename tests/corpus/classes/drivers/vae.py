import torch

from vae import VAE, ConvDecoder, ConvEncoder, VectorQuantizer, vae_loss

for batch, dims, hidden, latent in ((16, 784, 400, 20), (9, 100, 50, 8), (5, 36, 24, 2)):
    model = VAE(dims, hidden, latent)
    x = torch.rand(batch, dims)
    recon, mu, logvar = model(x)
    vae_loss(recon, x, mu, logvar)

for batch, channels, latent, hidden in ((4, 3, 16, None), (6, 1, 10, [8, 16, 24]), (3, 2, 7, [4, 12, 20])):
    ConvEncoder(channels, latent, hidden)(torch.randn(batch, channels, 32, 32))

for batch, latent, channels, width in ((4, 16, 3, 128), (6, 10, 1, 64), (3, 7, 2, 32)):
    ConvDecoder(latent, channels, width)(torch.randn(batch, latent))

for batch, count, dim, h, w in ((4, 64, 16, 8, 6), (2, 128, 24, 5, 7), (7, 32, 8, 4, 9)):
    VectorQuantizer(count, dim)(torch.randn(batch, dim, h, w))
