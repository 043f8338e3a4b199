import numpy as np


class Pendulum:
    obs_dim, act_dim = 3, 1

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)
        self.max_speed, self.dt = 8.0, 0.05
        self.reset()

    def _obs(self):
        return np.array([np.cos(self.th), np.sin(self.th), self.thdot], dtype=np.float32)

    def reset(self):
        self.th, self.thdot = self.rng.uniform(low=[-np.pi, -1.0], high=[np.pi, 1.0])
        self.t = 0
        return self._obs()

    def sample_action(self):
        return self.rng.uniform(-1, 1, size=self.act_dim).astype(np.float32)

    def step(self, u):
        u = 2.0 * float(np.clip(u, -1, 1)[0])
        angle = ((self.th + np.pi) % (2 * np.pi)) - np.pi
        costs = angle ** 2 + 0.1 * self.thdot ** 2 + 0.001 * u ** 2
        self.thdot = np.clip(self.thdot + (15 * np.sin(self.th) + 3.0 * u) * self.dt, -self.max_speed, self.max_speed)
        self.th = self.th + self.thdot * self.dt
        self.t += 1
        return self._obs(), -costs, self.t >= 25
