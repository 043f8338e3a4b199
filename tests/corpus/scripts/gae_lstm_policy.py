"""A recurrent policy on a cart of our own: episodes of nobody knows which length, advantages by hand, backwards."""
import math
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

torch.manual_seed(0)
np.random.seed(0)
HORIZON, GAMMA, LAMBDA, CLIP = 16, 0.98, 0.95, 0.2


class Cart:
    def reset(self):
        self.at = np.random.uniform(-0.05, 0.05, size=4)
        return self.at.astype(np.float32)

    def step(self, push):
        x, v, angle, turn = self.at
        force = 8.0 if push else -8.0
        bend = (9.8 * math.sin(angle) - math.cos(angle) * force) / 0.7
        self.at = np.array([x + 0.02 * v, v + 0.02 * force, angle + 0.02 * turn, turn + 0.02 * bend])
        fell = bool(abs(self.at[0]) > 2.0 or abs(self.at[2]) > 0.3)
        return self.at.astype(np.float32), 1.0 - 0.1 * abs(x), fell


class Policy(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.hidden = hidden
        self.body = nn.Linear(4, 32)
        self.memory = nn.LSTM(32, hidden)
        self.act, self.value = nn.Linear(hidden, 2), nn.Linear(hidden, 1)
        self.kept = []

    def begin(self):
        return torch.zeros(1, 1, self.hidden), torch.zeros(1, 1, self.hidden)

    def forward(self, x, state):
        x = torch.relu(self.body(x)).view(-1, 1, 32)
        out, state = self.memory(x, state)
        return F.softmax(self.act(out), dim=-1), self.value(out), state

    def batch(self):
        seen, acts, rewards, probs, ends, states = [], [], [], [], [], []
        for s, a, r, p, fell, state in self.kept:
            seen.append(s)
            acts.append([a])
            rewards.append([r / 10.0])
            probs.append([p])
            ends.append([0.0 if fell else 1.0])
            states.append(state)
        self.kept = []
        h, c = states[0]
        return (
            torch.tensor(np.array(seen)), torch.tensor(acts), torch.tensor(rewards, dtype=torch.float),
            torch.tensor(probs), torch.tensor(ends), (h.detach(), c.detach()),
        )


def update(policy, optimizer):
    s, a, r, old, alive, first = policy.batch()
    for _ in range(2):
        pi, v, _ = policy(s, first)
        value = v.squeeze(1)
        target = r + GAMMA * value.roll(-1, 0).detach() * alive
        delta = (target - value).detach().numpy()
        advantage, gathered = 0.0, []
        for item in delta[::-1]:
            advantage = GAMMA * LAMBDA * advantage + item[0]
            gathered.append([advantage])
        gathered.reverse()
        gain = torch.tensor(gathered, dtype=torch.float)
        ratio = torch.exp(torch.log(pi.squeeze(1).gather(1, a)) - torch.log(old))
        loss = -torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
        loss = loss + F.smooth_l1_loss(value, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


policy, cart = Policy(), Cart()
optimizer = torch.optim.Adam(policy.parameters(), lr=5e-4)
losses = []
for episode in range(6):
    state, s, fell = policy.begin(), cart.reset(), False
    while not fell:
        for step in range(HORIZON):
            probs, _, after = policy(torch.from_numpy(s), state)
            probs = probs.view(-1)
            a = Categorical(probs).sample().item()
            s_next, r, fell = cart.step(a)
            policy.kept.append((s, a, r, probs[a].item(), fell, state))
            s, state = s_next, after
            if fell:
                break
        losses.append(update(policy, optimizer))
curve = torch.tensor(losses)
