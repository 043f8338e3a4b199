import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader, Subset, WeightedRandomSampler
from dataclasses import dataclass, field
from typing import List

@dataclass
class CFG:
    seed: int = 42
    n_folds: int = 2
    hidden: List[int] = field(default_factory=lambda: [32, 16])
    lr: float = 1e-2
    epochs: int = 2
    bs: int = 16
def seed_everything(seed):
    np.random.seed(seed); torch.manual_seed(seed)
seed_everything(CFG.seed)
cfg = CFG()
rng = np.random.RandomState(0)
rows = [{'age': float(rng.randint(1, 80)), 'fare': float(rng.rand() * 100), 'sex': rng.choice(['male', 'female']), 'pclass': int(rng.randint(1, 4)), 'survived': int(rng.rand() > 0.6)} for _ in range(90)]
cat_maps = {c: {v: i for i, v in enumerate(sorted({r[c] for r in rows}))} for c in ('sex', 'pclass')}
num = np.array([[r['age'], r['fare']] for r in rows], dtype=np.float32)
mean, std = num.mean(axis=0), num.std(axis=0)
num = (num - mean) / (std + 1e-6)
cat = np.stack([[cat_maps[c][r[c]] for r in rows] for c in ('sex', 'pclass')], axis=1)
y = np.array([r['survived'] for r in rows])
class TabDS(Dataset):
    def __init__(self, num, cat, y=None):
        self.num = torch.tensor(num, dtype=torch.float)
        self.cat = torch.tensor(cat, dtype=torch.long)
        self.y = None if y is None else torch.tensor(y).float()
    def __len__(self): return self.num.shape[0]
    def __getitem__(self, idx):
        item = {'num': self.num[idx], 'cat': self.cat[idx]}
        if self.y is not None:
            item['y'] = self.y[idx]
        return item
class TabNet(nn.Module):
    def __init__(self, cards, n_num, hidden, p=0.2):
        super().__init__()
        self.embeds = nn.ModuleList([nn.Embedding(c, min(50, (c + 1) // 2)) for c in cards])
        d = sum(e.embedding_dim for e in self.embeds) + n_num
        layers = []
        for h in hidden:
            layers += [nn.Linear(d, h), nn.BatchNorm1d(h), nn.ReLU(), nn.Dropout(p)]
            d = h
        layers.append(nn.Linear(d, 1))
        self.mlp = nn.Sequential(*layers)
    def forward(self, num, cat):
        xs = [e(cat[:, i]) for i, e in enumerate(self.embeds)]
        x = torch.cat(xs + [num], dim=1)
        return self.mlp(x).squeeze(-1)
class AverageMeter:
    def __init__(self): self.reset()
    def reset(self): self.val = self.avg = self.sum = self.count = 0
    def update(self, val, n=1):
        self.val = val; self.sum += val * n; self.count += n; self.avg = self.sum / self.count
def run_epoch(model, loader, crit, opt=None):
    meter = AverageMeter()
    model.train(opt is not None)
    outs = []
    with torch.set_grad_enabled(opt is not None):
        for batch in loader:
            target = batch.pop('y')
            logit = model(**batch)
            loss = crit(logit, target)
            if opt:
                opt.zero_grad()
                loss.backward()
                opt.step()
            meter.update(loss.item(), target.size(0))
            outs.append(torch.sigmoid(logit).detach().cpu())
    return meter.avg, torch.cat(outs)
ds = TabDS(num, cat, y)
idx = np.random.permutation(len(ds))
folds = np.array_split(idx, cfg.n_folds)
oof = np.zeros(len(ds))
for f in range(cfg.n_folds):
    va = folds[f]
    tr = np.concatenate([folds[j] for j in range(cfg.n_folds) if j != f])
    w = 1.0 / np.bincount(y[tr])
    sampler = WeightedRandomSampler(torch.from_numpy(w[y[tr]]), len(tr))
    tl = DataLoader(Subset(ds, tr), cfg.bs, sampler=sampler)
    vl = DataLoader(Subset(ds, va), cfg.bs * 2, shuffle=False)
    model = TabNet([len(m) for m in cat_maps.values()], num.shape[1], cfg.hidden)
    pos_weight = torch.tensor([(y == 0).sum() / max((y == 1).sum(), 1)])
    crit = nn.BCEWithLogitsLoss(pos_weight=pos_weight)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=cfg.lr, total_steps=cfg.epochs)
    best_loss = np.inf
    for ep in range(cfg.epochs):
        trl, _ = run_epoch(model, tl, crit, opt)
        vll, preds = run_epoch(model, vl, crit)
        sched.step()
        if vll < best_loss:
            best_loss = vll
            best = {k: v.detach().clone() for k, v in model.state_dict().items()}
            oof[va] = preds.numpy()
    model.load_state_dict(best)
pred_t = torch.from_numpy(oof)
acc = ((pred_t > 0.5).long() == torch.from_numpy(y)).float().mean()
tp = ((pred_t > 0.5) & (torch.as_tensor(y) == 1)).sum()
order = torch.argsort(pred_t, descending=True)
sorted_y = torch.as_tensor(y)[order]
tpr = sorted_y.cumsum(0) / sorted_y.sum()
fpr = (1 - sorted_y).cumsum(0) / (1 - sorted_y).sum()
auc = torch.trapz(tpr, fpr)
thr = torch.arange(0.1, 0.9, 0.1)
f1s = [float(2 * ((pred_t > t) & (torch.as_tensor(y) == 1)).sum() / ((pred_t > t).sum() + y.sum())) for t in thr]
best_t = thr[int(np.argmax(f1s))]
