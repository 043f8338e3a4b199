# needs: rotary-embedding-torch local-attention einops hyper-connections
# beside: rotary_embedding_torch local_attention
import torch
from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb
from local_attention import LocalAttention

torch.manual_seed(0)
rotary_emb = RotaryEmbedding(dim=16)
q = torch.randn(1, 4, 32, 32)
k = torch.randn(1, 4, 32, 32)
q = rotary_emb.rotate_queries_or_keys(q)
k = rotary_emb.rotate_queries_or_keys(k)
axial = RotaryEmbedding(dim=8, freqs_for='pixel', max_freq=256)
freqs = axial.get_axial_freqs(6, 5, 4)
t = torch.randn(1, 6, 5, 4, 32)
rotated = apply_rotary_emb(freqs, t)

attn = LocalAttention(dim=16, window_size=8, causal=True, look_backward=1, look_forward=0, dropout=0.1, exact_windowsize=False)
lq, lk, lv = (torch.randn(2, 4, 64, 16) for _ in range(3))
mask = torch.ones(2, 64).bool()
out = attn(lq, lk, lv, mask=mask)
scores = (q @ k.transpose(-1, -2)) / 32 ** 0.5
probs = scores.softmax(-1)
print(rotated.shape, out.shape, probs.sum(-1).mean())
