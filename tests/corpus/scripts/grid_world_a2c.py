import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.distributions import Categorical

torch.manual_seed(0)
np.random.seed(0)

SIZE = 5
ACTIONS = [(-1, 0), (1, 0), (0, -1), (0, 1)]

class GridWorld:
    def __init__(self, size=SIZE, max_steps=30):
        self.size = size
        self.max_steps = max_steps
        self.observation_shape = (2, size, size)
        self.n_actions = len(ACTIONS)
    def reset(self):
        self.agent = np.array([0, 0])
        while True:
            self.goal = np.random.randint(0, self.size, 2)
            if not np.array_equal(self.goal, self.agent):
                break
        self.steps = 0
        return self.observe()
    def observe(self):
        obs = np.zeros(self.observation_shape, dtype=np.float32)
        obs[0, self.agent[0], self.agent[1]] = 1
        obs[1, self.goal[0], self.goal[1]] = 1
        return obs
    def step(self, action):
        self.agent = np.clip(self.agent + np.array(ACTIONS[action]), 0, self.size - 1)
        self.steps += 1
        done = bool((self.agent == self.goal).all())
        reward = 1.0 if done else -0.01
        if self.steps >= self.max_steps:
            done = True
        return self.observe(), reward, done

class VecEnv:
    def __init__(self, n):
        self.envs = [GridWorld() for _ in range(n)]
        self.n = n
    def reset(self):
        return np.stack([e.reset() for e in self.envs])
    def step(self, actions):
        obs, rewards, dones = [], [], []
        for env, a in zip(self.envs, actions):
            o, r, d = env.step(a)
            if d:
                o = env.reset()
            obs.append(o)
            rewards.append(r)
            dones.append(d)
        return np.stack(obs), np.array(rewards, dtype=np.float32), np.array(dones)

def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
    nn.init.orthogonal_(layer.weight, std)
    nn.init.constant_(layer.bias, bias_const)
    return layer

class ActorCritic(nn.Module):
    def __init__(self, obs_shape, n_actions):
        super().__init__()
        c, h, w = obs_shape
        self.conv = nn.Sequential(
            layer_init(nn.Conv2d(c, 16, 3, padding=1)), nn.ReLU(),
            layer_init(nn.Conv2d(16, 16, 3)), nn.ReLU(), nn.Flatten())
        with torch.no_grad():
            n_flat = self.conv(torch.zeros(1, *obs_shape)).shape[1]
        self.fc = nn.Sequential(layer_init(nn.Linear(n_flat, 64)), nn.ReLU())
        self.actor = layer_init(nn.Linear(64, n_actions), std=0.01)
        self.critic = layer_init(nn.Linear(64, 1), std=1)
    def forward(self, x):
        h = self.fc(self.conv(x))
        return self.actor(h), self.critic(h).squeeze(-1)
    def act(self, x, action=None):
        logits, value = self(x)
        dist = Categorical(logits=logits)
        if action is None:
            action = dist.sample()
        return action, dist.log_prob(action), dist.entropy(), value

num_envs, num_steps, updates = 4, 8, 12
gamma, lam = 0.99, 0.95
envs = VecEnv(num_envs)
agent = ActorCritic((2, SIZE, SIZE), 4)
optimizer = optim.RMSprop(agent.parameters(), lr=7e-4, alpha=0.99, eps=1e-5)

obs_buf = torch.zeros((num_steps, num_envs) + (2, SIZE, SIZE))
act_buf = torch.zeros((num_steps, num_envs), dtype=torch.long)
rew_buf = torch.zeros((num_steps, num_envs))
done_buf = torch.zeros((num_steps, num_envs))
val_buf = torch.zeros((num_steps, num_envs))

next_obs = torch.from_numpy(envs.reset())
next_done = torch.zeros(num_envs)
returns_log = []
for update in range(updates):
    for step in range(num_steps):
        obs_buf[step] = next_obs
        done_buf[step] = next_done
        with torch.no_grad():
            action, logp, _, value = agent.act(next_obs)
        act_buf[step] = action
        val_buf[step] = value
        o, r, d = envs.step(action.cpu().numpy())
        rew_buf[step] = torch.tensor(r)
        next_obs, next_done = torch.Tensor(o), torch.Tensor(d)
    with torch.no_grad():
        next_value = agent(next_obs)[1]
        advantages = torch.zeros_like(rew_buf)
        lastgae = 0
        for t in reversed(range(num_steps)):
            if t == num_steps - 1:
                nonterminal = 1.0 - next_done
                nextvalues = next_value
            else:
                nonterminal = 1.0 - done_buf[t + 1]
                nextvalues = val_buf[t + 1]
            delta = rew_buf[t] + gamma * nextvalues * nonterminal - val_buf[t]
            advantages[t] = lastgae = delta + gamma * lam * nonterminal * lastgae
        returns = advantages + val_buf
    b_obs = obs_buf.reshape((-1,) + (2, SIZE, SIZE))
    b_actions = act_buf.reshape(-1)
    b_adv = advantages.reshape(-1)
    b_ret = returns.reshape(-1)
    _, logp, ent, v = agent.act(b_obs, b_actions)
    b_adv = (b_adv - b_adv.mean()) / (b_adv.std() + 1e-8)
    pg_loss = -(b_adv * logp).mean()
    v_loss = 0.5 * ((v - b_ret) ** 2).mean()
    loss = pg_loss + 0.5 * v_loss - 0.01 * ent.mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
    optimizer.step()
    returns_log.append(rew_buf.sum().item() / num_envs)
print(np.round(returns_log, 3))

env = GridWorld()
obs, done, path = env.reset(), False, []
while not done:
    x = torch.as_tensor(obs)[None]
    with torch.no_grad():
        probs = torch.softmax(agent(x)[0], dim=-1)
    a = torch.multinomial(probs[0], 1).item()
    obs, r, done = env.step(a)
    path.append(tuple(env.agent.tolist()))
print(len(path))
