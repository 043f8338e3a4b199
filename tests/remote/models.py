"""Twelve models, each called once on a batch: what their forward passes take is estimated and measured."""

import torch
import torch.nn.functional as F
from torch import nn

DEVICE = "cpu"


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        y = F.relu(self.norm(self.conv1(x)))
        return F.relu(x + self.conv2(y))


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(b, t, c))


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attention = Attention(dim, 4)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1, self.down2 = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 32, 3, padding=1)
        self.up = nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.out = nn.Conv2d(32, 3, 1)

    def forward(self, x):
        a = F.relu(self.down1(x))
        b = F.relu(self.down2(F.max_pool2d(a, 2)))
        return self.out(torch.cat((a, self.up(b)), dim=1))


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 40))
        self.decoder = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 784), nn.Sigmoid())

    def forward(self, x):
        mean, log_variance = self.encoder(x).chunk(2, dim=-1)
        z = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
        return self.decoder(z), mean, log_variance


def on(model):
    return model.to(DEVICE)


out1 = on(nn.Sequential(nn.Linear(512, 2048), nn.ReLU(), nn.Linear(2048, 10)))(
    torch.randn(256, 512, device=DEVICE)
)
out2 = on(Residual(32))(torch.randn(16, 32, 56, 56, device=DEVICE))
out3 = on(Attention(128, 4))(torch.randn(8, 196, 128, device=DEVICE))
out4 = on(nn.Sequential(*[Block(128) for _ in range(4)]))(torch.randn(8, 128, 128, device=DEVICE))
out5 = on(UNet())(torch.randn(8, 3, 64, 64, device=DEVICE))
out6 = on(Autoencoder())(torch.randn(512, 784, device=DEVICE))
out7 = on(nn.Sequential(nn.Conv1d(8, 64, 5, padding=2), nn.ReLU(), nn.Conv1d(64, 64, 5, padding=2)))(
    torch.randn(32, 8, 400, device=DEVICE)
)
out8 = on(
    nn.Sequential(
        nn.Conv2d(3, 32, 3),
        nn.GroupNorm(8, 32),
        nn.SiLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(32, 10),
    )
)(torch.randn(16, 3, 64, 64, device=DEVICE))
out9 = on(nn.Sequential(nn.Embedding(1000, 256), nn.Linear(256, 1024), nn.Tanh()))(
    torch.randint(0, 1000, (32, 100), device=DEVICE)
)
out10 = on(nn.TransformerEncoderLayer(128, 4, 512, batch_first=True))(torch.randn(8, 128, 128, device=DEVICE))
with torch.no_grad():
    out11 = on(nn.Sequential(*[Block(128) for _ in range(4)]))(torch.randn(8, 128, 128, device=DEVICE))
with torch.autocast(DEVICE, dtype=torch.bfloat16):
    out12 = on(nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.Linear(2048, 512)))(
        torch.randn(256, 512, device=DEVICE)
    )
