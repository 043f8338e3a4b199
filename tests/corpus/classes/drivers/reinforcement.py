import torch

from reinforcement import (
    DQN,
    ActorCritic,
    DuelingDQN,
    NatureCNN,
    QFunction,
    RecurrentPolicy,
    SquashedGaussianActor,
    compute_gae,
    ppo_loss,
)

for batch, obs, act, hidden in ((32, 8, 4, 20), (15, 17, 6, 48), (7, 3, 5, 36)):
    x = torch.randn(batch, obs)
    DQN(obs, act)(x)
    DuelingDQN(obs, act, hidden)(x)
    ac = ActorCritic(obs, act, (hidden, hidden + 4))
    logp, value, entropy = ac.evaluate(x, torch.randint(0, act, (batch,)))
    ppo_loss(logp, logp.detach(), value.detach())
    a, logp = SquashedGaussianActor(obs, act, hidden)(x)
    QFunction(obs, act, [hidden, hidden])(x, a)
    RecurrentPolicy(obs, hidden, act)(x, torch.zeros(batch, hidden), torch.zeros(batch, hidden), torch.zeros(batch))

for batch, channels, features, actions in ((2, 4, 64, 6), (5, 1, 100, 18), (3, 3, 48, 9)):
    NatureCNN(channels, features, actions)(torch.randint(0, 255, (batch, channels, 84, 84)).to(torch.uint8))

for steps, envs in ((6, 4), (5, 8), (9, 3)):
    compute_gae(torch.randn(steps, envs), torch.randn(steps, envs), torch.zeros(steps, envs), torch.randn(envs))
