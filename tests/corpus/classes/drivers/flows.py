import torch

from flows import ActNorm, AffineCoupling, Invertible1x1Conv, PlanarFlow, SplitCoupling, gaussian_log_prob, squeeze2d

for batch, dim, hidden, cond in ((8, 6, 20, 3), (5, 10, 32, 4), (12, 4, 15, 7)):
    z, _ = PlanarFlow(dim)(torch.randn(batch, dim))
    coupling = AffineCoupling(dim, hidden, torch.arange(dim) % 2, cond)
    z, _ = coupling(z, torch.randn(batch, cond))
    coupling(z, torch.randn(batch, cond), mode="inverse")
    z, _ = ActNorm(dim)(z)
    z, _ = SplitCoupling(dim, hidden)(z)
    gaussian_log_prob(z)

for batch, channels, height, width in ((2, 3, 8, 12), (4, 5, 6, 10), (3, 7, 16, 4)):
    x = torch.randn(batch, channels, height, width)
    Invertible1x1Conv(channels)(x)
    squeeze2d(x)
