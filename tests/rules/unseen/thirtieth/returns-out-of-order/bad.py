"""REINFORCE and a small DQN on a corridor."""
import random
from collections import deque

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Categorical


class Corridor:
    def reset(self):
        self.at = 0
        return torch.tensor([0.0, 1.0])

    def step(self, action):
        self.at += 1 if action == 1 else -1
        done = self.at in (-3, 3)
        return torch.tensor([self.at / 3, 1.0]), float(self.at == 3), done


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))

    def forward(self, s):
        return Categorical(logits=self.body(s))


class Reinforce:
    def __init__(self, gamma=0.95):
        self.policy = Policy()
        self.gamma = gamma
        self.opt = torch.optim.Adam(self.policy.parameters(), lr=1e-2)

    def returns(self, rewards):
        total, found = 0.0, []
        for reward in rewards[::-1]:
            total = reward + self.gamma * total
            found += [total]  # BAD: returns-out-of-order
        found = torch.tensor(found)
        return (found - found.mean()) / (found.std() + 1e-6) if len(found) > 1 else found

    def episode(self, env):
        state, done, logs, rewards = env.reset(), False, [], []
        while not done and len(rewards) < 20:
            choice = self.policy(state)
            action = choice.sample()
            logs.append(choice.log_prob(action))
            state, reward, done = env.step(action.item())
            rewards.append(reward)
        loss = -(torch.stack(logs) * self.returns(rewards)).sum()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return sum(rewards)


class DQN:
    def __init__(self):
        self.online, self.target = (nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2)) for _ in range(2))
        self.target.load_state_dict(self.online.state_dict())
        self.memory = deque(maxlen=500)
        self.opt = torch.optim.Adam(self.online.parameters(), lr=1e-3)

    def learn(self, size=8):
        s, a, r, n, d = map(torch.stack, zip(*random.sample(self.memory, size)))
        chosen = self.online(s).gather(1, a.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            best = self.target(n).max(dim=1).values
            goal = r + 0.95 * best * (1 - d)
        loss = F.smooth_l1_loss(chosen, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()


env, agent, dqn = Corridor(), Reinforce(), DQN()
for episode in range(3):
    agent.episode(env)
    state, done = env.reset(), False
    for _ in range(10):
        action = random.randrange(2)
        following, reward, done = env.step(action)
        dqn.memory.append((state, torch.tensor(action), torch.tensor(reward), following, torch.tensor(float(done))))
        state = env.reset() if done else following
    if len(dqn.memory) >= 8:
        dqn.learn()
