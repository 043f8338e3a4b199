import math
import torch
from torch import nn, Tensor
import torch.nn.functional as F
from torch.nn import TransformerEncoder, TransformerEncoderLayer
from typing import Optional

class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=50):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer('pe', pe)
    def forward(self, x: Tensor) -> Tensor:
        x = x + self.pe[:x.size(0)]
        return self.dropout(x)
class TransformerModel(nn.Module):
    def __init__(self, ntoken, d_model, nhead, d_hid, nlayers):
        super().__init__()
        self.pos = PositionalEncoding(d_model)
        self.enc = TransformerEncoder(TransformerEncoderLayer(d_model, nhead, d_hid, 0.1), nlayers)
        self.embedding = nn.Embedding(ntoken, d_model)
        self.d_model = d_model
        self.linear = nn.Linear(d_model, ntoken)
    def forward(self, src: Tensor, src_mask: Optional[Tensor] = None) -> Tensor:
        src = self.embedding(src) * math.sqrt(self.d_model)
        src = self.pos(src)
        if src_mask is None:
            src_mask = nn.Transformer.generate_square_subsequent_mask(len(src))
        out = self.enc(src, src_mask)
        return self.linear(out)
class MHA(nn.Module):
    def __init__(self, d, h, kv=None, causal=False, window=None):
        super().__init__()
        self.h, self.kv, self.causal, self.window = h, kv or h, causal, window
        self.hd = d // h
        self.wq = nn.Linear(d, h * self.hd, bias=False)
        self.wk = nn.Linear(d, self.kv * self.hd, bias=False)
        self.wv = nn.Linear(d, self.kv * self.hd, bias=False)
        self.wo = nn.Linear(h * self.hd, d, bias=False)
        self.cache = None
    def forward(self, x, pad=None, use_cache=False):
        B, L, _ = x.shape
        q = self.wq(x).view(B, L, self.h, self.hd)
        k = self.wk(x).view(B, L, self.kv, self.hd)
        v = self.wv(x).view(B, L, self.kv, self.hd)
        if use_cache:
            if self.cache is not None:
                pk, pv = self.cache
                k = torch.cat([pk, k], 1); v = torch.cat([pv, v], 1)
            self.cache = (k, v)
        rep = self.h // self.kv
        k = k[:, :, :, None, :].expand(B, k.size(1), self.kv, rep, self.hd).reshape(B, k.size(1), self.h, self.hd)
        v = v.repeat_interleave(rep, dim=2)
        scores = torch.einsum('blhd,bmhd->bhlm', q, k) / math.sqrt(self.hd)
        S = k.size(1)
        if self.causal and L > 1:
            m = torch.ones(L, S, dtype=torch.bool).triu(1)
            if self.window:
                m |= torch.ones(L, S, dtype=torch.bool).tril(-self.window)
            scores.masked_fill_(m, torch.finfo(scores.dtype).min)
        if pad is not None:
            scores = scores + (pad[:, None, None, :].to(scores.dtype) * -1e4)
        w = scores.softmax(-1, dtype=torch.float32).type_as(q)
        ctx = torch.einsum('bhlm,bmhd->blhd', w, v).contiguous().view(B, L, -1)
        return self.wo(ctx)
class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-6):
        super().__init__()
        self.w = nn.Parameter(torch.ones(d)); self.eps = eps
    def forward(self, x):
        n = x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + self.eps)
        return n.to(x.dtype) * self.w
class MoE(nn.Module):
    def __init__(self, d, n=4, k=2):
        super().__init__()
        self.gate = nn.Linear(d, n, bias=False)
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d)) for _ in range(n)])
        self.k = k
    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        w, sel = torch.topk(self.gate(x), self.k)
        w = F.softmax(w, dim=1)
        out = torch.zeros_like(x)
        for i, ex in enumerate(self.experts):
            tok, nth = torch.where(sel == i)
            out[tok] += w[tok, nth, None] * ex(x[tok])
        load = F.one_hot(sel, len(self.experts)).float().mean((0, 1))
        return out.view(shape), load
class GLU(nn.Module):
    def __init__(self, d):
        super().__init__()
        h = 4 * ((2 * 4 * d // 3 + 3) // 4)
        self.w1, self.w2, self.w3 = nn.Linear(d, h), nn.Linear(h, d), nn.Linear(d, h)
    def forward(self, x): return self.w2(F.silu(self.w1(x)) * self.w3(x))
class Layer(nn.Module):
    def __init__(self, d, moe):
        super().__init__()
        self.n1, self.n2 = RMSNorm(d), RMSNorm(d)
        self.attn = MHA(d, 4, kv=2, causal=True, window=3)
        self.ff = MoE(d) if moe else GLU(d)
    def forward(self, x, **kw):
        x = x + self.attn(self.n1(x), **kw)
        y = self.ff(self.n2(x))
        if isinstance(y, tuple):
            y, self.load = y
        return x + y
tm = TransformerModel(20, 16, 2, 32, 2)
src = torch.randint(0, 20, (7, 3))
lg = tm(src)
ls = F.cross_entropy(lg.view(-1, 20), src.roll(-1, 0).reshape(-1))
layers = nn.ModuleList([Layer(16, i % 2 == 1) for i in range(3)])
seqs = [torch.randn(n, 16) for n in (5, 3, 6)]
L = max(map(len, seqs))
x = torch.stack([F.pad(s, (0, 0, 0, L - len(s))) for s in seqs])
pad = torch.arange(L)[None] >= torch.tensor([len(s) for s in seqs])[:, None]
for lay in layers:
    x = lay(x, pad=pad)
pooled = (x * ~pad.unsqueeze(-1)).sum(1) / (~pad).sum(1, keepdim=True)
balance = sum(l.load.var() for l in layers if hasattr(l, 'load'))
att = layers[0].attn.eval()
for tstep in range(3):
    o = att(torch.randn(1, 1, 16), use_cache=True)
ck, cv = att.cache
half = layers[0].to(torch.bfloat16)(torch.randn(1, 4, 16, dtype=torch.bfloat16))
mha = nn.MultiheadAttention(16, 4, batch_first=True)
ao, aw = mha(pooled[:, None], torch.randn(3, 5, 16), torch.randn(3, 5, 16), need_weights=True)
