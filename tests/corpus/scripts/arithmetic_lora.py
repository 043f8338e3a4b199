"""LoRA on an own mini-LLM, then cached generation in batches with stop tokens."""
import copy
import inspect
import math
import string
from contextlib import nullcontext
from itertools import chain, islice
from typing import Callable, Dict, Generator, List, NamedTuple, Optional, Tuple, Union

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCAB = ["<pad>", "<eos>", *string.digits, "+", "=", " "]
TO_ID = {c: i for i, c in enumerate(VOCAB)}
PAD, EOS = 0, 1

CONFIGS = {
    "nano": dict(dim=32, n_layers=2, n_heads=4, n_kv_heads=2, ffn=64, max_seq=32),
    "small": dict(dim=64, n_layers=4, n_heads=8, n_kv_heads=4, ffn=128, max_seq=64),
}


class ModelArgs:
    def __init__(self, vocab: int, **kw):
        self.vocab = vocab
        self.rope_theta = kw.pop("rope_theta", 10000.0)
        for k, v in kw.items():
            setattr(self, k, v)
        self.head_dim = self.dim // self.n_heads

    @classmethod
    def from_name(cls, name: str, **override):
        return cls(len(VOCAB), **{**CONFIGS[name], **override})


def precompute_rope(head_dim: int, end: int, theta: float) -> torch.Tensor:
    freqs = 1.0 / (theta ** (torch.arange(0, head_dim, 2)[: head_dim // 2].float() / head_dim))
    t = torch.arange(end, dtype=torch.float32)
    return torch.polar(torch.ones(end, head_dim // 2), torch.outer(t, freqs))


def apply_rope(x: torch.Tensor, cis: torch.Tensor) -> torch.Tensor:
    xc = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    cis = cis[None, :, None, :] if cis.dim() == 2 else cis[:, :, None, :]
    return torch.view_as_real(xc * cis).flatten(3).type_as(x)


class KVCache(nn.Module):
    def __init__(self, bsz, args, dtype=torch.float32):
        super().__init__()
        shape = (bsz, args.max_seq, args.n_kv_heads, args.head_dim)
        self.register_buffer("k", torch.zeros(shape, dtype=dtype), persistent=False)
        self.register_buffer("v", torch.zeros(shape, dtype=dtype), persistent=False)

    def update(self, start: int, k, v) -> Tuple[torch.Tensor, torch.Tensor]:
        end = start + k.shape[1]
        self.k[: k.shape[0], start:end] = k
        self.v[: v.shape[0], start:end] = v
        return self.k[: k.shape[0], :end], self.v[: v.shape[0], :end]


class Attention(nn.Module):
    def __init__(self, a: ModelArgs):
        super().__init__()
        self.a = a
        self.wq = nn.Linear(a.dim, a.n_heads * a.head_dim, bias=False)
        self.wk = nn.Linear(a.dim, a.n_kv_heads * a.head_dim, bias=False)
        self.wv = nn.Linear(a.dim, a.n_kv_heads * a.head_dim, bias=False)
        self.wo = nn.Linear(a.n_heads * a.head_dim, a.dim, bias=False)
        self.cache: Optional[KVCache] = None

    def forward(self, x, cis, start: int, mask: Optional[torch.Tensor]):
        b, t, _ = x.shape
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        q = q.view(b, t, self.a.n_heads, self.a.head_dim)
        k, v = (u.view(b, t, self.a.n_kv_heads, self.a.head_dim) for u in (k, v))
        q, k = apply_rope(q, cis), apply_rope(k, cis)
        if self.cache is not None:
            k, v = self.cache.update(start, k, v)
        rep = self.a.n_heads // self.a.n_kv_heads
        k, v = k.repeat_interleave(rep, dim=2), v.repeat_interleave(rep, dim=2)
        q, k, v = map(lambda u: u.transpose(1, 2), (q, k, v))
        o = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.wo(o.transpose(1, 2).contiguous().view(b, t, -1))


class Layer(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.attn_norm, self.ffn_norm = nn.RMSNorm(a.dim), nn.RMSNorm(a.dim)
        self.attn = Attention(a)
        self.gate_up = nn.Linear(a.dim, 2 * a.ffn, bias=False)
        self.down = nn.Linear(a.ffn, a.dim, bias=False)

    def forward(self, x, *args):
        x = x + self.attn(self.attn_norm(x), *args)
        g, u = self.gate_up(self.ffn_norm(x)).chunk(2, -1)
        return x + self.down(F.silu(g) * u)


class LM(nn.Module):
    def __init__(self, a: ModelArgs):
        super().__init__()
        self.a = a
        self.embed = nn.Embedding(a.vocab, a.dim, padding_idx=PAD)
        self.layers = nn.ModuleList([Layer(a) for _ in range(a.n_layers)])
        self.norm = nn.RMSNorm(a.dim)
        self.lm_head = nn.Linear(a.dim, a.vocab, bias=False)
        self.register_buffer("cis", precompute_rope(a.head_dim, a.max_seq, a.rope_theta), persistent=False)

    def forward(self, ids, start: int = 0):
        t = ids.size(1)
        h = self.embed(ids)
        mask = None
        if t > 1:
            mask = torch.full((t, t), float("-inf"), device=ids.device).triu(1)
            mask = torch.hstack([torch.zeros((t, start)), mask]).type_as(h)
        for layer in self.layers:
            h = layer(h, self.cis[start : start + t], start, mask)
        return self.lm_head(self.norm(h)).float()

    def setup_caches(self, bsz):
        for l in self.layers:
            l.attn.cache = KVCache(bsz, self.a)

    def clear_caches(self):
        for l in self.layers:
            l.attn.cache = None


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, r: int, alpha: float, p: float = 0.05):
        super().__init__()
        self.base = base
        self.base.weight.requires_grad = False
        self.A = nn.Parameter(base.weight.new_empty(r, base.in_features))
        self.B = nn.Parameter(base.weight.new_zeros(base.out_features, r))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.scale = alpha / r
        self.drop = nn.Dropout(p) if p else nn.Identity()

    def forward(self, x):
        return self.base(x) + (self.drop(x) @ self.A.T @ self.B.T) * self.scale

    @torch.no_grad()
    def merge(self) -> nn.Linear:
        merged = copy.deepcopy(self.base)
        merged.weight += self.scale * self.B @ self.A
        return merged


def replace(model: nn.Module, match: Callable[[str, nn.Module], bool], make: Callable[[nn.Module], nn.Module]) -> int:
    todo = [(n, m) for n, m in model.named_modules() if match(n, m)]
    for name, mod in todo:
        parent_name, _, leaf = name.rpartition(".")
        setattr(model.get_submodule(parent_name), leaf, make(mod))
    return len(todo)


def encode(s: str) -> List[int]:
    return [TO_ID[c] for c in s]


def problems(seed: int) -> Generator[Tuple[List[int], int], None, None]:
    state = seed
    while True:
        state = (1103515245 * state + 12345) % 2**31
        a, b = state % 50, (state // 64) % 50
        q = f"{a}+{b}="
        yield encode(q + str(a + b)) + [EOS], len(q)


def pad_batch(items, side="right") -> Tuple[torch.Tensor, torch.Tensor]:
    width = max(len(ids) for ids, _ in items)
    ids = torch.full((len(items), width), PAD)
    labels = torch.full_like(ids, -100)
    for i, (seq, q) in enumerate(items):
        s = slice(0, len(seq)) if side == "right" else slice(width - len(seq), width)
        ids[i, s] = torch.tensor(seq)
        if side == "right":
            labels[i, q : len(seq)] = ids[i, q : len(seq)]
    return ids, labels


def train(model, steps, lr, seed, bs=12):
    params = [p for p in model.parameters() if p.requires_grad]
    extra = {"fused": False} if "fused" in inspect.signature(torch.optim.AdamW).parameters else {}
    opt = torch.optim.AdamW(params, lr=lr, **extra)
    src = problems(seed)
    model.train()
    for _ in range(steps):
        ids, labels = pad_batch(list(islice(src, bs)))
        logits = model(ids)
        loss = F.cross_entropy(logits[:, :-1].transpose(1, 2), labels[:, 1:], ignore_index=-100)
        loss.backward()
        opt.step()
        opt.zero_grad()
    return loss.detach()


class Output(NamedTuple):
    ids: torch.Tensor
    logprobs: torch.Tensor
    texts: List[str]


@torch.no_grad()
def generate(model: LM, prompts: List[str], max_new: int = 6, temperature: float = 0.0) -> Output:
    model.eval()
    toks = [encode(p) for p in prompts]
    lens = torch.tensor([len(t) for t in toks])
    short, total = int(lens.min()), min(model.a.max_seq, int(lens.max()) + max_new)
    ids = torch.full((len(toks), total), PAD)
    for i, t in enumerate(toks):
        ids[i, : len(t)] = torch.tensor(t)
    given = ids != PAD
    done = torch.zeros(len(toks), dtype=torch.bool)
    lps = torch.zeros(len(toks), total)
    model.setup_caches(len(toks))
    prev = 0
    for cur in range(short, total):
        logits = model(ids[:, prev:cur], prev)[:, -1]
        if temperature > 0:
            nxt = torch.multinomial((logits / temperature).softmax(-1), 1).squeeze(1)
        else:
            nxt = logits.argmax(-1)
        nxt = torch.where(given[:, cur], ids[:, cur], nxt)
        ids[:, cur] = nxt
        lp = logits.log_softmax(-1).gather(1, nxt[:, None])[:, 0]
        lps[:, cur] = torch.where(done, 0.0, lp)
        done |= (~given[:, cur]) & (nxt == EOS)
        prev = cur
        if done.all():
            break
    model.clear_caches()
    texts = ["".join(VOCAB[i] for i in row if i > EOS) for row in ids.tolist()]
    return Output(ids, lps, texts)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = LM(ModelArgs.from_name("nano"))
    base_loss = train(model, 6, 3e-3, seed=1)
    frozen = copy.deepcopy(model)
    for p in model.parameters():
        p.requires_grad_(False)
    n = replace(model, lambda n, m: n.endswith((".wq", ".wv")) and isinstance(m, nn.Linear), lambda m: LoRALinear(m, r=4, alpha=8))
    trainable = {k: v for k, v in model.named_parameters() if v.requires_grad}
    ft_loss = train(model, 4, 1e-2, seed=2)
    out = generate(model, ["1+2=", "10+23=", "7+41="])
    merged = copy.deepcopy(model)
    replace(merged, lambda n, m: isinstance(m, LoRALinear), LoRALinear.merge)
    probe = torch.tensor([encode("12+30=")])
    with torch.inference_mode() if not torch.is_grad_enabled() else nullcontext():
        a, b = model(probe), merged(probe)
    diff = (a - b).abs().max()
    delta = torch.cat([(m.B @ m.A).flatten() for m in model.modules() if isinstance(m, LoRALinear)])
    print(n, len(trainable), out.ids.shape, diff < 1e-3, delta.numel(), base_loss.shape, ft_loss.shape)
