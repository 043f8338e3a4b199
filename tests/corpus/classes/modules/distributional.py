import random
from collections import deque, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical, Normal

Transition = namedtuple("Transition", ("state", "action", "reward", "next_state", "done"))


class NoisyLinear(nn.Module):
    def __init__(self, in_features, out_features, std_init=0.5):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.std_init = std_init
        self.weight_mu = nn.Parameter(torch.empty(out_features, in_features))
        self.weight_sigma = nn.Parameter(torch.empty(out_features, in_features))
        self.register_buffer("weight_epsilon", torch.empty(out_features, in_features))
        self.bias_mu = nn.Parameter(torch.empty(out_features))
        self.bias_sigma = nn.Parameter(torch.empty(out_features))
        self.register_buffer("bias_epsilon", torch.empty(out_features))
        self.reset_parameters()
        self.reset_noise()

    def reset_parameters(self):
        mu_range = 1 / np.sqrt(self.in_features)
        self.weight_mu.data.uniform_(-mu_range, mu_range)
        self.weight_sigma.data.fill_(self.std_init / np.sqrt(self.in_features))
        self.bias_mu.data.uniform_(-mu_range, mu_range)
        self.bias_sigma.data.fill_(self.std_init / np.sqrt(self.out_features))

    def _scale_noise(self, size):
        x = torch.randn(size)
        return x.sign().mul_(x.abs().sqrt_())

    def reset_noise(self):
        epsilon_in = self._scale_noise(self.in_features)
        epsilon_out = self._scale_noise(self.out_features)
        self.weight_epsilon.copy_(epsilon_out.ger(epsilon_in))
        self.bias_epsilon.copy_(epsilon_out)

    def forward(self, x):
        if self.training:
            weight = self.weight_mu + self.weight_sigma * self.weight_epsilon
            bias = self.bias_mu + self.bias_sigma * self.bias_epsilon
        else:
            weight, bias = self.weight_mu, self.bias_mu
        return F.linear(x, weight, bias)


class DistributionalDQN(nn.Module):
    def __init__(self, state_dim, action_dim, atom_size=51, v_min=-10.0, v_max=10.0, hidden=128):
        super().__init__()
        self.action_dim = action_dim
        self.atom_size = atom_size
        self.register_buffer("support", torch.linspace(v_min, v_max, atom_size))
        self.feature = nn.Sequential(nn.Linear(state_dim, hidden), nn.ReLU())
        self.advantage = nn.Sequential(NoisyLinear(hidden, hidden), nn.ReLU(), NoisyLinear(hidden, action_dim * atom_size))
        self.value = nn.Sequential(NoisyLinear(hidden, hidden), nn.ReLU(), NoisyLinear(hidden, atom_size))

    def forward(self, x):
        dist = self.dist(x)
        q = torch.sum(dist * self.support, dim=2)
        return q

    def dist(self, x):
        feature = self.feature(x)
        adv = self.advantage(feature).view(-1, self.action_dim, self.atom_size)
        val = self.value(feature).view(-1, 1, self.atom_size)
        q_atoms = val + adv - adv.mean(dim=1, keepdim=True)
        dist = F.softmax(q_atoms, dim=-1)
        dist = dist.clamp(min=1e-3)
        return dist


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden_sizes=(64, 64), continuous=False):
        super().__init__()
        layers = []
        last = obs_dim
        for size in hidden_sizes:
            layers += [nn.Linear(last, size), nn.Tanh()]
            last = size
        self.body = nn.Sequential(*layers)
        self.pi = nn.Linear(last, act_dim)
        self.v = nn.Linear(last, 1)
        self.continuous = continuous
        if continuous:
            self.log_std = nn.Parameter(torch.zeros(act_dim))

    def forward(self, obs, action=None):
        z = self.body(obs)
        logits = self.pi(z)
        dist = Normal(logits, self.log_std.exp()) if self.continuous else Categorical(logits=logits)
        if action is None:
            action = dist.sample()
        logp = dist.log_prob(action)
        entropy = dist.entropy()
        if self.continuous:
            logp = logp.sum(-1)
            entropy = entropy.sum(-1)
        return action, logp, entropy, self.v(z).squeeze(-1)


def compute_gae(rewards, values, dones, last_value, gamma=0.99, lam=0.95):
    T = rewards.shape[0]
    adv = torch.zeros_like(rewards)
    last = 0
    for t in reversed(range(T)):
        nextvalues = last_value if t == T - 1 else values[t + 1]
        nonterminal = 1.0 - dones[t]
        delta = rewards[t] + gamma * nextvalues * nonterminal - values[t]
        last = delta + gamma * lam * nonterminal * last
        adv[t] = last
    returns = adv + values
    return adv, returns


def dqn_loss(policy_net, target_net, batch, gamma):
    state, action, reward, next_state, done = batch
    q = policy_net(state).gather(1, action.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        next_q = target_net(next_state).max(1).values
        target = reward + gamma * next_q * (1 - done)
    return F.smooth_l1_loss(q, target)


def soft_update(target, source, tau):
    for tp, sp in zip(target.parameters(), source.parameters()):
        tp.data.copy_(tau * sp.data + (1.0 - tau) * tp.data)


class ReplayBuffer:
    def __init__(self, capacity, obs_dim):
        self.obs = torch.zeros(capacity, obs_dim)
        self.next_obs = torch.zeros(capacity, obs_dim)
        self.act = torch.zeros(capacity, dtype=torch.long)
        self.rew = torch.zeros(capacity)
        self.done = torch.zeros(capacity)
        self.ptr, self.size, self.capacity = 0, 0, capacity

    def push(self, o, a, r, o2, d):
        self.obs[self.ptr] = o
        self.act[self.ptr] = a
        self.rew[self.ptr] = r
        self.next_obs[self.ptr] = o2
        self.done[self.ptr] = d
        self.ptr = (self.ptr + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, batch_size):
        idx = torch.randint(0, self.size, (batch_size,))
        return self.obs[idx], self.act[idx], self.rew[idx], self.next_obs[idx], self.done[idx]
