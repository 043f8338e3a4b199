from __future__ import annotations
import argparse, json, math, os, random, sys
from functools import partial
from pathlib import Path
from typing import Optional, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Metrics(NamedTuple):
    loss: float
    acc: float


class PatchEmbed(nn.Module):
    def __init__(self, img: int, patch: int, chans: int, dim: int):
        super().__init__()
        self.grid = img // patch
        self.proj = nn.Conv2d(chans, dim, patch, patch)

    def forward(self, x: Tensor) -> Tensor:
        return self.proj(x).flatten(2).transpose(1, 2)


class Mlp(nn.Sequential):
    def __init__(self, dim: int, hidden: int, p: float = 0.0):
        super().__init__(nn.Linear(dim, hidden), nn.GELU(), nn.Dropout(p), nn.Linear(hidden, dim), nn.Dropout(p))


class DropPath(nn.Module):
    def __init__(self, p: float):
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.p == 0.0:
            return x
        keep = 1 - self.p
        mask = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(keep)
        return x * mask / keep


class MixerBlock(nn.Module):
    def __init__(self, dim: int, tokens: int, token_hidden: int, channel_hidden: int, drop: float):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.tokens = Mlp(tokens, token_hidden)
        self.channels = Mlp(dim, channel_hidden)
        self.drop = DropPath(drop)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm1(x).mT
        x = x + self.drop(self.tokens(y).mT)
        return x + self.drop(self.channels(self.norm2(x)))


class Mixer(nn.Module):
    def __init__(self, img=16, patch=4, dim=32, depth=3, classes=5):
        super().__init__()
        self.embed = PatchEmbed(img, patch, 3, dim)
        n = self.embed.grid ** 2
        rates = [r.item() for r in torch.linspace(0, 0.2, depth)]
        block = partial(MixerBlock, dim, n, 2 * n, 4 * dim)
        self.blocks = nn.Sequential(*[block(drop=r) for r in rates])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)
        self.apply(self._init)

    @staticmethod
    def _init(m: nn.Module):
        if isinstance(m, nn.Linear):
            nn.init.trunc_normal_(m.weight, std=0.02)
            if m.bias is not None:
                nn.init.zeros_(m.bias)

    def forward(self, x: Tensor, target: Optional[Tensor] = None):
        feats = self.norm(self.blocks(self.embed(x))).mean(1)
        logits = self.head(feats)
        if target is None:
            return logits
        if target.ndim == 1:
            return logits, F.cross_entropy(logits, target, label_smoothing=0.1)
        return logits, torch.sum(-target * F.log_softmax(logits, -1), -1).mean()


class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                grad = p.grad
                state = self.state[p]
                if len(state) == 0:
                    state["exp_avg"] = torch.zeros_like(p)
                m = state["exp_avg"]
                beta1, beta2 = group["betas"]
                p.mul_(1 - group["lr"] * group["weight_decay"])
                update = (m * beta1 + grad * (1 - beta1)).sign_()
                p.add_(update, alpha=-group["lr"])
                m.mul_(beta2).add_(grad, alpha=1 - beta2)


def rand_bbox(h, w, lam):
    cut = math.sqrt(1 - lam)
    ch, cw = int(h * cut), int(w * cut)
    cy, cx = random.randint(0, h - 1), random.randint(0, w - 1)
    return max(cy - ch // 2, 0), min(cy + ch // 2, h), max(cx - cw // 2, 0), min(cx + cw // 2, w)


def cutmix(x: Tensor, y: Tensor, classes: int):
    lam = random.betavariate(1, 1)
    idx = torch.randperm(len(x))
    y1, y2, x1, x2 = rand_bbox(*x.shape[-2:], lam)
    x = x.clone()
    x[:, :, y1:y2, x1:x2] = x[idx, :, y1:y2, x1:x2]
    lam = 1 - (y2 - y1) * (x2 - x1) / (x.shape[-1] * x.shape[-2])
    onehot = torch.eye(classes)[y]
    return x, lam * onehot + (1 - lam) * onehot[idx]


def batches(x: Tensor, y: Tensor, size: int, shuffle: bool):
    order = torch.randperm(len(x)) if shuffle else torch.arange(len(x))
    for ids in order.split(size):
        yield x[ids], y[ids]


@torch.inference_mode()
def evaluate(model, x, y) -> Metrics:
    model.eval()
    losses, hits = [], 0
    for xb, yb in batches(x, y, 64, False):
        logits, loss = model(xb, yb)
        losses.append(loss)
        hits += (logits.argmax(-1) == yb).sum()
    return Metrics(torch.stack(losses).mean().item(), (hits / len(x)).item())


def main(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", default=2, type=int)
    ap.add_argument("--bs", default=48, type=int)
    ap.add_argument("--lr", default=3e-4, type=float)
    args = ap.parse_args(argv)
    random.seed(0), torch.manual_seed(0)
    y = torch.arange(240) % 5
    x = torch.randn(5, 3, 16, 16)[y] + torch.randn(240, 3, 16, 16) * 0.7
    (tx, vx), (ty, vy) = x.split([200, 40]), y.split([200, 40])
    model = Mixer()
    decay = [p for n, p in model.named_parameters() if p.ndim > 1]
    rest = [p for n, p in model.named_parameters() if p.ndim <= 1]
    opt = Lion([{"params": decay, "weight_decay": 1e-2}, {"params": rest}], lr=args.lr)
    total = args.epochs * math.ceil(len(tx) / args.bs)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1, (s + 1) / 3) * 0.5 * (1 + math.cos(math.pi * s / total)))
    log = []
    for epoch in range(args.epochs):
        model.train()
        for xb, yb in batches(tx, ty, args.bs, True):
            if random.random() < 0.5:
                xb, yb = cutmix(xb, yb, 5)
            logits, loss = model(xb, yb)
            opt.zero_grad()
            loss.backward()
            gn = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
        metrics = evaluate(model, vx, vy)
        log.append({"epoch": epoch, "gn": gn.item(), **metrics._asdict()})
    print(json.dumps(log[-1]))


if __name__ == "__main__":
    sys.exit(main([]))
