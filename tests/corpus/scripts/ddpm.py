import math
from functools import partial
import torch
from torch import nn, einsum
import torch.nn.functional as F

def exists(x): return x is not None
def default(val, d):
    if exists(val):
        return val
    return d() if callable(d) else d
def extract(a, t, x_shape):
    b, *_ = t.shape
    out = a.gather(-1, t)
    return out.reshape(b, *((1,) * (len(x_shape) - 1)))
def cosine_beta_schedule(timesteps, s=0.008):
    steps = timesteps + 1
    t = torch.linspace(0, timesteps, steps, dtype=torch.float64) / timesteps
    ac = torch.cos((t + s) / (1 + s) * math.pi * 0.5) ** 2
    ac = ac / ac[0]
    betas = 1 - (ac[1:] / ac[:-1])
    return torch.clip(betas, 0, 0.999)

class SinusoidalPosEmb(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
    def forward(self, x):
        half = self.dim // 2
        emb = math.log(10000) / (half - 1)
        emb = torch.exp(torch.arange(half, device=x.device) * -emb)
        emb = x[:, None] * emb[None, :]
        return torch.cat((emb.sin(), emb.cos()), dim=-1)
class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn
    def forward(self, x, *args, **kwargs):
        return self.fn(x, *args, **kwargs) + x
class Block(nn.Module):
    def __init__(self, dim, dim_out, groups=4):
        super().__init__()
        self.proj = nn.Conv2d(dim, dim_out, 3, padding=1)
        self.norm = nn.GroupNorm(groups, dim_out)
        self.act = nn.SiLU()
    def forward(self, x, scale_shift=None):
        x = self.norm(self.proj(x))
        if exists(scale_shift):
            scale, shift = scale_shift
            x = x * (scale + 1) + shift
        return self.act(x)
class ResnetBlock(nn.Module):
    def __init__(self, dim, dim_out, *, time_emb_dim=None, groups=4):
        super().__init__()
        self.mlp = nn.Sequential(nn.SiLU(), nn.Linear(time_emb_dim, dim_out * 2)) if exists(time_emb_dim) else None
        self.block1 = Block(dim, dim_out, groups=groups)
        self.block2 = Block(dim_out, dim_out, groups=groups)
        self.res_conv = nn.Conv2d(dim, dim_out, 1) if dim != dim_out else nn.Identity()
    def forward(self, x, time_emb=None):
        scale_shift = None
        if exists(self.mlp) and exists(time_emb):
            time_emb = self.mlp(time_emb)
            time_emb = time_emb[..., None, None]
            scale_shift = time_emb.chunk(2, dim=1)
        h = self.block1(x, scale_shift=scale_shift)
        h = self.block2(h)
        return h + self.res_conv(x)
class LinearAttention(nn.Module):
    def __init__(self, dim, heads=2, dim_head=8):
        super().__init__()
        self.scale, self.heads = dim_head ** -0.5, heads
        self.to_qkv = nn.Conv2d(dim, dim_head * heads * 3, 1, bias=False)
        self.to_out = nn.Conv2d(dim_head * heads, dim, 1)
    def forward(self, x):
        b, c, h, w = x.shape
        qkv = self.to_qkv(x).chunk(3, dim=1)
        q, k, v = map(lambda t: t.reshape(b, self.heads, -1, h * w), qkv)
        q = q.softmax(dim=-2) * self.scale
        k = k.softmax(dim=-1)
        context = torch.einsum('b h d n, b h e n -> b h d e', k, v)
        out = einsum('b h d e, b h d n -> b h e n', context, q)
        out = out.reshape(b, -1, h, w)
        return self.to_out(out)
class Unet(nn.Module):
    def __init__(self, dim, dim_mults=(1, 2), channels=1):
        super().__init__()
        self.init_conv = nn.Conv2d(channels, dim, 7, padding=3)
        dims = [dim, *map(lambda m: dim * m, dim_mults)]
        in_out = list(zip(dims[:-1], dims[1:]))
        time_dim = dim * 4
        self.time_mlp = nn.Sequential(SinusoidalPosEmb(dim), nn.Linear(dim, time_dim), nn.GELU(), nn.Linear(time_dim, time_dim))
        block = partial(ResnetBlock, time_emb_dim=time_dim)
        self.downs, self.ups = nn.ModuleList([]), nn.ModuleList([])
        for ind, (dim_in, dim_out) in enumerate(in_out):
            is_last = ind >= len(in_out) - 1
            self.downs.append(nn.ModuleList([block(dim_in, dim_in), Residual(LinearAttention(dim_in)), nn.Conv2d(dim_in, dim_out, 4, 2, 1) if not is_last else nn.Conv2d(dim_in, dim_out, 3, padding=1)]))
        self.mid = block(dims[-1], dims[-1])
        for ind, (dim_in, dim_out) in enumerate(reversed(in_out)):
            is_last = ind == len(in_out) - 1
            self.ups.append(nn.ModuleList([block(dim_out + dim_in, dim_out), nn.Sequential(nn.Upsample(scale_factor=2, mode='nearest'), nn.Conv2d(dim_out, dim_in, 3, padding=1)) if not is_last else nn.Conv2d(dim_out, dim_in, 3, padding=1)]))
        self.final = nn.Conv2d(dim, channels, 1)
    def forward(self, x, time):
        x = self.init_conv(x)
        t = self.time_mlp(time)
        hs = []
        for b1, attn, down in self.downs:
            x = attn(b1(x, t))
            hs.append(x)
            x = down(x)
        x = self.mid(x, t)
        for b1, up in self.ups:
            x = torch.cat((x, hs.pop()), dim=1)
            x = b1(x, t)
            x = up(x)
        return self.final(x)
class Diffusion:
    def __init__(self, T):
        betas = cosine_beta_schedule(T)
        alphas = 1. - betas
        ac = torch.cumprod(alphas, dim=0)
        ac_prev = F.pad(ac[:-1], (1, 0), value=1.)
        self.T = T
        reg = lambda name, val: setattr(self, name, val.to(torch.float32))
        reg('betas', betas); reg('sqrt_ac', torch.sqrt(ac)); reg('sqrt_om', torch.sqrt(1. - ac))
        reg('post_var', betas * (1. - ac_prev) / (1. - ac)); reg('recip', torch.sqrt(1. / alphas))
    def q_sample(self, x, t, noise=None):
        noise = default(noise, lambda: torch.randn_like(x))
        return extract(self.sqrt_ac, t, x.shape) * x + extract(self.sqrt_om, t, x.shape) * noise
    @torch.no_grad()
    def p_sample(self, model, x, t, i):
        betas_t = extract(self.betas, t, x.shape)
        mean = extract(self.recip, t, x.shape) * (x - betas_t * model(x, t) / extract(self.sqrt_om, t, x.shape))
        if i == 0:
            return mean
        return mean + torch.sqrt(extract(self.post_var, t, x.shape)) * torch.randn_like(x)
    @torch.no_grad()
    def sample(self, model, shape):
        img = torch.randn(shape)
        imgs = []
        for i in reversed(range(0, self.T)):
            img = self.p_sample(model, img, torch.full((shape[0],), i, dtype=torch.long), i)
            imgs.append(img.cpu().numpy())
        return imgs
model = Unet(8)
diff = Diffusion(5)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
ema = {k: v.clone().detach() for k, v in model.state_dict().items()}
for step in range(2):
    x = torch.rand(2, 1, 8, 8) * 2 - 1
    t = torch.randint(0, diff.T, (2,)).long()
    noise = torch.randn_like(x)
    xt = diff.q_sample(x, t, noise)
    pred = model(xt, t)
    loss = F.huber_loss(noise, pred)
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        for k, v in model.state_dict().items():
            ema[k].mul_(0.99).add_(v, alpha=0.01)
samples = diff.sample(model, (2, 1, 8, 8))
last = torch.from_numpy(samples[-1])
grid = ((last.clamp(-1, 1) + 1) * 127.5).to(torch.uint8).permute(0, 2, 3, 1)
