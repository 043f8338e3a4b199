# copy: linformer/linformer.py
# needs: linformer
import torch

from linformer_layers import FeedForward, Linformer, LinformerLM, LinformerSelfAttention

for batch, length, dim, heads, k, words in ((2, 20, 32, 4, 8, 100), (3, 15, 24, 3, 6, 64), (4, 28, 40, 5, 10, 77)):
    x = torch.randn(batch, length, dim)
    LinformerSelfAttention(dim, length, k=k, heads=heads)(x)
    FeedForward(dim)(x)
    Linformer(dim, length, 2, k=k, heads=heads)(x)
    LinformerLM(words, dim, length, 1, k=k, heads=heads)(torch.randint(0, words, (batch, length)))
