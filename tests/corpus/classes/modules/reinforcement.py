"""Policies and values."""
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


class DQN(nn.Module):
    def __init__(self, n_observations, n_actions):
        super(DQN, self).__init__()
        self.layer1 = nn.Linear(n_observations, 128)
        self.layer2 = nn.Linear(128, 128)
        self.layer3 = nn.Linear(128, n_actions)

    def forward(self, x):
        x = F.relu(self.layer1(x))
        x = F.relu(self.layer2(x))
        return self.layer3(x)


class DuelingDQN(nn.Module):
    def __init__(self, state_dim, action_dim, hidden_dim=64):
        super().__init__()
        self.feature = nn.Sequential(nn.Linear(state_dim, hidden_dim), nn.ReLU())
        self.advantage = nn.Linear(hidden_dim, action_dim)
        self.value = nn.Linear(hidden_dim, 1)

    def forward(self, state):
        features = self.feature(state)
        advantages = self.advantage(features)
        values = self.value(features)
        qvals = values + (advantages - advantages.mean(dim=-1, keepdim=True))
        return qvals


class NatureCNN(nn.Module):
    def __init__(self, in_channels, features_dim=512, n_actions=6):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, 32, kernel_size=8, stride=4)
        self.conv2 = nn.Conv2d(32, 64, kernel_size=4, stride=2)
        self.conv3 = nn.Conv2d(64, 64, kernel_size=3, stride=1)
        self.fc = nn.Linear(7 * 7 * 64, features_dim)
        self.head = nn.Linear(features_dim, n_actions)

    def forward(self, obs):
        obs = obs.float() / 255
        h = F.relu(self.conv1(obs))
        h = F.relu(self.conv2(h))
        h = F.relu(self.conv3(h))
        h = h.reshape(h.shape[0], -1)
        h = F.relu(self.fc(h))
        return self.head(h)


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden_sizes=(64, 64)):
        super().__init__()
        self.pi = mlp([obs_dim, *hidden_sizes, act_dim], nn.Tanh)
        self.v = mlp([obs_dim, *hidden_sizes, 1], nn.Tanh)

    def forward(self, obs):
        logits = self.pi(obs)
        value = torch.squeeze(self.v(obs), -1)
        return logits, value

    def evaluate(self, obs, act):
        logits, value = self(obs)
        pi = Categorical(logits=logits)
        logp = pi.log_prob(act)
        entropy = pi.entropy()
        return logp, value, entropy


class SquashedGaussianActor(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden_dim, act_limit=1.0):
        super().__init__()
        self.net = mlp([obs_dim, hidden_dim, hidden_dim], nn.ReLU, nn.ReLU)
        self.mu_layer = nn.Linear(hidden_dim, act_dim)
        self.log_std_layer = nn.Linear(hidden_dim, act_dim)
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
            logp_pi -= (2 * (torch.log(torch.tensor(2.0)) - pi_action - F.softplus(-2 * pi_action))).sum(axis=1)
        else:
            logp_pi = None
        pi_action = torch.tanh(pi_action)
        pi_action = self.act_limit * pi_action
        return pi_action, logp_pi


class QFunction(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden_sizes):
        super().__init__()
        self.q = mlp([obs_dim + act_dim] + list(hidden_sizes) + [1], nn.ReLU)

    def forward(self, obs, act):
        q = self.q(torch.cat([obs, act], dim=-1))
        return torch.squeeze(q, -1)


class RecurrentPolicy(nn.Module):
    def __init__(self, obs_size, hidden_size, num_actions):
        super().__init__()
        self.encoder = nn.Linear(obs_size, hidden_size)
        self.cell = nn.LSTMCell(hidden_size, hidden_size)
        self.actor = nn.Linear(hidden_size, num_actions)
        self.critic = nn.Linear(hidden_size, 1)

    def forward(self, obs, hx, cx, done):
        x = torch.tanh(self.encoder(obs))
        not_done = (1.0 - done).unsqueeze(-1)
        hx, cx = self.cell(x, (hx * not_done, cx * not_done))
        probs = F.softmax(self.actor(hx), dim=-1)
        value = self.critic(hx)
        return probs, value, (hx, cx)


def compute_gae(rewards, values, dones, next_value, gamma=0.99, lam=0.95):
    T = rewards.shape[0]
    advantages = torch.zeros_like(rewards)
    gae = torch.zeros_like(next_value)
    for t in reversed(range(T)):
        following = next_value if t == T - 1 else values[t + 1]
        delta = rewards[t] + gamma * following * (1 - dones[t]) - values[t]
        gae = delta + gamma * lam * (1 - dones[t]) * gae
        advantages[t] = gae
    returns = advantages + values
    return advantages, returns


def ppo_loss(logp, old_logp, adv, clip_ratio=0.2):
    ratio = torch.exp(logp - old_logp)
    clipped = torch.clamp(ratio, 1 - clip_ratio, 1 + clip_ratio) * adv
    loss = -torch.min(ratio * adv, clipped).mean()
    return loss
