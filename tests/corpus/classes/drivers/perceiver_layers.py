# copy: perceiver_pytorch/perceiver_io.py
# needs: perceiver-pytorch einops
import torch

from perceiver_layers import Attention, FeedForward, PerceiverIO, PerceiverLM

for batch, n, m, dim, context, heads, head in ((2, 9, 14, 24, 16, 3, 8), (3, 12, 7, 32, 20, 2, 10), (4, 6, 10, 40, 28, 4, 12)):
    Attention(dim, context, heads=heads, dim_head=head)(torch.randn(batch, n, dim), context=torch.randn(batch, m, context))
    FeedForward(dim)(torch.randn(batch, n, dim))

for batch, n, m, dim, queries, logits, latents, width in ((2, 20, 12, 16, 24, 10, 8, 32), (3, 15, 9, 20, 12, 7, 6, 40), (4, 25, 11, 10, 18, 5, 14, 28)):
    model = PerceiverIO(depth=2, dim=dim, queries_dim=queries, logits_dim=logits, num_latents=latents, latent_dim=width, cross_dim_head=6, latent_dim_head=6, latent_heads=3)
    model(torch.randn(batch, n, dim), queries=torch.randn(m, queries))
    model(torch.randn(batch, n, dim), mask=torch.ones(batch, n, dtype=torch.bool), queries=torch.randn(m, queries))
