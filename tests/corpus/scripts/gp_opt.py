import torch
import torch.nn as nn
from torch.distributions import Normal, MultivariateNormal, kl_divergence
import torch.distributions as D

torch.set_default_dtype(torch.float64)
def rbf(a, b, ls, var):
    d2 = (a[:, None, :] - b[None, :, :]).div(ls).pow(2).sum(-1)
    return var * torch.exp(-0.5 * d2)
X = torch.linspace(0, 1, 12).unsqueeze(1)
y = torch.sin(6 * X).squeeze() + 0.1 * torch.randn(12)
log_ls = torch.tensor(0.0, requires_grad=True)
log_noise = torch.tensor(-2.0, requires_grad=True)
opt = torch.optim.LBFGS([log_ls, log_noise], lr=0.1, max_iter=5)
def closure():
    opt.zero_grad()
    K = rbf(X, X, log_ls.exp(), 1.0) + log_noise.exp() * torch.eye(12)
    L = torch.linalg.cholesky(K)
    alpha = torch.cholesky_solve(y.unsqueeze(1), L)
    nll = 0.5 * y @ alpha.squeeze(1) + L.diagonal().log().sum()
    nll.backward()
    return nll
for _ in range(3):
    loss = opt.step(closure)
with torch.no_grad():
    Xs = torch.rand(5, 1)
    K = rbf(X, X, log_ls.exp(), 1.0) + log_noise.exp() * torch.eye(12)
    Ks = rbf(X, Xs, log_ls.exp(), 1.0)
    L = torch.linalg.cholesky(K)
    A = torch.linalg.solve_triangular(L, Ks, upper=False)
    mean = Ks.T @ torch.cholesky_solve(y[:, None], L)
    cov = rbf(Xs, Xs, log_ls.exp(), 1.0) - A.T @ A
    mvn = MultivariateNormal(mean.squeeze(), cov + 1e-6 * torch.eye(5))
    smp = mvn.sample((3,))
    lp = mvn.log_prob(smp)
torch.set_default_dtype(torch.float32)
f32 = torch.zeros(2)
mix = f32 + X[:2, 0]
q = Normal(torch.zeros(4, requires_grad=True), torch.ones(4))
p = Normal(0., 2.)
kl = kl_divergence(q, p)
zs = q.rsample((6,))
ent = q.entropy()
gm = D.MixtureSameFamily(D.Categorical(torch.ones(3)), D.Independent(Normal(torch.randn(3, 2), torch.rand(3, 2)), 1))
gl = gm.log_prob(torch.randn(7, 2))
bern = D.Bernoulli(logits=torch.randn(5)).sample()
oh = D.OneHotCategorical(logits=torch.randn(2, 4)).sample()
gum = nn.functional.gumbel_softmax(torch.randn(2, 4), tau=0.5, hard=True)
class Flow(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d // 2, 8), nn.Tanh(), nn.Linear(8, d))
    def forward(self, x):
        x1, x2 = x.chunk(2, dim=-1)
        s, t = self.net(x1).chunk(2, -1)
        s = s.tanh()
        return torch.cat([x1, x2 * s.exp() + t], -1), s.sum(-1)
    def inverse(self, z):
        z1, z2 = z.tensor_split(2, -1)
        s, t = self.net(z1).chunk(2, -1)
        return torch.cat((z1, (z2 - t) * (-s.tanh()).exp()), -1)
flows = nn.ModuleList(Flow() for _ in range(3))
z, ld = torch.randn(8, 4), 0
for f in flows:
    z, l = f(z)
    z = z[:, torch.arange(3, -1, -1)]
    ld = ld + l
nll = -(Normal(0, 1).log_prob(z).sum(-1) + ld).mean()
x = torch.randn(5, 2, requires_grad=True)
energy = (x ** 2).sum()
score = torch.autograd.grad(energy, x)[0]
chain = [x.detach()]
for k in range(4):
    cur = chain[-1].clone().requires_grad_()
    g = torch.autograd.grad((cur ** 2).sum(), cur)[0]
    chain.append((cur - 0.1 * g + 0.1 * torch.randn_like(cur)).detach())
chain = torch.stack(chain)
# kmeans / EM
pts = torch.randn(50, 2)
cent = pts[torch.randperm(50)[:3]]
for _ in range(4):
    assign = torch.cdist(pts, cent).argmin(1)
    cent = torch.stack([pts[assign == k].mean(0) for k in range(3)])
sums = torch.zeros(3, 2).scatter_add_(0, assign[:, None].expand(-1, 2), pts)
cnts = torch.bincount(assign, minlength=3).unsqueeze(-1)
# power iteration, pca
Xc = pts - pts.mean(0)
u, s, v = torch.svd(Xc)
proj = Xc @ v[:, :1]
b = torch.randn(2)
while True:
    nb = Xc.T @ (Xc @ b)
    nb = nb / nb.norm()
    if torch.allclose(nb, b, atol=1e-3) or torch.allclose(nb, -b, atol=1e-3):
        break
    b = nb
