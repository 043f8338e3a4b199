import random

import numpy as np
import torch

from agents import SACAgent
from agents.buffer import ReplayBuffer
from envs.pendulum import Pendulum


def evaluate(agent, env, episodes=1, horizon=20):
    returns = torch.zeros(episodes)
    for ep in range(episodes):
        obs = env.reset()
        for _ in range(horizon):
            action = agent.act(obs, deterministic=True)
            obs, reward, done = env.step(action)
            returns[ep] += reward
            if done:
                break
    return returns.mean().item()


def run(seed=0, total_steps=60, start_steps=20, batch_size=16):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    env = Pendulum(seed)
    agent = SACAgent(env.obs_dim, env.act_dim, hidden=32)
    buffer = ReplayBuffer(env.obs_dim, env.act_dim, capacity=500)
    obs = env.reset()
    logs = []
    for step in range(total_steps):
        action = env.sample_action() if step < start_steps else agent.act(obs)
        next_obs, reward, done = env.step(action)
        buffer.add(obs, action, reward, next_obs, done)
        obs = env.reset() if done else next_obs
        if step >= start_steps:
            batch = buffer.sample(batch_size)
            info = agent.update(batch)
            logs.append(info)
    means = {k: sum(d[k] for d in logs) / len(logs) for k in logs[0]}
    return means, evaluate(agent, env)


if __name__ == "__main__":
    print(run())
