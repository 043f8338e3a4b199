"""Several worlds stepped side by side, their answers stacked: masks made of truth values, targets backwards through time."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

torch.manual_seed(0)
WORLDS, STEPS, GAMMA = 3, 5, 0.97


class Balance:
    def __init__(self, seed):
        self.rng = np.random.RandomState(seed)

    def reset(self):
        self.lean = self.rng.uniform(-0.1, 0.1, size=2)
        return self.lean.copy()

    def step(self, push):
        lean, speed = self.lean
        speed = speed + 0.05 * (9.0 * np.sin(lean) + (2.0 if push == 1 else -2.0))
        self.lean = np.array([lean + 0.05 * speed, speed])
        return self.lean.copy(), 1.0, bool(abs(self.lean[0]) > 0.5)


class Side:
    def __init__(self, count):
        self.worlds = [Balance(seed) for seed in range(count)]

    def reset(self):
        return np.stack([world.reset() for world in self.worlds])

    def step(self, pushes):
        found = []
        for world, push in zip(self.worlds, pushes):
            lean, reward, over = world.step(push)
            if over:
                lean = world.reset()
            found.append((lean, reward, over))
        leans, rewards, overs = zip(*found)
        return np.stack(leans), np.stack(rewards), np.stack(overs)


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.act, self.worth = nn.Linear(2, 32), nn.Linear(32, 2), nn.Linear(32, 1)

    def pi(self, x, dim=1):
        return F.softmax(self.act(F.relu(self.body(x))), dim=dim)

    def v(self, x):
        return self.worth(F.relu(self.body(x)))


def targets(last, rewards, alive):
    worth, found = last.reshape(-1), []
    for reward, goes_on in zip(rewards[::-1], alive[::-1]):
        worth = reward + GAMMA * worth * goes_on
        found.append(worth)
    return torch.tensor(np.array(found[::-1])).float()


side, judge = Side(WORLDS), Judge()
optimizer = torch.optim.Adam(judge.parameters(), lr=1e-3)
seen = side.reset()
for update in range(8):
    seens, pushes, rewards, alive = [], [], [], []
    for _ in range(STEPS):
        chances = judge.pi(torch.from_numpy(seen).float())
        push = Categorical(chances).sample().numpy()
        after, reward, over = side.step(push)
        seens.append(seen)
        pushes.append(push)
        rewards.append(reward / 100.0)
        alive.append(1 - over.astype(int))
        seen = after
    last = judge.v(torch.from_numpy(seen).float()).detach().numpy()
    goal = targets(last, rewards, alive).reshape(-1)
    states = torch.tensor(np.array(seens)).float().reshape(-1, 2)
    chosen = torch.tensor(np.array(pushes)).reshape(-1).unsqueeze(1)
    gain = goal - judge.v(states).reshape(-1)
    logp = torch.log(judge.pi(states).gather(1, chosen).reshape(-1))
    loss = -(logp * gain.detach()).mean() + F.smooth_l1_loss(judge.v(states).reshape(-1), goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if update % 4 == 3:
        fell, steps, lone = False, 0, Balance(9)
        s = lone.reset()
        while not fell and steps < 30:
            one = judge.pi(torch.from_numpy(s).float(), dim=0)
            s, _, fell = lone.step(Categorical(one).sample().item())
            steps += 1
