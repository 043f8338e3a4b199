import numpy as np
import torch


class ReplayBuffer:
    def __init__(self, obs_dim, act_dim, capacity):
        self.obs = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.next_obs = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.actions = np.zeros((capacity, act_dim), dtype=np.float32)
        self.rewards = np.zeros((capacity, 1), dtype=np.float32)
        self.dones = np.zeros((capacity, 1), dtype=np.float32)
        self.capacity, self.idx, self.full = capacity, 0, False

    def add(self, obs, action, reward, next_obs, done):
        np.copyto(self.obs[self.idx], obs)
        np.copyto(self.actions[self.idx], action)
        np.copyto(self.rewards[self.idx], reward)
        np.copyto(self.next_obs[self.idx], next_obs)
        np.copyto(self.dones[self.idx], float(done))
        self.idx = (self.idx + 1) % self.capacity
        self.full = self.full or self.idx == 0

    def __len__(self):
        return self.capacity if self.full else self.idx

    def sample(self, batch_size):
        idxs = np.random.randint(0, len(self), size=batch_size)
        obs = torch.as_tensor(self.obs[idxs]).float()
        actions = torch.as_tensor(self.actions[idxs])
        rewards = torch.as_tensor(self.rewards[idxs])
        next_obs = torch.as_tensor(self.next_obs[idxs]).float()
        dones = torch.as_tensor(self.dones[idxs])
        return obs, actions, rewards, next_obs, dones
