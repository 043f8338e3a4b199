import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical, Normal

LOG_STD_MIN, LOG_STD_MAX = -20, 2


def mlp(sizes, activation, output_activation=nn.Identity):
    layers = []
    for j in range(len(sizes) - 1):
        act = activation if j < len(sizes) - 2 else output_activation
        layers += [nn.Linear(sizes[j], sizes[j + 1]), act()]
    return nn.Sequential(*layers)


def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class SquashedGaussianMLPActor(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden_sizes, activation, act_limit):
        super().__init__()
        self.net = mlp([obs_dim] + list(hidden_sizes), activation, activation)
        self.mu_layer = nn.Linear(hidden_sizes[-1], act_dim)
        self.log_std_layer = nn.Linear(hidden_sizes[-1], act_dim)
        self.act_limit = act_limit

    def forward(self, obs, deterministic=False, with_logprob=True):
        net_out = self.net(obs)
        mu = self.mu_layer(net_out)
        log_std = self.log_std_layer(net_out)
        log_std = torch.clamp(log_std, LOG_STD_MIN, LOG_STD_MAX)
        std = torch.exp(log_std)
        pi_distribution = Normal(mu, std)
        if deterministic:
            pi_action = mu
        else:
            pi_action = pi_distribution.rsample()
        if with_logprob:
            logp_pi = pi_distribution.log_prob(pi_action).sum(axis=-1)
            logp_pi -= (2 * (np.log(2) - pi_action - F.softplus(-2 * pi_action))).sum(axis=1)
        else:
            logp_pi = None
        pi_action = torch.tanh(pi_action)
        pi_action = self.act_limit * pi_action
        return pi_action, logp_pi


class TwinQ(nn.Module):
    def __init__(self, state_dim, action_dim, hidden=256):
        super().__init__()
        self.q1 = mlp([state_dim + action_dim, hidden, 1], nn.ReLU)
        self.q2 = mlp([state_dim + action_dim, hidden, 1], nn.ReLU)

    def both(self, state, action):
        sa = torch.cat([state, action], 1)
        return self.q1(sa), self.q2(sa)

    def forward(self, state, action):
        return torch.min(*self.both(state, action))


class Agent(nn.Module):
    def __init__(self, obs_shape, n_actions):
        super().__init__()
        self.critic = nn.Sequential(layer_init(nn.Linear(np.array(obs_shape).prod(), 64)), nn.Tanh(), layer_init(nn.Linear(64, 1), std=1.0))
        self.actor = nn.Sequential(layer_init(nn.Linear(np.array(obs_shape).prod(), 64)), nn.Tanh(), layer_init(nn.Linear(64, n_actions), std=0.01))

    def get_value(self, x):
        return self.critic(x)

    def get_action_and_value(self, x, action=None):
        logits = self.actor(x)
        probs = Categorical(logits=logits)
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.critic(x)


class DuelingNetwork(nn.Module):
    def __init__(self, state_size, action_size, fc1_units=64, fc2_units=64):
        super(DuelingNetwork, self).__init__()
        self.fc1 = nn.Linear(state_size, fc1_units)
        self.fc2 = nn.Linear(fc1_units, fc2_units)
        self.advantage = nn.Linear(fc2_units, action_size)
        self.value = nn.Linear(fc2_units, 1)

    def forward(self, state):
        x = F.relu(self.fc1(state))
        x = F.relu(self.fc2(x))
        adv = self.advantage(x)
        val = self.value(x)
        return val + adv - adv.mean(dim=1, keepdim=True)


class C51(nn.Module):
    def __init__(self, obs_dim, n_actions, n_atoms=51, v_min=-10.0, v_max=10.0):
        super().__init__()
        self.n = n_actions
        self.n_atoms = n_atoms
        self.register_buffer("atoms", torch.linspace(v_min, v_max, steps=n_atoms))
        self.network = nn.Sequential(nn.Linear(obs_dim, 120), nn.ReLU(), nn.Linear(120, self.n * n_atoms))

    def get_action(self, x, action=None):
        logits = self.network(x)
        pmfs = torch.softmax(logits.view(len(x), self.n, self.n_atoms), dim=2)
        q_values = (pmfs * self.atoms).sum(2)
        if action is None:
            action = torch.argmax(q_values, 1)
        return action, pmfs[torch.arange(len(x)), action]

    def project(self, next_pmfs, rewards, dones, gamma):
        delta = self.atoms[1] - self.atoms[0]
        next_atoms = rewards + gamma * self.atoms * (1 - dones)
        tz = next_atoms.clamp(self.atoms[0], self.atoms[-1])
        b = (tz - self.atoms[0]) / delta
        l = b.floor().clamp(0, self.n_atoms - 1)
        u = b.ceil().clamp(0, self.n_atoms - 1)
        d_m_l = (u + (l == u).float() - b) * next_pmfs
        d_m_u = (b - l) * next_pmfs
        target_pmfs = torch.zeros_like(next_pmfs)
        for i in range(target_pmfs.size(0)):
            target_pmfs[i].index_add_(0, l[i].long(), d_m_l[i])
            target_pmfs[i].index_add_(0, u[i].long(), d_m_u[i])
        return target_pmfs


def compute_gae(rewards, values, dones, next_value, gamma=0.99, lam=0.95):
    advantages = torch.zeros_like(rewards)
    lastgaelam = 0
    steps = rewards.shape[0]
    for t in reversed(range(steps)):
        nextvalues = next_value if t == steps - 1 else values[t + 1]
        nonterminal = 1.0 - dones[t]
        delta = rewards[t] + gamma * nextvalues * nonterminal - values[t]
        advantages[t] = lastgaelam = delta + gamma * lam * nonterminal * lastgaelam
    returns = advantages + values
    return advantages, returns


def ppo_loss(new_logp, old_logp, advantages, values, returns, entropy, clip=0.2, vf=0.5, ent=0.01):
    logratio = new_logp - old_logp
    ratio = logratio.exp()
    adv = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    pg_loss1 = -adv * ratio
    pg_loss2 = -adv * torch.clamp(ratio, 1 - clip, 1 + clip)
    pg_loss = torch.max(pg_loss1, pg_loss2).mean()
    v_loss = 0.5 * ((values - returns) ** 2).mean()
    return pg_loss - ent * entropy.mean() + v_loss * vf


def quantile_huber(current, target, taus, kappa=1.0):
    td = target.unsqueeze(1) - current.unsqueeze(2)
    huber = torch.where(td.abs() <= kappa, 0.5 * td.pow(2), kappa * (td.abs() - 0.5 * kappa))
    weight = torch.abs(taus[..., None] - (td.detach() < 0).float())
    return (weight * huber).sum(dim=1).mean(dim=1)


@torch.no_grad()
def soft_update(local_model, target_model, tau):
    for target_param, local_param in zip(target_model.parameters(), local_model.parameters()):
        target_param.data.copy_(tau * local_param.data + (1.0 - tau) * target_param.data)


class SACLearner:
    def __init__(self, actor, critic, gamma=0.99, alpha=0.2, lr=3e-4):
        self.actor = actor
        self.critic = critic
        self.target = copy.deepcopy(critic)
        self.gamma, self.alpha = gamma, alpha
        self.opt = torch.optim.Adam(critic.parameters(), lr=lr)

    def critic_loss(self, obs, act, rew, next_obs, done):
        q1, q2 = self.critic.both(obs, act)
        with torch.no_grad():
            a2, logp = self.actor(next_obs)
            backup = rew + self.gamma * (1 - done) * (self.target(next_obs, a2) - self.alpha * logp.unsqueeze(-1))
        return F.mse_loss(q1, backup) + F.mse_loss(q2, backup)

    def update(self, batch):
        obs, act, rew, next_obs, done = batch
        loss = self.critic_loss(obs, act, rew, next_obs, done)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        soft_update(self.critic, self.target, 0.005)
        return loss.item()
