"""Actor-critic on a pole of our own (the equations of CartPole), after the reinforcement learning example."""
import argparse
import math
from collections import deque, namedtuple
from itertools import count

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical

parser = argparse.ArgumentParser(description='PyTorch actor-critic example')
parser.add_argument('--gamma', type=float, default=0.99, metavar='G', help='discount factor (default: 0.99)')
parser.add_argument('--seed', type=int, default=543, metavar='N', help='random seed (default: 543)')
parser.add_argument('--episodes', type=int, default=12)
parser.add_argument('--log-interval', type=int, default=10, metavar='N', help='interval between training status logs')
args = parser.parse_args()


class Pole:
    x_limit, theta_limit = 2.4, 12 * 2 * math.pi / 360

    def __init__(self, dt=0.02):
        self.dt = dt
        self.np_random = np.random.RandomState(0)
        self.state = None

    def reset(self, seed=None):
        if seed is not None:
            self.np_random = np.random.RandomState(seed)
        self.state = self.np_random.uniform(low=-0.05, high=0.05, size=(4,))
        return np.array(self.state, dtype=np.float32), {}

    def step(self, action):
        x, x_dot, theta, theta_dot = self.state
        force = 10.0 if action == 1 else -10.0
        cos, sin = math.cos(theta), math.sin(theta)
        temp = (force + 0.05 * theta_dot ** 2 * sin) / 1.1
        theta_acc = (9.8 * sin - cos * temp) / (0.5 * (4.0 / 3.0 - 0.1 * cos ** 2 / 1.1))
        x_acc = temp - 0.05 * theta_acc * cos / 1.1
        x = x + self.dt * x_dot
        x_dot = x_dot + self.dt * x_acc
        theta = theta + self.dt * theta_dot
        theta_dot = theta_dot + self.dt * theta_acc
        self.state = (x, x_dot, theta, theta_dot)
        terminated = bool(abs(x) > self.x_limit or abs(theta) > self.theta_limit)
        reward = 1.0 if not terminated else 0.0
        return np.array(self.state, dtype=np.float32), reward, terminated, False, {}


env = Pole()
env.reset(seed=args.seed)
torch.manual_seed(args.seed)

SavedAction = namedtuple('SavedAction', ['log_prob', 'value'])


class Policy(nn.Module):
    """
    implements both actor and critic in one model
    """
    def __init__(self):
        super(Policy, self).__init__()
        self.affine1 = nn.Linear(4, 128)

        # actor's layer
        self.action_head = nn.Linear(128, 2)

        # critic's layer
        self.value_head = nn.Linear(128, 1)

        # action & reward buffer
        self.saved_actions = []
        self.rewards = []

    def forward(self, x):
        """
        forward of both actor and critic
        """
        x = F.relu(self.affine1(x))
        action_prob = F.softmax(self.action_head(x), dim=-1)
        state_values = self.value_head(x)
        return action_prob, state_values


model = Policy()
optimizer = optim.Adam(model.parameters(), lr=3e-2)
eps = np.finfo(np.float32).eps.item()


def select_action(state):
    state = torch.from_numpy(state).float()
    probs, state_value = model(state)

    # create a categorical distribution over the list of probabilities of actions
    m = Categorical(probs)

    # and sample an action using the distribution
    action = m.sample()

    # save to action buffer
    model.saved_actions.append(SavedAction(m.log_prob(action), state_value))

    # the action to take (left or right)
    return action.item()


def finish_episode():
    """
    Training code. Calculates actor and critic loss and performs backprop.
    """
    R = 0
    saved_actions = model.saved_actions
    policy_losses = []  # list to save actor (policy) loss
    value_losses = []  # list to save critic (value) loss
    returns = []  # list to save the true values

    # calculate the true value using rewards returned from the environment
    for r in model.rewards[::-1]:
        # calculate the discounted value
        R = r + args.gamma * R
        returns.insert(0, R)

    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps)

    for (log_prob, value), R in zip(saved_actions, returns):
        advantage = R - value.item()

        # calculate actor (policy) loss
        policy_losses.append(-log_prob * advantage)

        # calculate critic (value) loss using L1 smooth loss
        value_losses.append(F.smooth_l1_loss(value, torch.tensor([R])))

    # reset gradients
    optimizer.zero_grad()

    # sum up all the values of policy_losses and value_losses
    loss = torch.stack(policy_losses).sum() + torch.stack(value_losses).sum()

    # perform backprop
    loss.backward()
    optimizer.step()

    # reset rewards and action buffer
    del model.rewards[:]
    del model.saved_actions[:]
    return loss.detach()


@torch.no_grad()
def evaluate(episodes=2, horizon=50):
    model.eval()
    scores = []
    trajectory = []
    for _ in range(episodes):
        obs, _ = env.reset()
        total = 0.0
        for t in range(horizon):
            obs_t = torch.as_tensor(obs, dtype=torch.float32).unsqueeze(0)
            probs, value = model(obs_t)
            action = probs.argmax(dim=-1)
            trajectory.append((obs_t.squeeze(0), action))
            obs, reward, done, _, _ = env.step(action.item())
            total += reward
            if done:
                break
        scores.append(total)
    states = torch.stack([s for s, _ in trajectory])
    actions = torch.cat([a for _, a in trajectory])
    return torch.tensor(scores), states, actions


def main():
    running_reward = 10
    window = deque(maxlen=5)

    # run infinitely many episodes
    for i_episode in count(1):

        # reset environment and episode reward
        state, _ = env.reset()
        ep_reward = 0

        # for each episode, only run 9999 steps so that we don't
        # infinite loop while learning
        for t in range(1, 60):

            # select action from policy
            action = select_action(state)

            # take the action
            state, reward, done, _, _ = env.step(action)

            model.rewards.append(reward)
            ep_reward += reward
            if done:
                break

        # update cumulative reward
        running_reward = 0.05 * ep_reward + (1 - 0.05) * running_reward
        window.append(ep_reward)

        # perform backprop
        loss = finish_episode()

        # log results
        if i_episode % args.log_interval == 0:
            print('Episode {}\tLast reward: {:.2f}\tAverage reward: {:.2f}\tloss {:.3f}'.format(
                  i_episode, ep_reward, running_reward, loss.item()))

        if i_episode >= args.episodes:
            recent = torch.tensor(list(window))
            print("Finished! Running reward is now {} (last {})".format(running_reward, recent.mean().item()))
            break

    scores, states, actions = evaluate()
    counts = torch.bincount(actions, minlength=2)
    print(scores.mean().item(), states.shape, counts.tolist())


if __name__ == '__main__':
    main()
