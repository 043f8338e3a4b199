import torch
import torch.nn as nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters
from concurrent.futures import ThreadPoolExecutor
import numpy as np

torch.manual_seed(5)
rng = np.random.default_rng(5)


class Policy(nn.Module):
    def __init__(self, obs, act, hidden=16):
        super().__init__()
        self.l1 = nn.Linear(obs, hidden)
        self.l2 = nn.Linear(hidden, act)

    def forward(self, o):
        h = torch.tanh(self.l1(o))
        return torch.tanh(self.l2(h))


def rollout(policy, horizon=10):
    """A spring that has to be brought to rest."""
    state = torch.tensor([1.0, 0.0, -0.5, 0.2])
    K = torch.tensor([[0., 1., 0., 0.], [-1., -.1, .3, 0.], [0., 0., 0., 1.], [.3, 0., -1., -.1]])
    Bm = torch.zeros(4, 2)
    Bm[1, 0] = Bm[3, 1] = 1.0
    total = torch.zeros(())
    with torch.no_grad():
        for _ in range(horizon):
            a = policy(state)
            state = state + 0.1 * (K @ state + Bm @ a)
            total -= state.square().sum() + 0.01 * a.square().sum()
    return total


policy = Policy(4, 2)
theta = parameters_to_vector(policy.parameters()).detach()
n = theta.numel()
sigma, alpha, pop = 0.1, 0.05, 10
m, v = torch.zeros(n), torch.zeros(n)
history = []
for gen in range(3):
    eps = torch.randn(pop // 2, n)
    eps = torch.cat([eps, -eps])
    rewards = torch.empty(pop)
    for i in range(pop):
        vector_to_parameters(theta + sigma * eps[i], policy.parameters())
        rewards[i] = rollout(policy)
    ranks = rewards.argsort().argsort().float()
    shaped = ranks / (pop - 1) - 0.5
    grad = (shaped[:, None] * eps).mean(0) / sigma
    m = 0.9 * m + 0.1 * grad
    v = 0.999 * v + 0.001 * grad ** 2
    mhat, vhat = m / (1 - 0.9 ** (gen + 1)), v / (1 - 0.999 ** (gen + 1))
    theta = theta + alpha * mhat / (vhat.sqrt() + 1e-8)
    history.append(rewards.mean().item())
    print(gen, history[-1], rewards.max().item())

# CMA-ES in a few lines
dim, lam = 6, 12
mu = lam // 2
mean, C, step = torch.zeros(dim), torch.eye(dim), 0.5
weights = torch.log(torch.tensor(mu + 0.5)) - torch.log(torch.arange(1, mu + 1).float())
weights /= weights.sum()
mu_eff = 1 / (weights ** 2).sum()
target = torch.linspace(-1, 1, dim)
for g in range(4):
    L = torch.linalg.cholesky(C + 1e-6 * torch.eye(dim))
    z = torch.randn(lam, dim)
    y = z @ L.T
    x = mean + step * y
    f = ((x - target) ** 2).sum(dim=1)
    order = torch.argsort(f)
    best = y[order[:mu]]
    delta = (weights[:, None] * best).sum(0)
    mean = mean + step * delta
    rank_mu = torch.einsum('k,ki,kj->ij', weights, best, best)
    C = 0.8 * C + 0.1 * torch.outer(delta, delta) + 0.1 * rank_mu
    step = step * torch.exp((torch.linalg.norm(delta) - dim ** 0.5) / (2 * dim ** 0.5)).item()

# a genetic algorithm over bit strings
genes = torch.from_numpy(rng.integers(0, 2, size=(16, 20)))
goal = torch.tensor([1, 0] * 10)
for g in range(5):
    fitness = (genes == goal).sum(dim=1)
    probs = torch.softmax(fitness.double(), dim=0)
    parents = torch.multinomial(probs, 32, replacement=True).view(16, 2)
    cut = torch.randint(1, 20, (16, 1))
    take = torch.arange(20).expand(16, -1) < cut
    children = torch.where(take, genes[parents[:, 0]], genes[parents[:, 1]])
    mutate = torch.rand(16, 20) < 0.02
    genes = torch.where(mutate, 1 - children, children)
elite = genes[fitness.argmax()]
print(mean, mu_eff, fitness.max(), elite)
