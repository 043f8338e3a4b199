import torch
from torch import nn
from collections import OrderedDict

def pair(t): return t if isinstance(t, tuple) else (t, t)
class PatchEmbed(nn.Module):
    def __init__(self, img=32, patch=8, c=3, dim=24):
        super().__init__()
        (ih, iw), (ph, pw) = pair(img), pair(patch)
        self.ph, self.pw = ph, pw
        self.num_patches = (ih // ph) * (iw // pw)
        self.proj = nn.Linear(c * ph * pw, dim)
    def forward(self, x):
        B, C, H, W = x.shape
        x = x.unfold(2, self.ph, self.ph).unfold(3, self.pw, self.pw)
        x = x.permute(0, 2, 3, 1, 4, 5).reshape(B, -1, C * self.ph * self.pw)
        return self.proj(x)
class DropPath(nn.Module):
    def __init__(self, p=0.0):
        super().__init__()
        self.p = p
    def forward(self, x):
        if self.p == 0. or not self.training:
            return x
        keep = 1 - self.p
        shape = (x.shape[0],) + (1,) * (x.ndim - 1)
        r = x.new_empty(shape).bernoulli_(keep)
        if keep > 0.0:
            r.div_(keep)
        return x * r
class Attention(nn.Module):
    def __init__(self, dim, heads=4, qkv_bias=True):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)
        self.proj = nn.Linear(dim, dim)
    def forward(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        attn = (q @ k.transpose(-2, -1)) * self.scale
        attn = attn.softmax(dim=-1)
        x = (attn @ v).transpose(1, 2).reshape(B, N, C)
        return self.proj(x), attn
class Block(nn.Module):
    def __init__(self, dim, heads, ratio=2., dp=0., norm_layer=nn.LayerNorm, act=nn.GELU):
        super().__init__()
        self.norm1, self.norm2 = norm_layer(dim), norm_layer(dim)
        self.attn = Attention(dim, heads)
        self.drop_path = DropPath(dp) if dp > 0 else nn.Identity()
        hidden = int(dim * ratio)
        self.mlp = nn.Sequential(OrderedDict([('fc1', nn.Linear(dim, hidden)), ('act', act()), ('fc2', nn.Linear(hidden, dim))]))
        self.gamma = nn.Parameter(1e-4 * torch.ones(dim))
    def forward(self, x, return_attention=False):
        y, attn = self.attn(self.norm1(x))
        if return_attention:
            return attn
        x = x + self.drop_path(self.gamma * y)
        x = x + self.drop_path(self.mlp(self.norm2(x)))
        return x
class ViT(nn.Module):
    def __init__(self, img=32, patch=8, dim=24, depth=3, heads=4, classes=10, dp=0.1):
        super().__init__()
        self.patch_embed = PatchEmbed(img, patch, 3, dim)
        n = self.patch_embed.num_patches
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos_embed = nn.Parameter(torch.randn(1, n + 1, dim) * .02)
        dpr = [x.item() for x in torch.linspace(0, dp, depth)]
        self.blocks = nn.ModuleList([Block(dim, heads, dp=dpr[i]) for i in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)
        nn.init.trunc_normal_(self.cls_token, std=.02)
    def interpolate_pos(self, x, n_new):
        cls, grid = self.pos_embed[:, :1], self.pos_embed[:, 1:]
        s = int(grid.shape[1] ** 0.5); t = int(n_new ** 0.5)
        grid = grid.reshape(1, s, s, -1).permute(0, 3, 1, 2)
        grid = nn.functional.interpolate(grid, size=(t, t), mode='bicubic', align_corners=False)
        grid = grid.permute(0, 2, 3, 1).view(1, -1, x.shape[-1])
        return torch.cat((cls, grid), dim=1)
    def forward_features(self, x):
        x = self.patch_embed(x)
        b, n, d = x.shape
        pos = self.pos_embed if n == self.patch_embed.num_patches else self.interpolate_pos(x, n)
        cls = self.cls_token.expand(b, -1, -1)
        x = torch.cat([cls, x], dim=1) + pos
        for i, blk in enumerate(self.blocks):
            x = blk(x)
        return self.norm(x)
    def forward(self, x):
        x = self.forward_features(x)
        return self.head(x[:, 0])
    def get_last_selfattention(self, x):
        x = self.patch_embed(x)
        x = torch.cat([self.cls_token.expand(x.shape[0], -1, -1), x], 1) + self.pos_embed
        for i, blk in enumerate(self.blocks):
            if i < len(self.blocks) - 1:
                x = blk(x)
            else:
                return blk(x, return_attention=True)
feats = {}
def hook(name):
    def fn(module, inp, out):
        feats[name] = out.detach()
    return fn
vit = ViT()
handles = [blk.register_forward_hook(hook(f'block{i}')) for i, blk in enumerate(vit.blocks)]
img = torch.randn(2, 3, 32, 32)
logits = vit(img)
for hd in handles:
    hd.remove()
stacked = torch.stack(list(feats.values()))
b0 = feats['block0']
big = vit(torch.randn(1, 3, 64, 64))
vit.eval()
attn = vit.get_last_selfattention(img)
cls_attn = attn[:, :, 0, 1:].reshape(2, 4, 4, 4)
up = nn.functional.interpolate(cls_attn, scale_factor=8, mode='nearest')
probs = logits.softmax(-1)
top5 = probs.topk(5, dim=-1)
lam = torch.distributions.Beta(1.0, 1.0).sample()
perm = torch.randperm(img.size(0))
mixed = lam * img + (1 - lam) * img[perm]
onehot = torch.nn.functional.one_hot(torch.tensor([1, 3]), 10).float()
mixed_y = lam * onehot + (1 - lam) * onehot[perm]
loss = nn.functional.cross_entropy(logits, mixed_y, label_smoothing=0.1)
loss.backward()
gnorm = torch.norm(torch.stack([p.grad.norm(2) for p in vit.parameters() if p.grad is not None]), 2)
n_params = sum(p.numel() for p in vit.parameters() if p.requires_grad)
