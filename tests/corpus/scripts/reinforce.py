from collections import deque, namedtuple
import random
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

Transition = namedtuple('Transition', ('state', 'action', 'next_state', 'reward', 'done'))

class CartEnv:
    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)
        self.t = 0
    def reset(self):
        self.t = 0
        self.state = self.rng.normal(size=4).astype(np.float32)
        return self.state
    def step(self, action):
        self.t += 1
        self.state = self.state + 0.1 * self.rng.normal(size=4).astype(np.float32)
        reward = 1.0 if action == 1 else 0.5
        done = self.t >= 10 or abs(self.state[0]) > 3
        return self.state, reward, bool(done), {}

class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(4, 32)
        self.action_head = nn.Linear(32, 2)
        self.value_head = nn.Linear(32, 1)
        self.saved = []
        self.rewards = []
    def forward(self, x):
        x = F.relu(self.affine1(x))
        return F.softmax(self.action_head(x), dim=-1), self.value_head(x)

class ReplayMemory:
    def __init__(self, cap):
        self.memory = deque([], maxlen=cap)
    def push(self, *args):
        self.memory.append(Transition(*args))
    def sample(self, n):
        return random.sample(self.memory, n)
    def __len__(self):
        return len(self.memory)

env = CartEnv()
policy = Policy()
opt = torch.optim.Adam(policy.parameters(), lr=3e-2)
eps = np.finfo(np.float32).eps.item()
memory = ReplayMemory(200)

def select_action(state):
    state = torch.from_numpy(state)
    probs, value = policy(state)
    m = Categorical(probs)
    action = m.sample()
    logp = m.log_prob(action)
    policy.saved.append((logp, value))
    return action.item(), m.entropy()

for ep in range(3):
    state = env.reset()
    done = False
    while not done:
        action, ent = select_action(state)
        next_state, reward, done, _ = env.step(action)
        policy.rewards.append(reward)
        memory.push(torch.tensor(state).unsqueeze(0), torch.tensor([[action]]), torch.tensor(next_state).unsqueeze(0), torch.tensor([reward]), done)
        state = next_state
    R = 0
    returns = []
    for r in policy.rewards[::-1]:
        R = r + 0.99 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps)
    ploss, vloss = [], []
    for (logp, value), R in zip(policy.saved, returns):
        adv = R - value.item()
        ploss.append(-logp * adv)
        vloss.append(F.smooth_l1_loss(value, torch.tensor([R])))
    opt.zero_grad()
    loss = torch.stack(ploss).sum() + torch.stack(vloss).sum()
    loss.backward()
    opt.step()
    del policy.rewards[:]
    del policy.saved[:]

# DQN step
qnet = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target.load_state_dict(qnet.state_dict())
BATCH = 4
transitions = memory.sample(BATCH)
batch = Transition(*zip(*transitions))
non_final = torch.tensor(tuple(map(lambda d: not d, batch.done)), dtype=torch.bool)
states = torch.cat(batch.state)
actions = torch.cat(batch.action)
rewards = torch.cat(batch.reward)
nexts = torch.cat(batch.next_state)
q = qnet(states).gather(1, actions)
next_v = torch.zeros(BATCH)
with torch.no_grad():
    next_v[non_final] = target(nexts[non_final]).max(1).values
expected = next_v * 0.99 + rewards
loss = nn.SmoothL1Loss()(q, expected.unsqueeze(1))
loss.backward()
tau = 0.005
tsd, qsd = target.state_dict(), qnet.state_dict()
for key in qsd:
    tsd[key] = qsd[key] * tau + tsd[key] * (1 - tau)
target.load_state_dict(tsd)
# PPO GAE
T, N = 8, 2
rew = torch.rand(T, N); vals = torch.rand(T + 1, N); dones = torch.zeros(T, N)
adv = torch.zeros_like(rew)
lastgae = 0
for t in reversed(range(T)):
    delta = rew[t] + 0.99 * vals[t + 1] * (1 - dones[t]) - vals[t]
    adv[t] = lastgae = delta + 0.99 * 0.95 * (1 - dones[t]) * lastgae
ret = adv + vals[:-1]
b_adv = adv.reshape(-1)
inds = np.arange(T * N)
np.random.shuffle(inds)
for s in range(0, T * N, 4):
    mb = inds[s:s + 4]
    mb_adv = b_adv[mb]
    mb_adv = (mb_adv - mb_adv.mean()) / (mb_adv.std() + 1e-8)
    ratio = torch.exp(torch.randn(4) * 0.1)
    pg = torch.max(-mb_adv * ratio, -mb_adv * torch.clamp(ratio, 0.8, 1.2)).mean()
