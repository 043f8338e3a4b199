import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical, Normal
from typing import NamedTuple
import itertools


class RolloutBatch(NamedTuple):
    obs: torch.Tensor
    actions: torch.Tensor
    old_log_prob: torch.Tensor
    advantages: torch.Tensor
    returns: torch.Tensor


class PointEnv:
    """A point that must reach the middle. Gym's interface."""

    def __init__(self, seed=0, limit=40):
        self.rng = np.random.RandomState(seed)
        self.limit = limit
        self.state = None
        self.t = 0

    def reset(self):
        self.state = self.rng.uniform(-1, 1, size=(4,)).astype(np.float32)
        self.t = 0
        return self.state.copy(), {}

    def step(self, action):
        a = np.clip(action, -1, 1)
        self.state[2:] += 0.1 * a
        self.state[:2] += 0.1 * self.state[2:]
        self.t += 1
        dist = np.linalg.norm(self.state[:2])
        reward = float(-dist - 0.01 * (a ** 2).sum())
        terminated = bool(dist < 0.05 or dist > 3)
        truncated = self.t >= self.limit
        return self.state.copy(), reward, terminated, truncated, {'dist': dist}


class VecEnv:
    def __init__(self, fns):
        self.envs = [fn() for fn in fns]
        self.num_envs = len(self.envs)

    def reset(self):
        return np.stack([e.reset()[0] for e in self.envs])

    def step(self, actions):
        obs, rews, dones = [], [], []
        for env, a in zip(self.envs, actions):
            o, r, term, trunc, info = env.step(a)
            if term or trunc:
                o, _ = env.reset()
            obs.append(o)
            rews.append(r)
            dones.append(term or trunc)
        return np.stack(obs), np.array(rews, dtype=np.float32), np.array(dones)


def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden=32):
        super().__init__()
        self.critic = nn.Sequential(
            layer_init(nn.Linear(obs_dim, hidden)), nn.Tanh(),
            layer_init(nn.Linear(hidden, hidden)), nn.Tanh(),
            layer_init(nn.Linear(hidden, 1), std=1.0),
        )
        self.actor_mean = nn.Sequential(
            layer_init(nn.Linear(obs_dim, hidden)), nn.Tanh(),
            layer_init(nn.Linear(hidden, act_dim), std=0.01),
        )
        self.actor_logstd = nn.Parameter(torch.zeros(1, act_dim))

    def get_value(self, x):
        return self.critic(x)

    def get_action_and_value(self, x, action=None):
        mean = self.actor_mean(x)
        std = self.actor_logstd.expand_as(mean).exp()
        dist = Normal(mean, std)
        if action is None:
            action = dist.sample()
        return action, dist.log_prob(action).sum(1), dist.entropy().sum(1), self.critic(x)


class RunningNorm:
    def __init__(self, shape, eps=1e-4):
        self.mean = np.zeros(shape, 'float64')
        self.var = np.ones(shape, 'float64')
        self.count = eps

    def update(self, x):
        bm, bv, bc = x.mean(axis=0), x.var(axis=0), x.shape[0]
        delta = bm - self.mean
        tot = self.count + bc
        self.mean = self.mean + delta * bc / tot
        self.var = (self.var * self.count + bv * bc + delta ** 2 * self.count * bc / tot) / tot
        self.count = tot

    def __call__(self, x):
        return ((x - self.mean) / np.sqrt(self.var + 1e-8)).clip(-10, 10).astype(np.float32)


class RolloutBuffer:
    def __init__(self, steps, n_envs, obs_shape, act_shape, gamma=0.99, lam=0.95):
        self.steps, self.n_envs, self.gamma, self.lam = steps, n_envs, gamma, lam
        self.obs = np.zeros((steps, n_envs) + obs_shape, dtype=np.float32)
        self.actions = np.zeros((steps, n_envs) + act_shape, dtype=np.float32)
        self.rewards = np.zeros((steps, n_envs), dtype=np.float32)
        self.dones = np.zeros((steps, n_envs), dtype=np.float32)
        self.values = np.zeros((steps, n_envs), dtype=np.float32)
        self.logp = np.zeros((steps, n_envs), dtype=np.float32)
        self.pos, self.full = 0, False

    def add(self, obs, action, reward, done, value, logp):
        self.obs[self.pos] = obs
        self.actions[self.pos] = action
        self.rewards[self.pos] = reward
        self.dones[self.pos] = done
        self.values[self.pos] = value.cpu().numpy().flatten()
        self.logp[self.pos] = logp.cpu().numpy()
        self.pos += 1
        if self.pos == self.steps:
            self.full = True

    def finish(self, last_value):
        last_value = last_value.numpy().flatten()
        self.adv = np.zeros_like(self.rewards)
        gae = 0
        for t in reversed(range(self.steps)):
            nonterm = 1.0 - self.dones[t]
            nextv = last_value if t == self.steps - 1 else self.values[t + 1]
            delta = self.rewards[t] + self.gamma * nextv * nonterm - self.values[t]
            gae = delta + self.gamma * self.lam * nonterm * gae
            self.adv[t] = gae
        self.ret = self.adv + self.values

    @staticmethod
    def swap_and_flatten(arr):
        shape = arr.shape
        if len(shape) < 3:
            shape = (*shape, 1)
        return arr.swapaxes(0, 1).reshape(shape[0] * shape[1], *shape[2:])

    def get(self, batch_size, rng):
        assert self.full
        n = self.steps * self.n_envs
        idx = rng.permutation(n)
        flat = {k: self.swap_and_flatten(getattr(self, k)) for k in ('obs', 'actions', 'logp', 'adv', 'ret')}
        start = 0
        while start < n:
            yield self._sample(flat, idx[start:start + batch_size])
            start += batch_size

    def _sample(self, flat, inds):
        data = (flat['obs'][inds], flat['actions'][inds], flat['logp'][inds].flatten(), flat['adv'][inds].flatten(), flat['ret'][inds].flatten())
        return RolloutBatch(*map(torch.as_tensor, data))

    def reset(self):
        self.pos, self.full = 0, False


def evaluate(agent, norm, episodes=2):
    env = PointEnv(seed=99)
    totals = []
    for ep in range(episodes):
        obs, _ = env.reset()
        total = 0.
        for t in itertools.count():
            with torch.no_grad():
                o = torch.as_tensor(norm(obs)).unsqueeze(0)
                act = agent.actor_mean(o)
            obs, r, term, trunc, _ = env.step(act.squeeze(0).numpy())
            total += r
            if term or trunc:
                break
        totals.append(total)
    return np.mean(totals)


def main():
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    envs = VecEnv([lambda s=s: PointEnv(seed=s) for s in range(4)])
    agent = Agent(4, 2)
    norm = RunningNorm((4,))
    optimizer = torch.optim.Adam(agent.parameters(), lr=3e-4, eps=1e-5)
    buf = RolloutBuffer(16, envs.num_envs, (4,), (2,))
    clip, ent_coef, vf_coef = 0.2, 0.01, 0.5
    obs = envs.reset()
    for update in range(3):
        frac = 1.0 - update / 3
        optimizer.param_groups[0]["lr"] = frac * 3e-4
        buf.reset()
        for step in range(buf.steps):
            norm.update(obs)
            nobs = norm(obs)
            with torch.no_grad():
                action, logp, _, value = agent.get_action_and_value(torch.from_numpy(nobs))
            next_obs, reward, done = envs.step(action.numpy())
            buf.add(nobs, action.numpy(), reward, done, value, logp)
            obs = next_obs
        with torch.no_grad():
            last = agent.get_value(torch.from_numpy(norm(obs)))
        buf.finish(last)
        kls = []
        for epoch in range(2):
            for batch in buf.get(24, rng):
                _, newlogp, entropy, newv = agent.get_action_and_value(batch.obs, batch.actions)
                logratio = newlogp - batch.old_log_prob
                ratio = logratio.exp()
                with torch.no_grad():
                    approx_kl = ((ratio - 1) - logratio).mean()
                    kls.append(approx_kl.item())
                adv = (batch.advantages - batch.advantages.mean()) / (batch.advantages.std() + 1e-8)
                pg1 = -adv * ratio
                pg2 = -adv * torch.clamp(ratio, 1 - clip, 1 + clip)
                pg_loss = torch.max(pg1, pg2).mean()
                v_loss = 0.5 * ((newv.view(-1) - batch.returns) ** 2).mean()
                ent = entropy.mean()
                loss = pg_loss - ent_coef * ent + vf_coef * v_loss
                optimizer.zero_grad()
                loss.backward()
                gn = nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
            if np.mean(kls) > 0.5:
                break
    y_pred, y_true = buf.values.reshape(-1), buf.ret.reshape(-1)
    var_y = np.var(y_true)
    explained = np.nan if var_y == 0 else 1 - np.var(y_true - y_pred) / var_y
    print(round(float(explained), 2), evaluate(agent, norm) < 0, gn.shape)


if __name__ == "__main__":
    main()
