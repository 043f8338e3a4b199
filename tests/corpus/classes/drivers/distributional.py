import torch
from distributional import ActorCritic, DistributionalDQN, NoisyLinear, ReplayBuffer, compute_gae, dqn_loss, soft_update
for b, o, a, h, t, k in ((5, 6, 3, 10, 7, 11), (7, 8, 4, 12, 9, 13), (6, 9, 5, 16, 8, 15)):
    lin = NoisyLinear(o, h)
    lin(torch.randn(b, o)), lin.eval()(torch.randn(b, o))
    net = DistributionalDQN(o, a, k, hidden=h)
    net(torch.randn(b, o))
    ac = ActorCritic(o, a, (h, h + 2))
    act, *_ = ac(torch.randn(b, o))
    ac(torch.randn(b, o), act)
    ac = ActorCritic(o, a, (h, h + 2), continuous=True)
    act, *_ = ac(torch.randn(b, o))
    ac(torch.randn(b, o), act)
    compute_gae(torch.randn(t, b), torch.randn(t, b), torch.zeros(t, b), torch.randn(b))
    buf = ReplayBuffer(30 + b, o)
    for _ in range(20):
        buf.push(torch.randn(o), 1, 0.5, torch.randn(o), 0.0)
    batch = buf.sample(b)
    target = DistributionalDQN(o, a, k, hidden=h)
    dqn_loss(net, target, batch, 0.9)
    soft_update(target, net, 0.1)
