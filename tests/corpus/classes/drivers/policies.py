import copy
import torch
from torch import nn
from policies import Agent, C51, DuelingNetwork, SACLearner, SquashedGaussianMLPActor, TwinQ, compute_gae, layer_init, mlp, ppo_loss, quantile_huber, soft_update

for b, o, a, h, n, t in ((5, 7, 3, 12, 11, 9), (4, 8, 6, 14, 13, 10), (6, 9, 5, 16, 17, 8)):
    mlp([o, h, a], nn.ReLU)(torch.randn(b, o))
    layer_init(nn.Linear(o, a))
    actor, critic = SquashedGaussianMLPActor(o, a, (h, h + 2), nn.ReLU, 2.0), TwinQ(o, a, h)
    actor(torch.randn(b, o))
    actor(torch.randn(b, o), True, False)
    critic(torch.randn(b, o), torch.randn(b, a))
    agent = Agent((o,), a)
    agent.get_value(torch.randn(b, o))
    agent.get_action_and_value(torch.randn(b, o))
    agent.get_action_and_value(torch.randn(b, o), torch.randint(0, a, (b,)))
    DuelingNetwork(o, a, h, h + 3)(torch.randn(b, o))
    c = C51(o, a, n)
    _, pmfs = c.get_action(torch.randn(b, o))
    c.project(pmfs.detach(), torch.randn(b, 1), torch.zeros(b, 1), 0.99)
    compute_gae(torch.randn(t, b), torch.randn(t, b), torch.zeros(t, b), torch.randn(b))
    ppo_loss(torch.randn(b), torch.randn(b), torch.randn(b), torch.randn(b), torch.randn(b), torch.rand(b))
    quantile_huber(torch.randn(b, n), torch.randn(b, n), torch.rand(b, n))
    soft_update(critic, copy.deepcopy(critic), 0.1)
    SACLearner(actor, critic).update((torch.randn(b, o), torch.randn(b, a), torch.randn(b, 1), torch.randn(b, o), torch.zeros(b, 1)))
