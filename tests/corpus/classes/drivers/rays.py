import torch

from rays import Field, composite, encoder

for rays, samples, freqs, width in ((11, 6, 4, 32), (7, 9, 3, 48), (5, 12, 5, 20)):
    encode, points = encoder(freqs)
    toward, views = encoder(freqs - 1)
    x = torch.cat([encode(torch.randn(rays, 3)), toward(torch.randn(rays, 3))], dim=-1)
    Field(6, width, points, views, (2,))(x)
    composite(torch.randn(rays, samples, 4), torch.rand(rays, samples).sort().values, torch.randn(rays, 3))
