import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        B, T, D = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(B, T, self.heads, -1).transpose(1, 2)
        k = k.view(B, T, self.heads, -1).transpose(1, 2)
        v = v.view(B, T, self.heads, -1).transpose(1, 2)
        scores = q @ k.transpose(-2, -1)
        weights = scores.softmax(dim=-1)
        mixed = weights @ v
        y = mixed.transpose(1, 2).view(B, T, D)
        return self.out(y)


tokens = torch.randn(8, 12, 64)
attention = Attention(width=64, heads=4)
result = attention(tokens)
