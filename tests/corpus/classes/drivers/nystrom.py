# copy: nystrom_attention/nystrom_attention.py
# needs: nystrom-attention einops
import torch

from nystrom import FeedForward, Nystromformer, NystromAttention

for batch, length, dim, heads, head, landmarks in ((2, 32, 24, 3, 8, 8), (3, 20, 40, 2, 12, 5), (4, 42, 16, 4, 10, 6)):
    x = torch.randn(batch, length, dim)
    NystromAttention(dim, dim_head=head, heads=heads, num_landmarks=landmarks)(x, mask=torch.ones(batch, length, dtype=torch.bool))
    FeedForward(dim)(x)
    Nystromformer(dim=dim, depth=1, dim_head=head, heads=heads, num_landmarks=landmarks)(x)
