import torch

from llama import Transformer, rotate_half

for batch, length, vocab, dim, layers, heads, kv in ((2, 17, 100, 64, 2, 8, 4), (3, 10, 61, 48, 1, 6, 2), (5, 25, 77, 40, 3, 5, 1)):
    Transformer(vocab, dim, layers, heads, kv, max_seq_len=32)(torch.randint(0, vocab, (batch, length)))

for b, h, t, d in ((2, 4, 10, 16), (3, 5, 7, 12), (6, 1, 9, 20)):
    rotate_half(torch.randn(b, h, t, d))
