#%% imports
import numpy as np
import torch
from torch import nn, distributions
from torch.nn.parameter import Parameter

#%% data: two moons by hand
def make_moons(n, noise=0.05, seed=0):
    rng = np.random.RandomState(seed)
    n_out = n // 2
    n_in = n - n_out
    outer = np.stack([np.cos(np.linspace(0, np.pi, n_out)), np.sin(np.linspace(0, np.pi, n_out))], axis=1)
    inner = np.stack([1 - np.cos(np.linspace(0, np.pi, n_in)), 1 - np.sin(np.linspace(0, np.pi, n_in)) - .5], axis=1)
    X = np.concatenate([outer, inner], axis=0)
    X += rng.normal(scale=noise, size=X.shape)
    return X.astype(np.float32)

data = make_moons(200)
print(data.shape, data.dtype, data.mean(axis=0))

#%% model
class RealNVP(nn.Module):
    def __init__(self, nets, nett, mask, prior):
        super(RealNVP, self).__init__()
        self.prior = prior
        self.mask = nn.Parameter(mask, requires_grad=False)
        self.t = torch.nn.ModuleList([nett() for _ in range(len(mask))])
        self.s = torch.nn.ModuleList([nets() for _ in range(len(mask))])

    def g(self, z):
        x = z
        for i in range(len(self.t)):
            x_ = x * self.mask[i]
            s = self.s[i](x_) * (1 - self.mask[i])
            t = self.t[i](x_) * (1 - self.mask[i])
            x = x_ + (1 - self.mask[i]) * (x * torch.exp(s) + t)
        return x

    def f(self, x):
        log_det_J, z = x.new_zeros(x.shape[0]), x
        for i in reversed(range(len(self.t))):
            z_ = self.mask[i] * z
            s = self.s[i](z_) * (1 - self.mask[i])
            t = self.t[i](z_) * (1 - self.mask[i])
            z = (1 - self.mask[i]) * (z - t) * torch.exp(-s) + z_
            log_det_J -= s.sum(dim=1)
        return z, log_det_J

    def log_prob(self, x):
        z, logp = self.f(x)
        return self.prior.log_prob(z) + logp

    def sample(self, batchSize):
        z = self.prior.sample((batchSize, 1))
        logp = self.prior.log_prob(z)
        x = self.g(z)
        return x

nets = lambda: nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(), nn.Linear(64, 64), nn.LeakyReLU(), nn.Linear(64, 2), nn.Tanh())
nett = lambda: nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(), nn.Linear(64, 64), nn.LeakyReLU(), nn.Linear(64, 2))
masks = torch.from_numpy(np.array([[0, 1], [1, 0]] * 3).astype(np.float32))
prior = distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))
flow = RealNVP(nets, nett, masks, prior)

#%% training
optimizer = torch.optim.Adam([p for p in flow.parameters() if p.requires_grad == True], lr=1e-4)
history = []
for t in range(6):
    noisy_moons = data[np.random.RandomState(t).permutation(len(data))[:64]]
    batch = torch.from_numpy(noisy_moons)
    loss = -flow.log_prob(batch).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    history.append(loss.item())
    if t % 3 == 0:
        print('iter %s:' % t, 'loss = %.3f' % loss)

#%% look at it
z, logdet = flow.f(torch.from_numpy(data))
z = z.detach().numpy()
print(z.mean(0), np.cov(z.T).shape)
x = flow.sample(100).detach()
print(x.shape)
x = x.squeeze(1).numpy()
hist, xedges, yedges = np.histogram2d(x[:, 0], x[:, 1], bins=10)
density = torch.as_tensor(hist / hist.sum())
entropy = -(density[density > 0] * density[density > 0].log()).sum()
print(entropy, len(xedges), np.array(history).shape)
grid = torch.stack(torch.meshgrid(torch.linspace(-1, 2, 20), torch.linspace(-1, 1.5, 15), indexing='ij'), dim=-1)
logp = flow.log_prob(grid.reshape(-1, 2)).reshape(grid.shape[:-1])
print(logp.exp().max())
