"""Distributions."""

import copy
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

# normals
from torch.distributions import *
import torch.distributions as D

p = Normal(torch.zeros(3), torch.ones(3))
s = p.sample()
r = p.rsample((4,))
l = p.log_prob(s)
e = p.entropy()
m = p.mean
sd = p.stddev
v = p.variance
q = Normal(torch.ones(3), 2.0)
k = D.kl_divergence(p, q)
n0 = Normal(0.0, 1.0)
s0 = n0.sample()
s1 = n0.sample((5, 2))
s2 = n0.sample(torch.Size([7]))
lp = n0.log_prob(torch.randn(4))
c = n0.cdf(torch.randn(4))
i = n0.icdf(torch.rand(4))
n1 = Normal(torch.tensor([0.0]), torch.tensor([1.0]))
t1 = n1.sample()
t2 = n1.log_prob(torch.tensor([0.5]))

# mvn
from torch.distributions import MultivariateNormal, Independent, Normal, LowRankMultivariateNormal

mvn = MultivariateNormal(torch.zeros(3), torch.eye(3))
a = mvn.sample()
b = mvn.rsample((5,))
c = mvn.log_prob(b)
d = mvn.entropy()
cov = mvn.covariance_matrix
st = mvn.scale_tril
m2 = MultivariateNormal(torch.zeros(4, 3), scale_tril=torch.eye(3).expand(4, 3, 3))
s2 = m2.sample((2,))
ind = Independent(Normal(torch.zeros(4, 3), torch.ones(4, 3)), 1)
e = ind.log_prob(ind.sample())
bsz = ind.entropy()
lr = LowRankMultivariateNormal(torch.zeros(3), torch.ones(3, 1), torch.ones(3))
f = lr.sample()

# categorical
from torch.distributions import (
    Categorical,
    OneHotCategorical,
    Bernoulli,
    Beta,
    Dirichlet,
    Gamma,
    Poisson,
    Uniform,
    Exponential,
)

logits = nn.Linear(4, 6)(torch.randn(8, 4))
dist = Categorical(logits=logits)
a = dist.sample()
lp = dist.log_prob(a)
en = dist.entropy()
pr = dist.probs
lg = dist.logits
d2 = Categorical(torch.softmax(logits, -1))
a2 = d2.sample((3,))
l2 = d2.log_prob(a2)
ent = d2.entropy().mean()
d3 = Categorical(probs=torch.tensor([0.2, 0.8]))
a3 = d3.sample()
o = OneHotCategorical(logits=logits).sample()
be = Bernoulli(torch.tensor([0.3, 0.7]))
bs = be.sample()
bl = be.log_prob(bs)
b2 = Bernoulli(0.5).sample((3,))
b3 = Bernoulli(logits=logits).sample()
bt = Beta(torch.tensor([0.5, 0.5]), torch.tensor([0.5, 0.5]))
bts = bt.sample()
btl = bt.rsample()
btm = bt.mean
b4 = Beta(2.0, 3.0).sample((9,))
di = Dirichlet(torch.ones(3))
dis = di.sample()
dil = di.log_prob(dis)
ga = Gamma(torch.tensor([1.0]), torch.tensor([1.0])).sample()
po = Poisson(torch.rand(4)).sample()
un = Uniform(0.0, 1.0).sample((4,))
un2 = Uniform(torch.zeros(2), torch.ones(2)).rsample()
ex = Exponential(torch.tensor([1.0])).sample()

# mixtures and transforms
import torch.distributions as D

mix = D.Categorical(torch.ones(5))
comp = D.Independent(D.Normal(torch.randn(5, 2), torch.rand(5, 2)), 1)
gmm = D.MixtureSameFamily(mix, comp)
s = gmm.sample((10,))
l = gmm.log_prob(s)
m = gmm.mean
base = D.Normal(torch.zeros(3), torch.ones(3))
t = D.TransformedDistribution(base, [D.transforms.TanhTransform(cache_size=1)])
a = t.rsample()
b = t.log_prob(a)
t2 = D.TransformedDistribution(base, D.AffineTransform(loc=1.0, scale=2.0))
c = t2.sample((4,))
ln = D.LogNormal(0.0, 1.0).sample((2,))
st = D.StudentT(torch.tensor([2.0])).sample()
la = D.Laplace(torch.zeros(3), 1.0).sample()
ca = D.Cauchy(0.0, 1.0).sample((3,))
bi = D.Binomial(10, torch.rand(3)).sample()
mu = D.Multinomial(5, torch.ones(4)).sample()
ge = D.Geometric(torch.tensor([0.3])).sample()
gu = D.Gumbel(torch.zeros(3), torch.ones(3)).sample()
rb = D.RelaxedBernoulli(torch.tensor([2.2]), torch.rand(3)).rsample()
rc = D.RelaxedOneHotCategorical(torch.tensor([2.2]), torch.rand(4)).rsample()
kl = D.kl_divergence(
    D.Independent(D.Normal(torch.zeros(2, 3), 1.0), 1), D.Independent(D.Normal(torch.ones(2, 3), 1.0), 1)
)
kl2 = D.kl.kl_divergence(D.Categorical(torch.ones(3)), D.Categorical(torch.tensor([1.0, 2.0, 3.0])))
kl3 = D.kl_divergence(
    D.MultivariateNormal(torch.zeros(2), torch.eye(2)), D.MultivariateNormal(torch.ones(2), torch.eye(2))
)


# policy
class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.mu = nn.Linear(4, 2)
        self.log_std = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        mean = self.mu(x)
        std = self.log_std.exp().expand_as(mean)
        return torch.distributions.Normal(mean, std)


actor = Actor()
obs = torch.randn(16, 4)
pi = actor(obs)
act = pi.sample()
logp = pi.log_prob(act).sum(axis=-1)
loss = -(logp * torch.randn(16)).mean()
loss.backward()
g = actor.log_std.grad
a = act.numpy()
expanded = pi.expand((3, 16, 2)).sample()

# constraints and subclass
from torch.distributions import constraints, Distribution, Normal


class Squashed(Normal):
    def sample(self, shape=torch.Size()):
        return torch.tanh(super().sample(shape))


z = Squashed(torch.zeros(2), torch.ones(2)).sample((3,))
bsh = Normal(torch.zeros(2, 3), 1.0).batch_shape
w = torch.zeros(bsh)
