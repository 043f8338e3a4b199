import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass
class Config:
    dim: int = 64
    heads: int = 4
    kv_heads: int = 2
    context: int = 128
    eps: float = 1e-6

    @property
    def head_dim(self) -> int:
        return self.dim // self.heads


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        rms = torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + self.eps)
        return (x.float() * rms).type_as(x) * self.weight


def rope(dim: int, length: int, theta: float = 10000.0) -> tuple[Tensor, Tensor]:
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2).float() / dim))
    angles = torch.outer(torch.arange(length).float(), freqs)
    return angles.cos(), angles.sin()


def apply_rope(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    x1, x2 = x[..., ::2], x[..., 1::2]
    rotated = torch.stack((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1)
    return rotated.flatten(-2)


class Attention(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.config = config
        self.wq = nn.Linear(config.dim, config.heads * config.head_dim, bias=False)
        self.wk = nn.Linear(config.dim, config.kv_heads * config.head_dim, bias=False)
        self.wv = nn.Linear(config.dim, config.kv_heads * config.head_dim, bias=False)
        self.wo = nn.Linear(config.heads * config.head_dim, config.dim, bias=False)
        cos, sin = rope(config.head_dim, config.context)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        c = self.config
        q = self.wq(x).view(b, t, c.heads, c.head_dim).transpose(1, 2)
        k = self.wk(x).view(b, t, c.kv_heads, c.head_dim).transpose(1, 2)
        v = self.wv(x).view(b, t, c.kv_heads, c.head_dim).transpose(1, 2)
        q, k = (apply_rope(p, self.cos[:t], self.sin[:t]) for p in (q, k))
        groups = c.heads // c.kv_heads
        k = k.repeat_interleave(groups, dim=1)
        v = v[:, :, None].expand(-1, -1, groups, -1, -1).reshape(b, c.heads, t, c.head_dim)
        scores = q @ k.mT / math.sqrt(c.head_dim)
        mask = torch.full((t, t), float("-inf")).triu(1)
        weights = F.softmax(scores + mask, dim=-1)
        y = (weights @ v).transpose(1, 2).reshape(b, t, -1)
        return self.wo(y)


config = Config()
norm = RMSNorm(config.dim, config.eps)
attention = Attention(config)
x = torch.randn(2, 10, config.dim)
y = x + attention(norm(x))
half = norm(x.half())
flash = F.scaled_dot_product_attention(torch.randn(2, 4, 10, 16), torch.randn(2, 4, 10, 16), torch.randn(2, 4, 10, 16), is_causal=True)
