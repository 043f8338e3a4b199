import math

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.distributions as dist
from torch.distributions import kl_divergence


class GaussianVariational(nn.Module):
    def __init__(self, mu, rho):
        super().__init__()
        self.mu = nn.Parameter(mu)
        self.rho = nn.Parameter(rho)
        self.w = None
        self.sigma = None
        self.normal = torch.distributions.Normal(0, 1)

    def sample(self):
        epsilon = self.normal.sample(self.mu.size())
        self.sigma = torch.log1p(torch.exp(self.rho))
        self.w = self.mu + self.sigma * epsilon
        return self.w

    def log_posterior(self):
        assert self.w is not None, "sample first"
        log_const = math.log(math.sqrt(2 * math.pi))
        log_exp = ((self.w - self.mu) ** 2) / (2 * self.sigma ** 2)
        log_posterior = -log_const - torch.log(self.sigma) - log_exp
        return log_posterior.sum()


class ScaleMixture(nn.Module):
    def __init__(self, pi, sigma1, sigma2):
        super().__init__()
        self.pi = pi
        self.normal1 = torch.distributions.Normal(0, sigma1)
        self.normal2 = torch.distributions.Normal(0, sigma2)

    def log_prior(self, w):
        likelihood_n1 = torch.exp(self.normal1.log_prob(w))
        likelihood_n2 = torch.exp(self.normal2.log_prob(w))
        p_scalemixture = self.pi * likelihood_n1 + (1 - self.pi) * likelihood_n2
        log_prob = torch.log(p_scalemixture).sum()
        return log_prob


class BayesianModule(nn.Module):
    pass


class BayesianLinear(BayesianModule):
    def __init__(self, in_features, out_features, prior_pi=0.5, prior_sigma_1=1.0, prior_sigma_2=0.1):
        super().__init__()
        w_mu = torch.empty(out_features, in_features).uniform_(-0.2, 0.2)
        w_rho = torch.empty(out_features, in_features).uniform_(-5.0, -4.0)
        bias_mu = torch.empty(out_features).uniform_(-0.2, 0.2)
        bias_rho = torch.empty(out_features).uniform_(-5.0, -4.0)
        self.w_posterior = GaussianVariational(w_mu, w_rho)
        self.bias_posterior = GaussianVariational(bias_mu, bias_rho)
        self.w_prior = ScaleMixture(prior_pi, prior_sigma_1, prior_sigma_2)
        self.bias_prior = ScaleMixture(prior_pi, prior_sigma_1, prior_sigma_2)
        self.kl_divergence = 0.0

    def forward(self, x):
        w = self.w_posterior.sample()
        b = self.bias_posterior.sample()
        w_log_prior = self.w_prior.log_prior(w)
        b_log_prior = self.bias_prior.log_prior(b)
        w_log_posterior = self.w_posterior.log_posterior()
        b_log_posterior = self.bias_posterior.log_posterior()
        total_log_prior = w_log_prior + b_log_prior
        total_log_posterior = w_log_posterior + b_log_posterior
        self.kl_divergence = total_log_posterior - total_log_prior
        return F.linear(x, w, b)


class BayesianRegressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.blinear1 = BayesianLinear(1, 32)
        self.blinear2 = BayesianLinear(32, 32)
        self.blinear3 = BayesianLinear(32, 2)

    def forward(self, x):
        x = F.relu(self.blinear1(x))
        x = F.relu(self.blinear2(x))
        return self.blinear3(x)

    def kl(self):
        kl = 0
        for m in self.modules():
            if isinstance(m, BayesianModule):
                kl += m.kl_divergence
        return kl

    def elbo(self, x, y, n_samples, kl_weight):
        loss = 0
        for _ in range(n_samples):
            out = self(x)
            mean, log_var = out.chunk(2, dim=-1)
            likelihood = dist.Normal(mean, log_var.mul(0.5).exp())
            loss = loss - likelihood.log_prob(y).sum()
            loss += self.kl() * kl_weight
        return loss / n_samples


xs = torch.linspace(-2, 2, 40).unsqueeze(-1)
ys = xs ** 3 / 4 + 0.1 * torch.randn_like(xs)
net = BayesianRegressor()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(6):
    opt.zero_grad()
    loss = net.elbo(xs, ys, n_samples=2, kl_weight=1 / len(xs))
    loss.backward()
    opt.step()

preds = torch.stack([net(xs)[:, :1] for _ in range(8)])
mean, std = preds.mean(0), preds.std(0)
lower, upper = mean - 2 * std, mean + 2 * std
coverage = ((ys >= lower) & (ys <= upper)).float().mean()
q = dist.Normal(net.blinear1.w_posterior.mu, F.softplus(net.blinear1.w_posterior.rho))
p = dist.Normal(torch.zeros_like(q.loc), torch.ones_like(q.scale))
kl = kl_divergence(q, p).sum()
beta = dist.Beta(torch.tensor([2.0, 3.0]), torch.tensor([1.5, 0.5]))
draws = beta.rsample((100,))
gamma = dist.Gamma(1.0, 1.0).sample((3, 2))
dirichlet = dist.Dirichlet(torch.ones(4)).sample()
print(coverage.item(), kl.item(), draws.mean(0), gamma.shape, dirichlet.sum())
