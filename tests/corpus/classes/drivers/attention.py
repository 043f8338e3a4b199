import torch

from attention import AdditiveAttention, CrossAttention, MultiHeadAttention, SelfAttention, causal_mask, scaled_dot_product

for b, h, t, s, d in ((2, 4, 10, 7, 16), (3, 2, 6, 11, 8), (5, 3, 12, 9, 20)):
    values, weights = scaled_dot_product(torch.randn(b, h, t, d), torch.randn(b, h, s, d), torch.randn(b, h, s, d))

for b, t, dim, head in ((2, 10, 32, 16), (3, 7, 24, 8), (6, 15, 40, 20)):
    SelfAttention(dim, head)(torch.randn(b, t, dim))

for b, t, dim, heads in ((2, 10, 32, 4), (3, 7, 24, 3), (6, 15, 40, 5)):
    x = torch.randn(b, t, dim)
    mha = MultiHeadAttention(dim, heads)
    mha(x, x, x, causal_mask(t))

for b, n, m, dim, other, heads, head in ((2, 9, 5, 32, 20, 4, 8), (3, 6, 8, 24, 12, 3, 10), (4, 12, 7, 48, 36, 2, 16)):
    CrossAttention(dim, other, heads=heads, dim_head=head)(torch.randn(b, n, dim), torch.randn(b, m, other))

for b, s, hidden in ((4, 12, 32), (2, 9, 20), (7, 5, 48)):
    AdditiveAttention(hidden)(torch.randn(b, 1, hidden), torch.randn(b, s, hidden))
