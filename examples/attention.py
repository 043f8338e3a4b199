# Look at the dims behind every line, and at line 29: `view` after a transpose. The light bulb repairs it.
import math

import torch
import torch.nn.functional as F
from torch import nn


class SelfAttention(nn.Module):
    """Causal self-attention, as in GPT-2."""

    def __init__(self, n_embd: int, n_head: int):
        super().__init__()
        self.n_head = n_head
        self.qkv = nn.Linear(n_embd, 3 * n_embd)
        self.proj = nn.Linear(n_embd, n_embd)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).split(C, dim=2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
        mask = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        weights = F.softmax(scores.masked_fill(mask, float("-inf")), dim=-1)
        y = weights @ v
        y = y.transpose(1, 2)
        y = y.view(B, T, C)
        return self.proj(y)


attention = SelfAttention(n_embd=64, n_head=8)
x = torch.randn(4, 16, 64)
out = attention(x)
