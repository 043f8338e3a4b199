"""A denoising U-Net with time embeddings, and the noise schedule."""
import math

import torch
from torch import nn
import torch.nn.functional as F


def timestep_embedding(timesteps, dim, max_period=10000):
    half = dim // 2
    freqs = torch.exp(-math.log(max_period) * torch.arange(start=0, end=half, dtype=torch.float32) / half).to(device=timesteps.device)
    args = timesteps[:, None].float() * freqs[None]
    embedding = torch.cat([torch.cos(args), torch.sin(args)], dim=-1)
    if dim % 2:
        embedding = torch.cat([embedding, torch.zeros_like(embedding[:, :1])], dim=-1)
    return embedding


def extract(a, t, x_shape):
    batch_size = t.shape[0]
    out = a.gather(-1, t)
    return out.reshape(batch_size, *((1,) * (len(x_shape) - 1)))


class SinusoidalPosEmb(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        device = x.device
        half_dim = self.dim // 2
        emb = math.log(10000) / (half_dim - 1)
        emb = torch.exp(torch.arange(half_dim, device=device) * -emb)
        emb = x[:, None] * emb[None, :]
        emb = torch.cat((emb.sin(), emb.cos()), dim=-1)
        return emb


class ResidualBlock(nn.Module):
    def __init__(self, in_c, out_c, time_dim, groups=4):
        super().__init__()
        self.norm1 = nn.GroupNorm(groups, in_c)
        self.conv1 = nn.Conv2d(in_c, out_c, 3, padding=1)
        self.time_mlp = nn.Linear(time_dim, out_c * 2)
        self.norm2 = nn.GroupNorm(groups, out_c)
        self.conv2 = nn.Conv2d(out_c, out_c, 3, padding=1)
        self.shortcut = nn.Conv2d(in_c, out_c, 1) if in_c != out_c else nn.Identity()

    def forward(self, x, t):
        h = self.conv1(F.silu(self.norm1(x)))
        scale, shift = self.time_mlp(F.silu(t))[:, :, None, None].chunk(2, dim=1)
        h = self.norm2(h) * (1 + scale) + shift
        h = self.conv2(F.silu(h))
        return h + self.shortcut(x)


class AttentionBlock(nn.Module):
    def __init__(self, channels, num_heads=1):
        super().__init__()
        self.num_heads = num_heads
        self.norm = nn.GroupNorm(4, channels)
        self.qkv = nn.Conv1d(channels, channels * 3, 1)
        self.proj_out = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        b, c, *spatial = x.shape
        x = x.reshape(b, c, -1)
        qkv = self.qkv(self.norm(x))
        bs, width, length = qkv.shape
        ch = width // (3 * self.num_heads)
        q, k, v = qkv.reshape(bs * self.num_heads, ch * 3, length).split(ch, dim=1)
        scale = 1 / math.sqrt(math.sqrt(ch))
        weight = torch.einsum("bct,bcs->bts", q * scale, k * scale)
        weight = torch.softmax(weight.float(), dim=-1).type(weight.dtype)
        h = torch.einsum("bts,bcs->bct", weight, v).reshape(bs, -1, length)
        h = self.proj_out(h)
        return (x + h).reshape(b, c, *spatial)


class Downsample(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.op = nn.Conv2d(channels, channels, 3, stride=2, padding=1)

    def forward(self, x):
        return self.op(x)


class Upsample(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        x = F.interpolate(x, scale_factor=2, mode="nearest")
        x = self.conv(x)
        return x


class DenoisingUNet(nn.Module):
    def __init__(self, in_channels=3, dim=32, dim_mults=(1, 2), num_classes=None):
        super().__init__()
        time_dim = dim * 4
        self.init_conv = nn.Conv2d(in_channels, dim, 7, padding=3)
        self.time_mlp = nn.Sequential(SinusoidalPosEmb(dim), nn.Linear(dim, time_dim), nn.GELU(), nn.Linear(time_dim, time_dim))
        if num_classes is not None:
            self.label_emb = nn.Embedding(num_classes, time_dim)
        dims = [dim, *[dim * m for m in dim_mults]]
        self.downs = nn.ModuleList([])
        self.ups = nn.ModuleList([])
        for dim_in, dim_out in zip(dims[:-1], dims[1:]):
            self.downs.append(nn.ModuleList([ResidualBlock(dim_in, dim_out, time_dim), Downsample(dim_out)]))
        self.mid = ResidualBlock(dims[-1], dims[-1], time_dim)
        self.mid_attn = AttentionBlock(dims[-1])
        for dim_in, dim_out in reversed(list(zip(dims[:-1], dims[1:]))):
            self.ups.append(nn.ModuleList([Upsample(dim_out), ResidualBlock(dim_out * 2, dim_in, time_dim)]))
        self.final_conv = nn.Conv2d(dim, in_channels, 1)

    def forward(self, x, time, y=None):
        x = self.init_conv(x)
        t = self.time_mlp(time)
        if y is not None:
            t = t + self.label_emb(y)
        skips = []
        for block, down in self.downs:
            x = block(x, t)
            skips.append(x)
            x = down(x)
        x = self.mid(x, t)
        x = self.mid_attn(x)
        for up, block in self.ups:
            x = up(x)
            x = torch.cat((x, skips.pop()), dim=1)
            x = block(x, t)
        return self.final_conv(x)


class GaussianDiffusion(nn.Module):
    def __init__(self, model, timesteps=1000, beta_start=1e-4, beta_end=0.02):
        super().__init__()
        self.model = model
        self.timesteps = timesteps
        betas = torch.linspace(beta_start, beta_end, timesteps)
        alphas = 1.0 - betas
        alphas_cumprod = torch.cumprod(alphas, dim=0)
        alphas_cumprod_prev = F.pad(alphas_cumprod[:-1], (1, 0), value=1.0)
        self.register_buffer("betas", betas)
        self.register_buffer("sqrt_alphas_cumprod", torch.sqrt(alphas_cumprod))
        self.register_buffer("sqrt_one_minus_alphas_cumprod", torch.sqrt(1.0 - alphas_cumprod))
        self.register_buffer("posterior_variance", betas * (1.0 - alphas_cumprod_prev) / (1.0 - alphas_cumprod))

    def q_sample(self, x_start, t, noise):
        mean = extract(self.sqrt_alphas_cumprod, t, x_start.shape) * x_start
        std = extract(self.sqrt_one_minus_alphas_cumprod, t, x_start.shape)
        return mean + std * noise

    def forward(self, x_start):
        b = x_start.shape[0]
        t = torch.randint(0, self.timesteps, (b,), device=x_start.device).long()
        noise = torch.randn_like(x_start)
        x_noisy = self.q_sample(x_start, t, noise)
        predicted = self.model(x_noisy, t)
        loss = F.mse_loss(noise, predicted)
        return loss
