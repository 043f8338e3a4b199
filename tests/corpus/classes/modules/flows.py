"""Normalizing flows."""
import math

import torch
from torch import nn


class PlanarFlow(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(1, dim))
        self.scale = nn.Parameter(torch.randn(1, dim))
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, z):
        activation = z @ self.weight.t() + self.bias
        f_z = z + self.scale * torch.tanh(activation)
        psi = (1 - torch.tanh(activation) ** 2) * self.weight
        log_det = torch.log((1 + psi @ self.scale.t()).abs() + 1e-4)
        return f_z, log_det


class AffineCoupling(nn.Module):
    def __init__(self, num_inputs, num_hidden, mask, num_cond_inputs=None):
        super().__init__()
        self.num_inputs = num_inputs
        self.register_buffer("mask", mask)
        total_inputs = num_inputs + (num_cond_inputs or 0)
        self.scale_net = nn.Sequential(nn.Linear(total_inputs, num_hidden), nn.Tanh(), nn.Linear(num_hidden, num_inputs))
        self.translate_net = nn.Sequential(nn.Linear(total_inputs, num_hidden), nn.ReLU(), nn.Linear(num_hidden, num_inputs))

    def forward(self, inputs, cond_inputs=None, mode="direct"):
        mask = self.mask
        masked_inputs = inputs * mask
        if cond_inputs is not None:
            masked_inputs = torch.cat([masked_inputs, cond_inputs], -1)
        if mode == "direct":
            log_s = self.scale_net(masked_inputs) * (1 - mask)
            t = self.translate_net(masked_inputs) * (1 - mask)
            s = torch.exp(log_s)
            return inputs * s + t, log_s.sum(-1, keepdim=True)
        else:
            log_s = self.scale_net(masked_inputs) * (1 - mask)
            t = self.translate_net(masked_inputs) * (1 - mask)
            s = torch.exp(-log_s)
            return (inputs - t) * s, -log_s.sum(-1, keepdim=True)


class ActNorm(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))

    def forward(self, x):
        y = (x - self.bias) * torch.exp(self.weight)
        logdet = self.weight.sum(-1).unsqueeze(0).repeat(x.size(0), 1)
        return y, logdet


class Invertible1x1Conv(nn.Module):
    def __init__(self, num_channels):
        super().__init__()
        w, _ = torch.linalg.qr(torch.randn(num_channels, num_channels))
        self.weight = nn.Parameter(w)

    def forward(self, x):
        b, c, h, w = x.shape
        dlogdet = torch.slogdet(self.weight)[1] * h * w
        weight = self.weight.view(c, c, 1, 1)
        z = nn.functional.conv2d(x, weight)
        return z, dlogdet


class SplitCoupling(nn.Module):
    def __init__(self, d, hidden):
        super().__init__()
        self.d, self.k = d, d // 2
        self.net = nn.Sequential(nn.Linear(self.k, hidden), nn.LeakyReLU(0.2), nn.Linear(hidden, (d - self.k) * 2))

    def forward(self, x, flip=False):
        x1, x2 = x[:, : self.k], x[:, self.k :]
        if flip:
            x2, x1 = x1, x2
        out = self.net(x1)
        shift, log_scale = out[:, : self.d - self.k], out[:, self.d - self.k :]
        z2 = x2 * log_scale.exp() + shift
        z = torch.cat([x1, z2], dim=1)
        return z, log_scale.sum(dim=1)


def squeeze2d(x):
    B, C, H, W = x.shape
    x = x.reshape(B, C, H // 2, 2, W // 2, 2)
    x = x.permute(0, 1, 3, 5, 2, 4)
    x = x.reshape(B, C * 4, H // 2, W // 2)
    return x


def gaussian_log_prob(z):
    log_prob = -0.5 * (z.pow(2) + math.log(2 * math.pi))
    return log_prob.flatten(1).sum(1)
