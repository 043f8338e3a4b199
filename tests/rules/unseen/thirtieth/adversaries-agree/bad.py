import torch
from torch import nn
import torch.nn.functional as F

nets = {"G": nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), "D": nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))}
opts = {k: torch.optim.Adam(net.parameters(), lr=2e-4) for k, net in nets.items()}
for step in range(5):
    real = torch.randn(16, 2)
    fake = nets["G"](torch.randn(16, 4))
    d_real, d_fake = nets["D"](real), nets["D"](fake.detach())
    d_loss = F.binary_cross_entropy_with_logits(d_real, torch.ones_like(d_real)) + F.binary_cross_entropy_with_logits(d_fake, torch.zeros_like(d_fake))
    opts["D"].zero_grad()
    d_loss.backward()
    opts["D"].step()
    d_fake = nets["D"](fake)
    g_loss = F.binary_cross_entropy_with_logits(d_fake, torch.zeros_like(d_fake))  # BAD: adversaries-agree
    opts["G"].zero_grad()
    g_loss.backward()
    opts["G"].step()
