import torch

from helpers import (
    covariance,
    grid_coordinates,
    gumbel_softmax_sample,
    lengths_to_mask,
    masked_mean,
    mixup,
    pairwise_cosine,
    relative_positions,
    ring_average,
    sdpa,
    sinusoidal_positions,
    subsequent_mask,
    top_k_top_p,
    unfold_patches,
    whitening,
)

for batch, length, dim, heads, other in ((3, 10, 16, 4, 7), (5, 13, 24, 2, 9), (2, 21, 32, 6, 18)):
    sinusoidal_positions(length, dim)
    subsequent_mask(length)
    mask = lengths_to_mask(torch.randint(1, length, (batch,)), length)
    masked_mean(torch.randn(batch, length, dim), mask)
    sdpa(torch.randn(batch, heads, length, dim), torch.randn(batch, heads, other, dim), torch.randn(batch, heads, other, dim), causal=True)
    pairwise_cosine(torch.randn(length, dim), torch.randn(other, dim))
    gumbel_softmax_sample(torch.randn(batch, dim))
    gumbel_softmax_sample(torch.randn(batch, dim), hard=True)
    top_k_top_p(torch.randn(batch, dim), top_k=5, top_p=0.9)
    relative_positions(length, other)
    ring_average(torch.randn(batch, length, dim), 0.9)
    whitening(torch.randn(50 + batch, dim))

for batch, channels, height, width, patch in ((2, 3, 16, 24, 4), (4, 1, 18, 12, 6), (3, 5, 20, 30, 10)):
    images = torch.randn(batch, channels, height, width)
    unfold_patches(images, patch)
    grid_coordinates(height, width)
    mixup(images, torch.arange(batch), 0.3)
