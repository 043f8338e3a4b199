import torch
from torch import nn
import torch.nn.functional as F

model = nn.Linear(8, 8)
opt = torch.optim.Adam(model.parameters())
history = {"recon": [], "kl": []}
for epoch in range(3):
    totals = {"recon": 0.0, "kl": 0.0}
    for _ in range(10):
        x = torch.randn(4, 8)
        out = model(x)
        losses = {"recon": F.mse_loss(out, x), "kl": out.pow(2).mean()}
        loss = sum(losses.values())
        opt.zero_grad()
        loss.backward()
        opt.step()
        for name, value in losses.items():
            totals[name] += value  # BAD: graph-kept-alive
    for name in totals:
        history[name].append(totals[name] / 10)
    print(epoch, {k: float(v[-1]) for k, v in history.items()})
