import json
import math
import re
from collections import defaultdict

import torch
import torch.nn as nn
import torch.nn.functional as F

TEXT = """the quick brown fox jumps over the lazy dog . the dog barks at the fox , and the fox runs away .
a lazy afternoon by the river ; the brown river runs slowly over smooth stones . quick minds make quick work .""" * 3


class BPETokenizer:
    def __init__(self, num_merges=40):
        self.num_merges = num_merges
        self.merges = {}
        self.vocab = {}

    def _stats(self, words):
        pairs = defaultdict(int)
        for word, freq in words.items():
            symbols = word.split()
            for i in range(len(symbols) - 1):
                pairs[symbols[i], symbols[i + 1]] += freq
        return pairs

    def train(self, text):
        words = defaultdict(int)
        for w in text.strip().split():
            words[" ".join(list(w)) + " </w>"] += 1
        chars = sorted(set(" ".join(words).split()))
        for i in range(self.num_merges):
            pairs = self._stats(words)
            if not pairs:
                break
            best = max(pairs, key=pairs.get)
            self.merges[best] = i
            pattern = re.compile(r"(?<!\S)" + re.escape(" ".join(best)) + r"(?!\S)")
            words = {pattern.sub("".join(best), w): f for w, f in words.items()}
        tokens = ["<unk>", "<bos>"] + chars + ["".join(p) for p in self.merges]
        self.vocab = {t: i for i, t in enumerate(dict.fromkeys(tokens))}
        self.inverse = {i: t for t, i in self.vocab.items()}

    def encode(self, text):
        ids = []
        for w in text.split():
            symbols = list(w) + ["</w>"]
            while len(symbols) > 1:
                ranked = [(self.merges.get(p, float("inf")), i) for i, p in enumerate(zip(symbols, symbols[1:]))]
                rank, i = min(ranked)
                if rank == float("inf"):
                    break
                symbols[i:i + 2] = ["".join(symbols[i:i + 2])]
            ids.extend(self.vocab.get(s, 0) for s in symbols)
        return ids

    def decode(self, ids):
        return "".join(self.inverse[i] for i in ids).replace("</w>", " ")


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, r=4, alpha=8):
        super().__init__()
        self.base = base
        self.base.weight.requires_grad = False
        self.lora_A = nn.Parameter(torch.zeros(r, base.in_features))
        self.lora_B = nn.Parameter(torch.zeros(base.out_features, r))
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))
        self.scaling = alpha / r

    def forward(self, x):
        delta = (x @ self.lora_A.T) @ self.lora_B.T
        return self.base(x) + delta * self.scaling

    def merge(self):
        with torch.no_grad():
            self.base.weight += (self.lora_B @ self.lora_A) * self.scaling
        return self.base


class TopKMoE(nn.Module):
    def __init__(self, dim, num_experts=4, k=2):
        super().__init__()
        self.gate = nn.Linear(dim, num_experts, bias=False)
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim)) for _ in range(num_experts)])
        self.k = k
        self.aux_loss = None

    def forward(self, x):
        shape = x.shape
        x = x.view(-1, shape[-1])
        logits = self.gate(x)
        probs = logits.softmax(dim=-1)
        weights, chosen = torch.topk(probs, self.k, dim=-1)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            token_idx, slot = torch.where(chosen == e)
            if token_idx.numel() == 0:
                continue
            out.index_add_(0, token_idx, expert(x[token_idx]) * weights[token_idx, slot, None])
        load = F.one_hot(chosen[:, 0], len(self.experts)).float().mean(0)
        self.aux_loss = len(self.experts) * (load * probs.mean(0)).sum()
        return out.view(shape)


class Block(nn.Module):
    def __init__(self, dim, heads, moe=False):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.RMSNorm(dim), nn.RMSNorm(dim)
        self.q_proj, self.k_proj, self.v_proj = (nn.Linear(dim, dim, bias=False) for _ in range(3))
        self.o_proj = nn.Linear(dim, dim, bias=False)
        self.mlp = TopKMoE(dim) if moe else nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x, cache=None):
        B, T, C = x.shape
        h = self.ln1(x)
        q, k, v = (p(h).view(B, T, self.heads, C // self.heads).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        if cache is not None:
            k, v = torch.cat([cache[0], k], dim=2), torch.cat([cache[1], v], dim=2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=cache is None)
        x = x + self.o_proj(y.transpose(1, 2).reshape(B, T, C))
        return x + self.mlp(self.ln2(x)), (k, v)


class LM(nn.Module):
    def __init__(self, vocab, dim=32, depth=2, block_size=32):
        super().__init__()
        self.block_size = block_size
        self.tok, self.pos = nn.Embedding(vocab, dim), nn.Embedding(block_size, dim)
        self.blocks = nn.ModuleList([Block(dim, 4, moe=i % 2 == 1) for i in range(depth)])
        self.norm = nn.RMSNorm(dim)
        self.head = nn.Linear(dim, vocab, bias=False)
        self.head.weight = self.tok.weight

    def forward(self, idx, targets=None, caches=None):
        past = caches[0][0].size(2) if caches is not None else 0
        x = self.tok(idx) + self.pos(torch.arange(past, past + idx.size(1)))
        new = []
        for i, block in enumerate(self.blocks):
            x, kv = block(x, None if caches is None else caches[i])
            new.append(kv)
        logits = self.head(self.norm(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return logits, loss, new

    @torch.no_grad()
    def generate(self, idx, n, top_p=0.9):
        logits, _, caches = self(idx)
        for _ in range(n):
            probs = logits[:, -1].softmax(-1)
            sorted_probs, order = probs.sort(descending=True)
            drop = sorted_probs.cumsum(-1) - sorted_probs > top_p
            sorted_probs = sorted_probs.masked_fill(drop, 0.0)
            nxt = order.gather(-1, torch.multinomial(sorted_probs, 1))
            idx = torch.cat([idx, nxt], dim=1)
            logits, _, caches = self(nxt, caches=caches)
        return idx


torch.manual_seed(5)
tok = BPETokenizer()
tok.train(TEXT)
ids = torch.tensor(tok.encode(TEXT), dtype=torch.long)
n = int(0.9 * len(ids))
train_ids, val_ids = ids[:n], ids[n:]
model = LM(len(tok.vocab))


def get_batch(data, batch_size=8):
    ix = torch.randint(len(data) - 17, (batch_size,))
    x = torch.stack([data[i:i + 16] for i in ix])
    y = torch.stack([data[i + 1:i + 17] for i in ix])
    return x, y


def fit(params, steps, lr):
    opt = torch.optim.AdamW(params, lr=lr)
    for step in range(steps):
        xb, yb = get_batch(train_ids)
        logits, loss, _ = model(xb, yb)
        aux = sum(b.mlp.aux_loss for b in model.blocks if isinstance(b.mlp, TopKMoE))
        opt.zero_grad()
        (loss + 0.01 * aux).backward()
        opt.step()
    return loss.item()


first = fit(model.parameters(), 5, 1e-3)
for p in model.parameters():
    p.requires_grad = False
for block in model.blocks:
    block.q_proj, block.v_proj = LoRALinear(block.q_proj), LoRALinear(block.v_proj)
trainable = [p for p in model.parameters() if p.requires_grad]
second = fit(trainable, 3, 1e-2)
for block in model.blocks:
    block.q_proj = block.q_proj.merge()
    block.v_proj = block.v_proj.merge()
prompt = torch.tensor([tok.encode("the quick fox")])
out = model.generate(prompt, 10)
print(json.dumps({"first": first, "second": second, "params": sum(p.numel() for p in trainable)}), tok.decode(out[0].tolist()))
