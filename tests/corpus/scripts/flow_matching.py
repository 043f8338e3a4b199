import torch
from torch import nn, Tensor
from dataclasses import dataclass
import math


class Flow(nn.Module):
    def __init__(self, dim: int = 2, h: int = 64):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(dim + 1, h), nn.ELU(),
            nn.Linear(h, h), nn.ELU(),
            nn.Linear(h, h), nn.ELU(),
            nn.Linear(h, dim))

    def forward(self, t: Tensor, x_t: Tensor) -> Tensor:
        return self.net(torch.cat((t, x_t), -1))

    def step(self, x_t: Tensor, t_start: Tensor, t_end: Tensor) -> Tensor:
        t_start = t_start.view(1, 1).expand(x_t.shape[0], 1)
        mid = x_t + self(t=t_start, x_t=x_t) * (t_end - t_start) / 2
        return x_t + (t_end - t_start) * self(t=t_start + (t_end - t_start) / 2, x_t=mid)


class FourierFeatures(nn.Module):
    def __init__(self, n, scale=1.0):
        super().__init__()
        assert n % 2 == 0
        self.register_buffer('w', torch.randn(n // 2) * scale)

    def forward(self, t):
        f = 2 * math.pi * t[:, None] * self.w[None, :]
        return torch.cat([f.cos(), f.sin()], dim=-1)


class AdaLN(nn.Module):
    def __init__(self, dim, cond):
        super().__init__()
        self.norm = nn.LayerNorm(dim, elementwise_affine=False)
        self.mod = nn.Sequential(nn.SiLU(), nn.Linear(cond, 6 * dim))

    def forward(self, x, c):
        shift1, scale1, gate1, shift2, scale2, gate2 = self.mod(c)[:, None].chunk(6, dim=-1)
        return (self.norm(x) * (1 + scale1) + shift1, gate1), (shift2, scale2, gate2)


class DiTBlock(nn.Module):
    def __init__(self, dim, heads, cond):
        super().__init__()
        self.ada = AdaLN(dim, cond)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.norm2 = nn.LayerNorm(dim, elementwise_affine=False)
        self.ff = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(approximate='tanh'), nn.Linear(4 * dim, dim))

    def forward(self, x, c):
        (h, gate1), (shift2, scale2, gate2) = self.ada(x, c)
        a, _ = self.attn(h, h, h, need_weights=False)
        x = x + gate1 * a
        h = self.norm2(x) * (1 + scale2) + shift2
        return x + gate2 * self.ff(h)


@dataclass
class DiTConfig:
    size: int = 16
    patch: int = 4
    channels: int = 1
    dim: int = 48
    depth: int = 2
    heads: int = 4
    classes: int = 5


class DiT(nn.Module):
    def __init__(self, cfg: DiTConfig):
        super().__init__()
        self.cfg = cfg
        self.n = cfg.size // cfg.patch
        self.patchify = nn.Conv2d(cfg.channels, cfg.dim, cfg.patch, cfg.patch)
        self.pos = nn.Parameter(torch.randn(1, self.n ** 2, cfg.dim) * 0.02)
        self.time = nn.Sequential(FourierFeatures(32), nn.Linear(32, cfg.dim))
        self.label = nn.Embedding(cfg.classes + 1, cfg.dim)
        self.blocks = nn.ModuleList([DiTBlock(cfg.dim, cfg.heads, cfg.dim) for _ in range(cfg.depth)])
        self.out = nn.Linear(cfg.dim, cfg.patch ** 2 * cfg.channels)

    def unpatchify(self, x):
        B, p, c = x.size(0), self.cfg.patch, self.cfg.channels
        x = x.view(B, self.n, self.n, p, p, c)
        x = torch.einsum('nhwpqc->nchpwq', x)
        return x.reshape(B, c, self.n * p, self.n * p)

    def forward(self, x, t, y):
        tokens = self.patchify(x).flatten(2).transpose(1, 2) + self.pos
        cond = self.time(t) + self.label(y)
        for block in self.blocks:
            tokens = block(tokens, cond)
        return self.unpatchify(self.out(tokens))


torch.manual_seed(0)
flow = Flow()
opt = torch.optim.Adam(flow.parameters(), 1e-2)
for _ in range(4):
    x_1 = torch.randn(128, 2) * torch.tensor([1.0, 0.2]) + 1
    x_0 = torch.randn_like(x_1)
    t = torch.rand(len(x_1), 1)
    x_t = (1 - t) * x_0 + t * x_1
    dx_t = x_1 - x_0
    opt.zero_grad()
    loss = nn.MSELoss()(flow(t=t, x_t=x_t), dx_t)
    loss.backward()
    opt.step()
x = torch.randn(50, 2)
n_steps = 4
time_steps = torch.linspace(0, 1.0, n_steps + 1)
trajectory = [x]
for i in range(n_steps):
    x = flow.step(x_t=x, t_start=time_steps[i], t_end=time_steps[i + 1])
    trajectory.append(x)
path = torch.stack(trajectory).detach()

cfg = DiTConfig()
dit = DiT(cfg)
opt = torch.optim.AdamW(dit.parameters(), lr=1e-3)
for _ in range(2):
    img = torch.rand(6, cfg.channels, cfg.size, cfg.size) * 2 - 1
    y = torch.randint(0, cfg.classes, (6,))
    drop = torch.rand(6) < 0.1
    y = torch.where(drop, torch.full_like(y, cfg.classes), y)
    t = torch.sigmoid(torch.randn(6))
    noise = torch.randn_like(img)
    tb = t.view(-1, *([1] * (img.dim() - 1)))
    zt = (1 - tb) * img + tb * noise
    v = dit(zt, t, y)
    mse = ((noise - img - v) ** 2).flatten(1).mean(1)
    loss = mse.mean()
    opt.zero_grad(); loss.backward(); opt.step()


@torch.no_grad()
def sample(model, labels, steps=3, guidance=2.0):
    z = torch.randn(len(labels), cfg.channels, cfg.size, cfg.size)
    null = torch.full_like(labels, cfg.classes)
    dt = 1.0 / steps
    for i in range(steps, 0, -1):
        t = torch.full((len(labels),), i / steps)
        vc = model(z, t, labels)
        vu = model(z, t, null)
        v = vu + guidance * (vc - vu)
        z = z - dt * v
    return z.clamp(-1, 1)


imgs = sample(dit, torch.arange(cfg.classes))
grid = imgs.permute(1, 2, 0, 3).reshape(cfg.channels, cfg.size, -1)
print(path.shape, loss.item(), grid.shape)
