import random
from collections import deque, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", ["state", "action", "reward", "next_state", "done"])


class ReplayBuffer:
    def __init__(self, capacity):
        self.buffer = deque(maxlen=capacity)

    def push(self, *args):
        self.buffer.append(Transition(*args))

    def sample(self, batch_size):
        batch = random.sample(self.buffer, batch_size)
        states, actions, rewards, next_states, dones = map(np.stack, zip(*batch))
        return (
            torch.as_tensor(states, dtype=torch.float32),
            torch.as_tensor(actions, dtype=torch.float32),
            torch.as_tensor(rewards, dtype=torch.float32).unsqueeze(1),
            torch.as_tensor(next_states, dtype=torch.float32),
            torch.as_tensor(dones, dtype=torch.float32).unsqueeze(1),
        )

    def __len__(self):
        return len(self.buffer)


class Pendulum:
    max_torque = 2.0

    def __init__(self, seed=0):
        self.rng = np.random.RandomState(seed)

    def reset(self):
        self.th, self.thdot, self.t = self.rng.uniform(-np.pi, np.pi), self.rng.uniform(-1, 1), 0
        return self.obs()

    def obs(self):
        return np.array([np.cos(self.th), np.sin(self.th), self.thdot], dtype=np.float32)

    def step(self, u):
        u = float(np.clip(u, -self.max_torque, self.max_torque)[0])
        angle = ((self.th + np.pi) % (2 * np.pi)) - np.pi
        cost = angle ** 2 + 0.1 * self.thdot ** 2 + 0.001 * u ** 2
        self.thdot = np.clip(self.thdot + (15.0 * np.sin(self.th) + 3.0 * u) * 0.05, -8, 8)
        self.th += self.thdot * 0.05
        self.t += 1
        return self.obs(), -cost, self.t >= 40


def mlp(sizes, activation=nn.ReLU, output_activation=nn.Identity):
    layers = []
    for j in range(len(sizes) - 1):
        act = activation if j < len(sizes) - 2 else output_activation
        layers += [nn.Linear(sizes[j], sizes[j + 1]), act()]
    return nn.Sequential(*layers)


class Actor(nn.Module):
    LOG_STD_MIN, LOG_STD_MAX = -20, 2

    def __init__(self, obs_dim, act_dim, hidden, limit):
        super().__init__()
        self.net = mlp([obs_dim] + list(hidden), nn.ReLU, nn.ReLU)
        self.mu = nn.Linear(hidden[-1], act_dim)
        self.log_std = nn.Linear(hidden[-1], act_dim)
        self.limit = limit

    def forward(self, obs, deterministic=False):
        h = self.net(obs)
        mu = self.mu(h)
        std = torch.clamp(self.log_std(h), self.LOG_STD_MIN, self.LOG_STD_MAX).exp()
        dist = torch.distributions.Normal(mu, std)
        pi = mu if deterministic else dist.rsample()
        logp = dist.log_prob(pi).sum(axis=-1, keepdim=True)
        logp = logp - (2 * (np.log(2) - pi - F.softplus(-2 * pi))).sum(axis=1, keepdim=True)
        return self.limit * torch.tanh(pi), logp


class Critic(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden):
        super().__init__()
        self.q1 = mlp([obs_dim + act_dim, *hidden, 1])
        self.q2 = mlp([obs_dim + act_dim, *hidden, 1])

    def forward(self, obs, act):
        x = torch.cat([obs, act], dim=-1)
        return self.q1(x), self.q2(x)


random.seed(0)
torch.manual_seed(0)
env, buffer = Pendulum(), ReplayBuffer(1000)
actor, critic, target = Actor(3, 1, (32, 32), 2.0), Critic(3, 1, (32, 32)), Critic(3, 1, (32, 32))
target.load_state_dict(critic.state_dict())
log_alpha = torch.zeros(1, requires_grad=True)
pi_opt = torch.optim.Adam(actor.parameters(), lr=3e-4)
q_opt = torch.optim.Adam(critic.parameters(), lr=3e-4)
a_opt = torch.optim.Adam([log_alpha], lr=3e-4)
gamma, tau, batch_size, target_entropy = 0.99, 0.005, 32, -1.0
returns = []
for episode in range(3):
    state, done, total = env.reset(), False, 0.0
    while not done:
        if len(buffer) < 50:
            action = np.random.uniform(-2, 2, size=(1,)).astype(np.float32)
        else:
            with torch.no_grad():
                a, _ = actor(torch.from_numpy(state).unsqueeze(0))
            action = a.squeeze(0).numpy()
        next_state, reward, done = env.step(action)
        buffer.push(state, action, reward, next_state, float(done))
        state = next_state
        total += reward
        if len(buffer) >= batch_size:
            s, a, r, s2, d = buffer.sample(batch_size)
            alpha = log_alpha.exp().detach()
            with torch.no_grad():
                a2, logp2 = actor(s2)
                tq1, tq2 = target(s2, a2)
                backup = r + gamma * (1 - d) * (torch.min(tq1, tq2) - alpha * logp2)
            q1, q2 = critic(s, a)
            q_loss = F.mse_loss(q1, backup) + F.mse_loss(q2, backup)
            q_opt.zero_grad()
            q_loss.backward()
            q_opt.step()
            pi, logp = actor(s)
            pi_loss = (alpha * logp - torch.min(*critic(s, pi))).mean()
            pi_opt.zero_grad()
            pi_loss.backward()
            pi_opt.step()
            alpha_loss = -(log_alpha * (logp + target_entropy).detach()).mean()
            a_opt.zero_grad()
            alpha_loss.backward()
            a_opt.step()
            with torch.no_grad():
                for p, p_t in zip(critic.parameters(), target.parameters()):
                    p_t.data.mul_(1 - tau).add_(tau * p.data)
    returns.append(total)
    print(episode, total, len(buffer))
