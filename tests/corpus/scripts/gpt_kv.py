import math
from dataclasses import dataclass, field, asdict
from typing import List, Optional, Tuple

import torch
import torch.nn as nn
from torch.nn import functional as F

TEXT = """
To be, or not to be, that is the question:
Whether 'tis nobler in the mind to suffer
The slings and arrows of outrageous fortune,
Or to take arms against a sea of troubles
And by opposing end them. To die: to sleep;
No more; and by a sleep to say we end
The heart-ache and the thousand natural shocks
That flesh is heir to: 'tis a consummation
Devoutly to be wish'd. To die, to sleep.
"""


class CharTokenizer:
    def __init__(self, text):
        chars = sorted(set(text))
        self.stoi = {c: i for i, c in enumerate(chars)}
        self.itos = {i: c for c, i in self.stoi.items()}

    @property
    def vocab_size(self):
        return len(self.stoi)

    def encode(self, s):
        return [self.stoi[c] for c in s]

    def decode(self, ids):
        return "".join(self.itos[int(i)] for i in ids)


@dataclass
class GPTConfig:
    vocab_size: int = 65
    block_size: int = 64
    n_layer: int = 3
    n_head: int = 4
    n_kv_head: int = 2
    n_embd: int = 48
    dropout: float = 0.1
    bias: bool = False
    betas: Tuple[float, float] = (0.9, 0.95)
    tags: List[str] = field(default_factory=lambda: ["tiny"])

    @property
    def head_dim(self):
        return self.n_embd // self.n_head

    def __post_init__(self):
        assert self.n_embd % self.n_head == 0, "n_embd must divide"
        assert self.n_head % self.n_kv_head == 0


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        var = x.float().pow(2).mean(-1, keepdim=True)
        return (x * torch.rsqrt(var + self.eps)).type_as(x) * self.weight


class KVCache:
    def __init__(self, n_layer):
        self.keys: List[Optional[torch.Tensor]] = [None] * n_layer
        self.values: List[Optional[torch.Tensor]] = [None] * n_layer

    def update(self, layer, k, v):
        if self.keys[layer] is None:
            self.keys[layer], self.values[layer] = k, v
        else:
            self.keys[layer] = torch.cat((self.keys[layer], k), dim=2)
            self.values[layer] = torch.cat((self.values[layer], v), dim=2)
        return self.keys[layer], self.values[layer]

    @property
    def length(self):
        return 0 if self.keys[0] is None else self.keys[0].size(2)


def precompute_rope(head_dim, max_len, theta=10000.0):
    inv = 1.0 / (theta ** (torch.arange(0, head_dim, 2).float() / head_dim))
    t = torch.arange(max_len).float()
    freqs = torch.outer(t, inv)
    return freqs.cos(), freqs.sin()


def apply_rope(x, cos, sin):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1)


class Attention(nn.Module):
    def __init__(self, cfg: GPTConfig, idx: int):
        super().__init__()
        self.cfg, self.idx = cfg, idx
        self.wq = nn.Linear(cfg.n_embd, cfg.n_head * cfg.head_dim, bias=cfg.bias)
        self.wk = nn.Linear(cfg.n_embd, cfg.n_kv_head * cfg.head_dim, bias=cfg.bias)
        self.wv = nn.Linear(cfg.n_embd, cfg.n_kv_head * cfg.head_dim, bias=cfg.bias)
        self.wo = nn.Linear(cfg.n_embd, cfg.n_embd, bias=cfg.bias)
        self.drop = nn.Dropout(cfg.dropout)

    def forward(self, x, cos, sin, cache: Optional[KVCache] = None):
        B, T, C = x.shape
        q = self.wq(x).view(B, T, self.cfg.n_head, -1).transpose(1, 2)
        k = self.wk(x).view(B, T, self.cfg.n_kv_head, -1).transpose(1, 2)
        v = self.wv(x).view(B, T, self.cfg.n_kv_head, -1).transpose(1, 2)
        q, k = apply_rope(q, cos, sin), apply_rope(k, cos, sin)
        if cache is not None:
            k, v = cache.update(self.idx, k, v)
        rep = self.cfg.n_head // self.cfg.n_kv_head
        k = k.repeat_interleave(rep, dim=1)
        v = v.repeat_interleave(rep, dim=1)
        att = (q @ k.transpose(-2, -1)) / math.sqrt(q.size(-1))
        S = k.size(2)
        mask = torch.ones(T, S, dtype=torch.bool, device=x.device).tril(diagonal=S - T)
        att = att.masked_fill(~mask, float("-inf"))
        att = self.drop(F.softmax(att, dim=-1))
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.wo(y)


class SwiGLU(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        hidden = int(8 * cfg.n_embd / 3)
        hidden = 8 * ((hidden + 7) // 8)
        self.w12 = nn.Linear(cfg.n_embd, 2 * hidden, bias=False)
        self.w3 = nn.Linear(hidden, cfg.n_embd, bias=False)

    def forward(self, x):
        a, b = self.w12(x).chunk(2, dim=-1)
        return self.w3(F.silu(a) * b)


class Block(nn.Module):
    def __init__(self, cfg, idx):
        super().__init__()
        self.n1, self.n2 = RMSNorm(cfg.n_embd), RMSNorm(cfg.n_embd)
        self.attn, self.mlp = Attention(cfg, idx), SwiGLU(cfg)

    def forward(self, x, cos, sin, cache=None):
        x = x + self.attn(self.n1(x), cos, sin, cache)
        x = x + self.mlp(self.n2(x))
        return x


class GPT(nn.Module):
    def __init__(self, cfg: GPTConfig):
        super().__init__()
        self.cfg = cfg
        self.tok = nn.Embedding(cfg.vocab_size, cfg.n_embd)
        self.blocks = nn.ModuleList(Block(cfg, i) for i in range(cfg.n_layer))
        self.norm = RMSNorm(cfg.n_embd)
        self.head = nn.Linear(cfg.n_embd, cfg.vocab_size, bias=False)
        self.head.weight = self.tok.weight
        cos, sin = precompute_rope(cfg.head_dim, cfg.block_size)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        self.apply(self._init)

    @staticmethod
    def _init(m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, std=0.02)

    def forward(self, idx, targets=None, cache=None):
        start = cache.length if cache is not None else 0
        T = idx.shape[1]
        cos, sin = self.cos[start:start + T], self.sin[start:start + T]
        x = self.tok(idx)
        for block in self.blocks:
            x = block(x, cos, sin, cache)
        x = self.norm(x)
        if targets is None:
            return self.head(x[:, [-1], :]), None
        logits = self.head(x)
        loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)
        return logits, loss

    def configure_optimizers(self, wd, lr):
        params = {n: p for n, p in self.named_parameters() if p.requires_grad}
        decay = [p for n, p in params.items() if p.dim() >= 2]
        nodecay = [p for n, p in params.items() if p.dim() < 2]
        groups = [{"params": decay, "weight_decay": wd}, {"params": nodecay, "weight_decay": 0.0}]
        return torch.optim.AdamW(groups, lr=lr, betas=self.cfg.betas)

    @torch.inference_mode()
    def generate(self, idx, n, temperature=1.0, top_k=None, use_cache=True):
        self.eval()
        cache = KVCache(self.cfg.n_layer) if use_cache else None
        cur = idx
        for _ in range(n):
            logits, _ = self(cur, cache=cache)
            logits = logits[:, -1] / temperature
            if top_k is not None:
                v, _ = torch.topk(logits, min(top_k, logits.size(-1)))
                logits[logits < v[:, [-1]]] = -float("inf")
            probs = F.softmax(logits, dim=-1)
            nxt = torch.multinomial(probs, num_samples=1)
            idx = torch.cat((idx, nxt), dim=1)
            cur = nxt if use_cache else idx[:, -self.cfg.block_size:]
        return idx


def get_batch(data, block, bs):
    ix = torch.randint(len(data) - block, (bs,))
    x = torch.stack([data[i:i + block] for i in ix])
    y = torch.stack([data[i + 1:i + 1 + block] for i in ix])
    return x, y


@torch.no_grad()
def estimate_loss(model, splits, iters=3):
    out = {}
    model.eval()
    for name, data in splits.items():
        losses = torch.zeros(iters)
        for k in range(iters):
            X, Y = get_batch(data, 32, 4)
            _, loss = model(X, Y)
            losses[k] = loss.item()
        out[name] = losses.mean()
    model.train()
    return out


def main():
    torch.manual_seed(1337)
    tok = CharTokenizer(TEXT)
    data = torch.tensor(tok.encode(TEXT), dtype=torch.long)
    n = int(0.8 * len(data))
    splits = {"train": data[:n], "val": data[n:]}
    cfg = GPTConfig(vocab_size=tok.vocab_size)
    model = GPT(cfg)
    print(asdict(cfg), sum(p.numel() for p in model.parameters()) / 1e6)
    opt = model.configure_optimizers(0.1, 3e-3)
    for it in range(12):
        if it % 4 == 0:
            losses = estimate_loss(model, splits)
            print(f"{it}: train {losses['train']:.3f} val {losses['val']:.3f}")
        xb, yb = get_batch(splits["train"], 32, 8)
        logits, loss = model(xb, yb)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
    prompt = torch.tensor([tok.encode("To be")], dtype=torch.long)
    out = model.generate(prompt, 20, temperature=0.8, top_k=10)
    print(tok.decode(out[0].tolist()))


if __name__ == "__main__":
    main()
