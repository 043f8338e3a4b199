import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

def get_rays(H, W, focal, c2w):
    i, j = torch.meshgrid(torch.linspace(0, W - 1, W), torch.linspace(0, H - 1, H), indexing='ij')
    i, j = i.t(), j.t()
    dirs = torch.stack([(i - W * .5) / focal, -(j - H * .5) / focal, -torch.ones_like(i)], -1)
    rays_d = torch.sum(dirs[..., np.newaxis, :] * c2w[:3, :3], -1)
    rays_o = c2w[:3, -1].expand(rays_d.shape)
    return rays_o, rays_d
class Embedder:
    def __init__(self, **kwargs):
        self.kwargs = kwargs
        self.create()
    def create(self):
        fns, d = [], self.kwargs['input_dims']
        out = 0
        if self.kwargs['include_input']:
            fns.append(lambda x: x); out += d
        bands = 2. ** torch.linspace(0., self.kwargs['max_freq'], steps=self.kwargs['num_freqs'])
        for freq in bands:
            for p_fn in (torch.sin, torch.cos):
                fns.append(lambda x, p_fn=p_fn, freq=freq: p_fn(x * freq)); out += d
        self.fns, self.out_dim = fns, out
    def embed(self, x): return torch.cat([fn(x) for fn in self.fns], -1)
class NeRF(nn.Module):
    def __init__(self, D=4, W=16, input_ch=3, views=3, skips=(2,)):
        super().__init__()
        self.skips, self.ic, self.iv = skips, input_ch, views
        self.pts = nn.ModuleList([nn.Linear(input_ch, W)] + [nn.Linear(W, W) if i not in skips else nn.Linear(W + input_ch, W) for i in range(D - 1)])
        self.views = nn.Linear(views + W, W // 2)
        self.feat, self.alpha, self.rgb = nn.Linear(W, W), nn.Linear(W, 1), nn.Linear(W // 2, 3)
    def forward(self, x):
        pts, views = torch.split(x, [self.ic, self.iv], dim=-1)
        h = pts
        for i, l in enumerate(self.pts):
            h = F.relu(self.pts[i](h))
            if i in self.skips:
                h = torch.cat([pts, h], -1)
        alpha = self.alpha(h)
        h = F.relu(self.views(torch.cat([self.feat(h), views], -1)))
        return torch.cat([self.rgb(h), alpha], -1)
def raw2outputs(raw, z_vals, rays_d, noise_std=0., white=False):
    dists = z_vals[..., 1:] - z_vals[..., :-1]
    dists = torch.cat([dists, torch.Tensor([1e10]).expand(dists[..., :1].shape)], -1)
    dists = dists * torch.norm(rays_d[..., None, :], dim=-1)
    rgb = torch.sigmoid(raw[..., :3])
    noise = 0.
    if noise_std > 0.:
        noise = torch.randn(raw[..., 3].shape) * noise_std
    alpha = 1. - torch.exp(-F.relu(raw[..., 3] + noise) * dists)
    weights = alpha * torch.cumprod(torch.cat([torch.ones((alpha.shape[0], 1)), 1. - alpha + 1e-10], -1), -1)[:, :-1]
    rgb_map = torch.sum(weights[..., None] * rgb, -2)
    depth = torch.sum(weights * z_vals, -1)
    disp = 1. / torch.max(1e-10 * torch.ones_like(depth), depth / torch.sum(weights, -1))
    acc = torch.sum(weights, -1)
    if white:
        rgb_map = rgb_map + (1. - acc[..., None])
    return rgb_map, disp, acc, weights, depth
def sample_pdf(bins, weights, n):
    weights = weights + 1e-5
    pdf = weights / torch.sum(weights, -1, keepdim=True)
    cdf = torch.cumsum(pdf, -1)
    cdf = torch.cat([torch.zeros_like(cdf[..., :1]), cdf], -1)
    u = torch.rand(list(cdf.shape[:-1]) + [n]).contiguous()
    inds = torch.searchsorted(cdf, u, right=True)
    below = torch.max(torch.zeros_like(inds - 1), inds - 1)
    above = torch.min((cdf.shape[-1] - 1) * torch.ones_like(inds), inds)
    g = torch.stack([below, above], -1)
    ms = [g.shape[0], g.shape[1], cdf.shape[-1]]
    cdf_g = torch.gather(cdf.unsqueeze(1).expand(ms), 2, g)
    bins_g = torch.gather(bins.unsqueeze(1).expand(ms), 2, g)
    denom = cdf_g[..., 1] - cdf_g[..., 0]
    denom = torch.where(denom < 1e-5, torch.ones_like(denom), denom)
    t = (u - cdf_g[..., 0]) / denom
    return bins_g[..., 0] + t * (bins_g[..., 1] - bins_g[..., 0])
def batchify(fn, chunk):
    if chunk is None: return fn
    def ret(inputs):
        return torch.cat([fn(inputs[i:i + chunk]) for i in range(0, inputs.shape[0], chunk)], 0)
    return ret
H = W = 8
poses = torch.from_numpy(np.stack([np.eye(4) for _ in range(3)])).float()
images = torch.rand(3, H, W, 3)
emb = Embedder(include_input=True, input_dims=3, max_freq=3, num_freqs=4)
net = NeRF(input_ch=emb.out_dim, views=3)
opt = torch.optim.Adam(net.parameters(), lr=5e-4)
for it in range(3):
    img_i = np.random.choice(3)
    target = images[img_i]
    ro, rd = get_rays(H, W, 10., poses[img_i, :3, :4])
    coords = torch.stack(torch.meshgrid(torch.arange(H), torch.arange(W), indexing='ij'), -1).reshape(-1, 2)
    sel = coords[np.random.choice(coords.shape[0], size=[16], replace=False)].long()
    ro, rd = ro[sel[:, 0], sel[:, 1]], rd[sel[:, 0], sel[:, 1]]
    ts = target[sel[:, 0], sel[:, 1]]
    vd = rd / torch.norm(rd, dim=-1, keepdim=True)
    z = torch.linspace(2., 6., 6).expand(16, 6)
    mids = .5 * (z[..., 1:] + z[..., :-1])
    upper, lower = torch.cat([mids, z[..., -1:]], -1), torch.cat([z[..., :1], mids], -1)
    z = lower + (upper - lower) * torch.rand(z.shape)
    pts = ro[..., None, :] + rd[..., None, :] * z[..., :, None]
    flat = pts.reshape(-1, 3)
    e = emb.embed(flat)
    v = vd[:, None].expand(pts.shape).reshape(-1, 3)
    raw = batchify(net, 40)(torch.cat([e, v], -1)).reshape(list(pts.shape[:-1]) + [4])
    rgb, disp, acc, w, depth = raw2outputs(raw, z, rd, noise_std=1.0, white=True)
    zs = sample_pdf(.5 * (z[..., 1:] + z[..., :-1]), w[..., 1:-1], 5).detach()
    zall, _ = torch.sort(torch.cat([z, zs], -1), -1)
    loss = F.mse_loss(rgb, ts)
    psnr = -10. * torch.log(loss) / torch.log(torch.Tensor([10.]))
    opt.zero_grad(); loss.backward(); opt.step()
    new_lr = 5e-4 * 0.1 ** (it / 250)
    for g in opt.param_groups: g['lr'] = new_lr
