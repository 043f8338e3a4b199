"""A small radiance field: points and views in one tensor, positions encoded by a closure."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def encoder(freqs, dim=3):
    bands = 2.0 ** torch.linspace(0.0, freqs - 1, steps=freqs)

    def encode(x):
        parts = [x]
        for band in bands:
            parts += [torch.sin(x * band), torch.cos(x * band)]
        return torch.cat(parts, dim=-1)

    return encode, dim * (1 + 2 * freqs)


class Field(nn.Module):
    def __init__(self, depth=8, width=256, in_points=3, in_views=3, skips=(4,)):
        super().__init__()
        self.in_points = in_points
        self.in_views = in_views
        self.skips = skips
        self.points = nn.ModuleList(
            [nn.Linear(in_points, width)]
            + [nn.Linear(width + (in_points if i in skips else 0), width) for i in range(depth - 1)]
        )
        self.density = nn.Linear(width, 1)
        self.color = nn.Linear(width + in_views, 3)

    def forward(self, x):
        points, views = torch.split(x, [self.in_points, self.in_views], dim=-1)
        h = points
        for i, layer in enumerate(self.points):
            h = F.relu(layer(h))
            if i in self.skips:
                h = torch.cat([points, h], dim=-1)
        density = self.density(h)
        rgb = torch.sigmoid(self.color(torch.cat([h, views], dim=-1)))
        return torch.cat([rgb, density], dim=-1)


def composite(raw, z_vals, dirs):
    dists = z_vals[..., 1:] - z_vals[..., :-1]
    dists = torch.cat([dists, torch.full_like(dists[..., :1], 1e10)], dim=-1)
    dists = dists * dirs.norm(dim=-1, keepdim=True)
    alpha = 1.0 - torch.exp(-F.relu(raw[..., 3]) * dists)
    through = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1.0 - alpha + 1e-10], dim=-1), dim=-1)[:, :-1]
    weights = alpha * through
    rgb = (weights[..., None] * raw[..., :3]).sum(-2)
    depth = (weights * z_vals).sum(-1)
    return rgb, depth, weights
