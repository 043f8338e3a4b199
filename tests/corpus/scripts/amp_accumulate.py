import contextlib
import os
import time
from types import SimpleNamespace

import torch
import torch.nn as nn
from torch.amp import GradScaler, autocast
from torch.utils.data import TensorDataset, DataLoader

cfg = SimpleNamespace(
    batch_size=16,
    accumulate=4,
    max_epochs=2,
    lr=3e-4,
    clip=1.0,
    amp=True,
    dtype="bfloat16",
    width=64,
    n_out=12,
)

device_type = "cuda" if torch.cuda.is_available() else "cpu"
device = torch.device(device_type)
ptdtype = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}[cfg.dtype]
ctx = contextlib.nullcontext() if not cfg.amp else autocast(device_type=device_type, dtype=ptdtype)
scaler = GradScaler(device_type, enabled=(cfg.dtype == "float16" and device_type == "cuda"))
torch.backends.cuda.matmul.allow_tf32 = True
torch.manual_seed(1337 + int(os.environ.get("RANK", 0)))


class ResidualMLP(nn.Module):
    def __init__(self, width, depth, n_out, p=0.1):
        super().__init__()
        self.inp = nn.Linear(20, width)
        self.blocks = nn.ModuleList(
            nn.ModuleDict({
                "norm": nn.LayerNorm(width),
                "up": nn.Linear(width, 4 * width),
                "down": nn.Linear(4 * width, width),
                "drop": nn.Dropout(p),
            })
            for _ in range(depth)
        )
        self.head = nn.Linear(width, n_out)

    def forward(self, x):
        h = self.inp(x)
        for blk in self.blocks:
            z = blk["norm"](h)
            z = nn.functional.gelu(blk["up"](z))
            h = h + blk["drop"](blk["down"](z))
        pooled = h.mean(dim=1)
        return self.head(pooled)


X = torch.randn(160, 5, 20)
y = torch.randint(0, cfg.n_out, (160,))
train_ds, val_ds = torch.utils.data.random_split(TensorDataset(X, y), [128, 32])
train_dl = DataLoader(train_ds, batch_size=cfg.batch_size, shuffle=True, pin_memory=device_type == "cuda", drop_last=True)
val_dl = DataLoader(val_ds, batch_size=32)

model = ResidualMLP(cfg.width, depth=3, n_out=cfg.n_out).to(device)
raw_model = model
decay = [p for p in model.parameters() if p.dim() >= 2]
nodecay = [p for p in model.parameters() if p.dim() < 2]
optimizer = torch.optim.AdamW(
    [{"params": decay, "weight_decay": 0.1}, {"params": nodecay, "weight_decay": 0.0}], lr=cfg.lr, betas=(0.9, 0.95)
)
sched = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-3, total_steps=cfg.max_epochs * len(train_dl) // cfg.accumulate)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    losses = torch.zeros(len(loader))
    hits = torch.zeros((), dtype=torch.long, device=device)
    n = 0
    for k, (xb, yb) in enumerate(loader):
        xb, yb = xb.to(device, non_blocking=True), yb.to(device, non_blocking=True)
        with ctx:
            logits = model(xb)
            loss = criterion(logits, yb)
        losses[k] = loss.item()
        hits += (logits.argmax(-1) == yb).sum()
        n += yb.numel()
    model.train()
    return losses.mean(), hits.item() / n


best = float("inf")
t0 = time.time()
for epoch in range(cfg.max_epochs):
    running = torch.tensor(0.0, device=device)
    for it, (xb, yb) in enumerate(train_dl):
        xb, yb = xb.to(device), yb.to(device)
        with ctx:
            logits = model(xb)
            loss = criterion(logits, yb) / cfg.accumulate
        scaler.scale(loss).backward()
        running += loss.detach().float()
        if (it + 1) % cfg.accumulate == 0:
            if cfg.clip > 0.0:
                scaler.unscale_(optimizer)
                total_norm = torch.nn.utils.clip_grad_norm_(model.parameters(), cfg.clip)
            scaler.step(optimizer)
            scaler.update()
            sched.step()
            optimizer.zero_grad(set_to_none=True)
    val_loss, acc = evaluate(model, val_dl)
    dt = time.time() - t0
    print(f"epoch {epoch} train {running.item() / len(train_dl):.3f} val {val_loss:.3f} acc {acc:.2%} ({dt * 1000:.0f}ms)")
    if val_loss < best:
        best = val_loss
        state = {k: v.detach().cpu().clone() for k, v in raw_model.state_dict().items()}

missing = raw_model.load_state_dict(state)
with torch.inference_mode(), autocast("cpu", dtype=torch.bfloat16):
    sample = torch.randn(2, 5, 20, device=device)
    out = raw_model(sample)
    probs = out.softmax(-1)
print(missing, out.dtype, probs.dtype, probs.sum(-1))
half = raw_model.to(torch.bfloat16)
o2 = half(sample.bfloat16())
print(o2.dtype, next(half.parameters()).dtype)
