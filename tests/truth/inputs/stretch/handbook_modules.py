
import torch
import torch.nn as nn
import torch.nn.functional as F


class MLP(nn.Module):
    def __init__(self, d_in: int, d_hidden: int, d_out: int, p_drop: float = 0.1):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_hidden)
        self.act = nn.GELU()
        self.drop = nn.Dropout(p_drop)
        self.fc2 = nn.Linear(d_hidden, d_out)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc2(self.drop(self.act(self.fc1(x))))


model = MLP(64, 256, 10)
y = model(torch.randn(8, 64))  # (8, 10)
for name, p in model.named_parameters():
    print(name, tuple(p.shape), p.requires_grad)
n_params = sum(p.numel() for p in model.parameters())
sd = model.state_dict()
model2 = MLP(64, 256, 10)
missing, unexpected = model2.load_state_dict(sd, strict=False)
seq = nn.Sequential(
    nn.Linear(64, 256),
    nn.GELU(),
    nn.Linear(256, 10),
)
z = seq(torch.randn(8, 64))


class Stack(nn.Module):
    def __init__(self, n_layers, d):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(d, d) for _ in range(n_layers)])

    def forward(self, x):
        for layer in self.layers:
            x = F.gelu(layer(x))
        return x


class MultiHead(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.heads = nn.ModuleDict({
            "classifier": nn.Linear(d, 10),
            "regressor": nn.Linear(d, 1),
        })

    def forward(self, x, head: str):
        return self.heads[head](x)


stacked = Stack(3, 64)(torch.randn(8, 64))
heads = MultiHead(64)
classes = heads(stacked, "classifier")
value = heads(stacked, "regressor")

fc = nn.Linear(in_features=128, out_features=512, bias=True)
emb = nn.Embedding(num_embeddings=5_000, embedding_dim=768)
ids = torch.randint(0, 5_000, (4, 32))  # (B, S)
h = emb(ids)  # (4, 32, 768)
ln = nn.LayerNorm(normalized_shape=768)
attn = nn.MultiheadAttention(embed_dim=768, num_heads=12, batch_first=True)
x = torch.randn(4, 32, 768)
out, weights = attn(query=x, key=x, value=x, need_weights=False)

logits = torch.randn(8, 10)
targets = torch.randint(0, 10, (8,))
loss_fn = nn.CrossEntropyLoss(ignore_index=-100)
loss = loss_fn(logits, targets)
B, S, V = 4, 32, 500
seq_logits = torch.randn(B, S, V)
seq_targets = torch.randint(0, V, (B, S))
loss = loss_fn(seq_logits.reshape(-1, V), seq_targets.reshape(-1))
mse = nn.MSELoss()
error = mse(torch.randn(8, 1), torch.randn(8, 1))
bce = nn.BCEWithLogitsLoss()
error = bce(torch.randn(8), torch.empty(8).uniform_().round())


def build_param_groups(model, weight_decay=0.1):
    decay, no_decay = [], []
    for name, p in model.named_parameters():
        if not p.requires_grad:
            continue
        if p.ndim < 2 or name.endswith(".bias") or "norm" in name.lower() or "embed" in name.lower():
            no_decay.append(p)
        else:
            decay.append(p)
    return [
        {"params": decay, "weight_decay": weight_decay},
        {"params": no_decay, "weight_decay": 0.0},
    ]


opt = torch.optim.AdamW(build_param_groups(model), lr=3e-4, betas=(0.9, 0.95))
warmup = torch.optim.lr_scheduler.LinearLR(opt, start_factor=1e-6, end_factor=1.0, total_iters=10)
cosine = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=90)
sched = torch.optim.lr_scheduler.SequentialLR(opt, schedulers=[warmup, cosine], milestones=[10])


class TransformerBlock(nn.Module):
    def __init__(self, d_model: int, n_heads: int, d_ff: int, p_drop: float = 0.1):
        super().__init__()
        self.ln1 = nn.LayerNorm(d_model)
        self.attn = nn.MultiheadAttention(d_model, n_heads, dropout=p_drop, batch_first=True)
        self.ln2 = nn.LayerNorm(d_model)
        self.mlp = nn.Sequential(
            nn.Linear(d_model, d_ff),
            nn.GELU(),
            nn.Dropout(p_drop),
            nn.Linear(d_ff, d_model),
            nn.Dropout(p_drop),
        )

    def forward(self, x: torch.Tensor, attn_mask: torch.Tensor | None = None) -> torch.Tensor:
        h = self.ln1(x)
        attn_out, _ = self.attn(h, h, h, attn_mask=attn_mask, need_weights=False, is_causal=attn_mask is not None)
        x = x + attn_out
        x = x + self.mlp(self.ln2(x))
        return x


blk = TransformerBlock(d_model=64, n_heads=4, d_ff=256)
x = torch.randn(2, 16, 64)
mask = torch.triu(torch.ones(16, 16), diagonal=1).bool()
y = blk(x, attn_mask=mask)
assert y.shape == (2, 16, 64)

with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
    y16 = model(torch.randn(2, 64))
    loss16 = F.cross_entropy(y16, torch.tensor([1, 2]))
