"""Parameter-efficient fine-tuning from scratch: LoRA adapters injected by name."""
import math
import re
from typing import Iterable, List, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALayer:
    def __init__(self, r: int, lora_alpha: int, lora_dropout: float, merge_weights: bool):
        self.r = r
        self.lora_alpha = lora_alpha
        self.lora_dropout = nn.Dropout(p=lora_dropout) if lora_dropout > 0.0 else (lambda x: x)
        self.merged = False
        self.merge_weights = merge_weights


class Linear(nn.Linear, LoRALayer):
    def __init__(self, in_features, out_features, r=0, lora_alpha=1, lora_dropout=0.0, merge_weights=True, **kwargs):
        nn.Linear.__init__(self, in_features, out_features, **kwargs)
        LoRALayer.__init__(self, r=r, lora_alpha=lora_alpha, lora_dropout=lora_dropout, merge_weights=merge_weights)
        if r > 0:
            self.lora_A = nn.Parameter(self.weight.new_zeros((r, in_features)))
            self.lora_B = nn.Parameter(self.weight.new_zeros((out_features, r)))
            self.scaling = self.lora_alpha / self.r
            self.weight.requires_grad = False
        self.reset_parameters()

    def reset_parameters(self):
        nn.Linear.reset_parameters(self)
        if hasattr(self, 'lora_A'):
            nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))
            nn.init.zeros_(self.lora_B)

    def train(self, mode: bool = True):
        nn.Linear.train(self, mode)
        if mode:
            if self.merge_weights and self.merged:
                self.weight.data -= (self.lora_B @ self.lora_A) * self.scaling
                self.merged = False
        else:
            if self.merge_weights and not self.merged:
                self.weight.data += (self.lora_B @ self.lora_A) * self.scaling
                self.merged = True
        return self

    def forward(self, x: torch.Tensor):
        if self.r > 0 and not self.merged:
            result = F.linear(x, self.weight, bias=self.bias)
            update = self.lora_dropout(x) @ self.lora_A.transpose(0, 1) @ self.lora_B.transpose(0, 1)
            return result + update * self.scaling
        return F.linear(x, self.weight, bias=self.bias)


class Encoder(nn.Module):
    def __init__(self, vocab=60, dim=32, layers=2, heads=4):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.q = nn.ModuleList(nn.Linear(dim, dim) for _ in range(layers))
        self.k = nn.ModuleList(nn.Linear(dim, dim) for _ in range(layers))
        self.v = nn.ModuleList(nn.Linear(dim, dim) for _ in range(layers))
        self.mlp = nn.ModuleList(nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim)) for _ in range(layers))
        self.heads = heads
        self.cls = nn.Linear(dim, 3)

    def forward(self, ids):
        h = self.embed(ids)
        B, T, C = h.shape
        for q, k, v, mlp in zip(self.q, self.k, self.v, self.mlp):
            query, key, value = (f(h).view(B, T, self.heads, C // self.heads).transpose(1, 2) for f in (q, k, v))
            att = F.scaled_dot_product_attention(query, key, value)
            h = h + att.transpose(1, 2).reshape(B, T, C)
            h = h + mlp(h)
        return self.cls(h[:, 0])


def inject(model: nn.Module, pattern: str, r: int, alpha: int) -> List[str]:
    replaced = []
    for name, module in list(model.named_modules()):
        if isinstance(module, nn.Linear) and re.search(pattern, name):
            parent_name, _, child = name.rpartition('.')
            parent = model.get_submodule(parent_name)
            new = Linear(module.in_features, module.out_features, r=r, lora_alpha=alpha, lora_dropout=0.05)
            new.weight.data.copy_(module.weight.data)
            new.bias.data.copy_(module.bias.data)
            setattr(parent, child, new)
            replaced.append(name)
    return replaced


def mark_only_lora_as_trainable(model: nn.Module, extra: Optional[Iterable[str]] = None) -> None:
    for n, p in model.named_parameters():
        p.requires_grad = 'lora_' in n or any(e in n for e in (extra or ()))


def lora_state_dict(model):
    sd = model.state_dict()
    return {k: sd[k] for k in sd if 'lora_' in k}


torch.manual_seed(0)
model = Encoder()
ids = torch.randint(0, 60, (6, 12))
before = model.eval()(ids)
names = inject(model, r'^(q|v)\.\d+$', r=4, alpha=8)
mark_only_lora_as_trainable(model, extra=['cls'])
trainable = sum(p.numel() for p in model.parameters() if p.requires_grad)
total = sum(p.numel() for p in model.parameters())
print(names, f'{100 * trainable / total:.1f}% trainable')
same = model(ids)
torch.testing.assert_close(before, same)
opt = torch.optim.AdamW(filter(lambda p: p.requires_grad, model.parameters()), lr=1e-2)
y = torch.randint(0, 3, (6,))
model.train()
for i in range(4):
    logits = model(ids)
    loss = F.cross_entropy(logits, y)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
unmerged = model(ids)
model.eval()
merged = model(ids)
adapter = lora_state_dict(model)
for k, t in adapter.items():
    print(k, tuple(t.shape))
delta = adapter['q.0.lora_B'] @ adapter['q.0.lora_A']
U, S, Vh = torch.linalg.svd(delta, full_matrices=False)
rank = (S > 1e-6).sum()
print(loss.item(), rank, (merged - before).abs().max())
