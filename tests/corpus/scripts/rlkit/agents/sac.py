import copy

import numpy as np
import torch
import torch.nn.functional as F

from .networks import DoubleQ, GaussianPolicy


class SACAgent:
    def __init__(self, obs_dim, act_dim, hidden=64, gamma=0.99, tau=0.01, lr=3e-4, init_temperature=0.1):
        self.gamma, self.tau = gamma, tau
        self.actor = GaussianPolicy(obs_dim, act_dim, hidden)
        self.critic = DoubleQ(obs_dim, act_dim, hidden)
        self.critic_target = copy.deepcopy(self.critic)
        self.log_alpha = torch.tensor(np.log(init_temperature), dtype=torch.float32)
        self.log_alpha.requires_grad = True
        self.target_entropy = -act_dim
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=lr)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=lr)
        self.log_alpha_optimizer = torch.optim.Adam([self.log_alpha], lr=lr)

    @property
    def alpha(self):
        return self.log_alpha.exp()

    def act(self, obs, deterministic=False):
        obs = torch.FloatTensor(obs).unsqueeze(0)
        with torch.no_grad():
            action, _ = self.actor(obs, deterministic, with_logprob=False)
        return action.squeeze(0).numpy()

    def update_critic(self, obs, action, reward, next_obs, done):
        with torch.no_grad():
            next_action, log_prob = self.actor(next_obs)
            target_q1, target_q2 = self.critic_target(next_obs, next_action)
            target_v = torch.min(target_q1, target_q2) - self.alpha.detach() * log_prob
            target_q = reward + (1 - done) * self.gamma * target_v
        current_q1, current_q2 = self.critic(obs, action)
        critic_loss = F.mse_loss(current_q1, target_q) + F.mse_loss(current_q2, target_q)
        self.critic_optimizer.zero_grad()
        critic_loss.backward()
        self.critic_optimizer.step()
        return critic_loss

    def update_actor_and_alpha(self, obs):
        action, log_prob = self.actor(obs)
        actor_q1, actor_q2 = self.critic(obs, action)
        actor_q = torch.min(actor_q1, actor_q2)
        actor_loss = (self.alpha.detach() * log_prob - actor_q).mean()
        self.actor_optimizer.zero_grad()
        actor_loss.backward()
        self.actor_optimizer.step()
        self.log_alpha_optimizer.zero_grad()
        alpha_loss = (self.alpha * (-log_prob - self.target_entropy).detach()).mean()
        alpha_loss.backward()
        self.log_alpha_optimizer.step()
        return actor_loss, alpha_loss

    def update(self, batch):
        obs, action, reward, next_obs, done = batch
        critic_loss = self.update_critic(obs, action, reward, next_obs, done)
        actor_loss, alpha_loss = self.update_actor_and_alpha(obs)
        with torch.no_grad():
            for p, p_targ in zip(self.critic.parameters(), self.critic_target.parameters()):
                p_targ.data.mul_(1 - self.tau)
                p_targ.data.add_(self.tau * p.data)
        return {"critic": critic_loss.item(), "actor": actor_loss.item(), "alpha": alpha_loss.item()}
