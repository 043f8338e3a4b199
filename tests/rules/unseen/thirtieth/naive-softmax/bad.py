import torch
from torch import nn

energy = nn.Linear(8, 5)
opt = torch.optim.Adam(energy.parameters())
for _ in range(3):
    scores = energy(torch.randn(16, 8)) * 10
    logz = torch.log(torch.exp(scores).sum(dim=1))  # BAD: naive-softmax
    y = torch.randint(0, 5, (16,))
    loss = (logz - scores[torch.arange(16), y]).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
