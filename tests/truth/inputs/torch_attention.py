"""Attention, transformers and embeddings."""

import copy
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

# mha
m = nn.MultiheadAttention(8, 2)
q = torch.randn(5, 3, 8)
k = torch.randn(7, 3, 8)
a, w = m(q, k, k)
b, w2 = m(q, k, k, average_attn_weights=False)
c, n = m(q, k, k, need_weights=False)
mb = nn.MultiheadAttention(8, 2, batch_first=True, dropout=0.1)
x = torch.randn(3, 5, 8)
d, w3 = mb(x, x, x, key_padding_mask=torch.zeros(3, 5, dtype=torch.bool))
e, w4 = mb(x, x, x, attn_mask=torch.triu(torch.ones(5, 5), 1).bool())
f, w5 = mb(x, x, x, attn_mask=nn.Transformer.generate_square_subsequent_mask(5), is_causal=True)
mb.eval()
g, w6 = mb(x, x, x)
h, w7 = mb(x, x, x, need_weights=False)
with torch.no_grad():
    i, w8 = mb(x, x, x)
    j, w9 = mb(x, x, x, need_weights=False)
    k1, w10 = mb(x, x, x, average_attn_weights=False)
u = nn.MultiheadAttention(8, 2, kdim=6, vdim=4, add_bias_kv=True, add_zero_attn=True)
l, w11 = u(q, torch.randn(7, 3, 6), torch.randn(7, 3, 4))
un, w12 = m(torch.randn(5, 8), torch.randn(7, 8), torch.randn(7, 8))
am, w13 = mb(x, x, x, attn_mask=torch.zeros(6, 5, 5))

# transformer
bf = nn.TransformerEncoderLayer(
    8, 2, dim_feedforward=16, batch_first=True, norm_first=True, activation="gelu"
)
en = nn.TransformerEncoder(bf, num_layers=1, norm=nn.LayerNorm(8))
x = torch.randn(3, 5, 8)
b = en(x)
c = en(x, mask=nn.Transformer.generate_square_subsequent_mask(5))
pad = torch.zeros(3, 5, dtype=torch.bool)
d = en(x, src_key_padding_mask=pad)
ids = torch.randint(0, 9, (3, 5))
e = en(x, src_key_padding_mask=(ids == 0))
f = en(x, mask=torch.triu(torch.full((5, 5), float("-inf")), diagonal=1), is_causal=True)
en.eval()
g = en(x)
with torch.no_grad():
    h = en(x)
    i = en(x, src_key_padding_mask=pad)
enc2 = nn.TransformerEncoder(
    nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1, enable_nested_tensor=False
).eval()
with torch.no_grad():
    i2 = enc2(x)
    i3 = enc2(x, src_key_padding_mask=pad)
dec = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, batch_first=True), 1)
mem = torch.randn(3, 7, 8)
tm = nn.Transformer.generate_square_subsequent_mask(5)
j = dec(x, mem)
k = dec(
    x, mem, tgt_mask=tm, tgt_key_padding_mask=pad, memory_key_padding_mask=torch.zeros(3, 7, dtype=torch.bool)
)
t = nn.Transformer(
    d_model=8, nhead=2, num_encoder_layers=1, num_decoder_layers=1, dim_feedforward=16, batch_first=True
)
n = t(
    mem,
    x,
    tgt_mask=t.generate_square_subsequent_mask(5),
    src_key_padding_mask=torch.zeros(3, 7, dtype=torch.bool),
    tgt_key_padding_mask=pad,
)

# sdpa
q = torch.randn(2, 4, 5, 8)
a = F.scaled_dot_product_attention(q, q, q, is_causal=True)
b = F.scaled_dot_product_attention(q, q, q, attn_mask=torch.ones(5, 5, dtype=torch.bool), dropout_p=0.1)
c = F.scaled_dot_product_attention(q, q[:, :1], q[:, :1], enable_gqa=True)
x = torch.randn(2, 5, 32)
y = x.view(2, 5, 4, 8).transpose(1, 2)
d = F.scaled_dot_product_attention(y, y, y)
e = d.transpose(1, 2).contiguous().view(2, 5, 32)
from torch.nn.attention import sdpa_kernel, SDPBackend

with sdpa_kernel(SDPBackend.MATH):
    f = F.scaled_dot_product_attention(q, q, q)
with torch.backends.cuda.sdp_kernel(enable_flash=True, enable_math=False, enable_mem_efficient=False):
    pass
y.requires_grad_() if False else None
z = nn.Linear(32, 96)(x)
q1, k1, v1 = z.chunk(3, -1)
q1 = q1.view(2, 5, 4, 8).transpose(1, 2)
k1 = k1.view(2, 5, 4, 8).transpose(1, 2)
v1 = v1.view(2, 5, 4, 8).transpose(1, 2)
g = F.scaled_dot_product_attention(q1, k1, v1, is_causal=True)
h = g.transpose(1, 2)
i = h.reshape(2, 5, 32)

# embedding etc
eb = nn.EmbeddingBag(10, 3, mode="mean")
a = eb(torch.randint(0, 10, (4, 5)))
b = eb(torch.tensor([1, 2, 3, 4]), torch.tensor([0, 2]))
e = nn.Embedding(10, 3, padding_idx=0)
c = e(torch.tensor([[1, 2], [3, 0]]))
e2 = nn.Embedding.from_pretrained(torch.randn(5, 4))
d = e2(torch.tensor([1]))
ef = nn.Embedding.from_pretrained(torch.randn(5, 4), freeze=False)(torch.tensor([1]))
s = nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 10])
out, loss = s(torch.randn(4, 8), torch.randint(0, 20, (4,)))
lp = s.log_prob(torch.randn(4, 8))
pr = s.predict(torch.randn(4, 8))
ctc = nn.CTCLoss(blank=0)
lpz = torch.randn(50, 4, 20).log_softmax(2).requires_grad_()
l = ctc(lpz, torch.randint(1, 20, (4, 30)), torch.full((4,), 50), torch.randint(10, 30, (4,)))
l2 = F.ctc_loss(
    lpz,
    torch.randint(1, 20, (4, 30)),
    torch.full((4,), 50, dtype=torch.long),
    torch.full((4,), 30),
    reduction="none",
)
l3 = F.ctc_loss(lpz, torch.randint(1, 20, (12,)), (50,) * 4, (3,) * 4)


# own mha subclass and cuda-free
class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.attn = nn.MultiheadAttention(d, h, batch_first=True)
        self.ln = nn.LayerNorm(d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x, mask=None):
        a, _ = self.attn(x, x, x, attn_mask=mask, need_weights=False)
        x = self.ln(x + a)
        return x + self.mlp(x)


b = Block(8, 2)
y = b(torch.randn(2, 5, 8))
b.eval()
z = b(torch.randn(2, 5, 8), torch.full((5, 5), float("-inf")).triu(1))
with torch.no_grad():
    w = b(torch.randn(2, 5, 8))
