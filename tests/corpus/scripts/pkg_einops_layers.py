# needs: einops
import torch
from einops import rearrange, reduce, repeat, einsum, pack, unpack, parse_shape
from einops.layers.torch import Rearrange, Reduce
from torch import nn

ims = torch.rand(6, 96, 96, 3)
x = rearrange(ims, 'b h w c -> h (b w) c')
y = rearrange(ims, '(b1 b2) h w c -> (b1 h) (b2 w) c', b1=2)
z = reduce(ims, 'b (h h2) (w w2) c -> h (b w) c', 'mean', h2=2, w2=2)
gray = reduce(ims, 'b h w c -> b h w', 'mean')
mx = reduce(ims, 'b h w c -> b () () c', 'max')
centered = ims - mx
rep = repeat(gray, 'b h w -> b h w c', c=3)
tile = repeat(ims[0], 'h w c -> h (tile w) c', tile=2)
w = rearrange(list(ims), 'b h w c -> b c h w')
flat, ps = pack([w[:, 0], torch.rand(6, 5), torch.rand(6)], 'b *')
a, b, c = unpack(flat, ps, 'b *')
d = parse_shape(w, 'b c _ _')


class Attention(nn.Module):
    def __init__(self, dim, heads=4, dim_head=8):
        super().__init__()
        self.heads = heads
        self.scale = dim_head ** -0.5
        self.to_qkv = nn.Linear(dim, heads * dim_head * 3, bias=False)
        self.to_out = nn.Sequential(Rearrange('b h n d -> b n (h d)'), nn.Linear(heads * dim_head, dim))

    def forward(self, x):
        qkv = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = map(lambda t: rearrange(t, 'b n (h d) -> b h n d', h=self.heads), qkv)
        sim = einsum(q, k, 'b h i d, b h j d -> b h i j') * self.scale
        attn = sim.softmax(dim=-1)
        out = einsum(attn, v, 'b h i j, b h j d -> b h i d')
        return self.to_out(out)


class Mixer(nn.Module):
    def __init__(self, patch, dim, n_patches, n_classes):
        super().__init__()
        self.embed = nn.Sequential(
            Rearrange('b c (h p1) (w p2) -> b (h w) (p1 p2 c)', p1=patch, p2=patch), nn.Linear(patch * patch * 3, dim)
        )
        self.token = nn.Sequential(nn.LayerNorm(dim), Rearrange('b n d -> b d n'), nn.Linear(n_patches, n_patches), Rearrange('b d n -> b n d'))
        self.attn = Attention(dim)
        self.pool = Reduce('b n d -> b d', 'mean')
        self.head = nn.Linear(dim, n_classes)

    def forward(self, img):
        x = self.embed(img)
        x = x + self.token(x)
        x = x + self.attn(x)
        pooled = self.pool(x)
        return self.head(pooled)


net = Mixer(16, 32, 36, 10)
logits = net(w)
loss = logits.logsumexp(-1).mean()
loss.backward()
pe = torch.randn(36, 32)
batched = repeat(pe, 'n d -> b n d', b=w.shape[0])
unfold = rearrange(w, 'b c (h p1) (w p2) -> (b h w) c p1 p2', p1=24, p2=24)
print(x.shape, y.shape, z.shape, tile.shape, a.shape, d, batched.shape, unfold.shape)
