# needs: pandas six python-dateutil
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler

SEED = 13
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)


def make_frame(n=600):
    df = pd.DataFrame({
        "amount": rng.lognormal(3, 1, n),
        "age": rng.integers(18, 80, n),
        "n_prev": rng.poisson(3, n),
        "country": rng.choice(["DE", "FR", "US", "NG"], n, p=[0.4, 0.3, 0.2, 0.1]),
        "channel": rng.choice(["web", "app", "pos"], n),
        "device": rng.choice(list("abcdef"), n),
    })
    logit = 0.8 * np.log(df["amount"]) - 0.03 * df["age"] + (df["country"] == "NG") * 1.5 - 4
    df["fraud"] = (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(int)
    df.loc[rng.choice(n, 20, replace=False), "age"] = np.nan
    return df


df = make_frame()
cat_cols = ["country", "channel", "device"]
num_cols = ["amount", "age", "n_prev"]
target = "fraud"

df["age"] = df["age"].fillna(df["age"].median())
df["amount"] = np.log1p(df["amount"])
cardinalities = []
for col in cat_cols:
    df[col] = df[col].astype("category").cat.codes
    cardinalities.append(int(df[col].max()) + 1)
mask = rng.random(len(df)) < 0.8
train_df = df[mask].reset_index(drop=True)
valid_df = df[~mask].reset_index(drop=True)
mean, std = train_df[num_cols].mean(), train_df[num_cols].std()
train_df[num_cols] = (train_df[num_cols] - mean) / std
valid_df[num_cols] = (valid_df[num_cols] - mean) / std


class TabularDataset(Dataset):
    def __init__(self, frame):
        self.cats = frame[cat_cols].values.astype(np.int64)
        self.nums = frame[num_cols].values.astype(np.float32)
        self.y = frame[target].values.astype(np.float32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, idx):
        return {"cat": self.cats[idx], "num": self.nums[idx], "y": self.y[idx]}


class TabularNet(nn.Module):
    def __init__(self, cardinalities, n_num, hidden=(64, 32), p=0.2):
        super().__init__()
        dims = [(c, min(50, (c + 1) // 2)) for c in cardinalities]
        self.embeds = nn.ModuleList([nn.Embedding(c, d) for c, d in dims])
        self.emb_drop = nn.Dropout(p)
        self.bn_num = nn.BatchNorm1d(n_num)
        n_in = sum(e.embedding_dim for e in self.embeds) + n_num
        layers = []
        for h in hidden:
            layers += [nn.Linear(n_in, h), nn.ReLU(inplace=True), nn.BatchNorm1d(h), nn.Dropout(p)]
            n_in = h
        layers.append(nn.Linear(n_in, 1))
        self.layers = nn.Sequential(*layers)

    def forward(self, x_cat, x_num):
        x = [e(x_cat[:, i]) for i, e in enumerate(self.embeds)]
        x = torch.cat(x, 1)
        x = self.emb_drop(x)
        x2 = self.bn_num(x_num)
        x = torch.cat([x, x2], 1)
        return self.layers(x).squeeze(-1)


class FocalLoss(nn.Module):
    def __init__(self, gamma=2.0, alpha=0.25):
        super().__init__()
        self.gamma, self.alpha = gamma, alpha

    def forward(self, logits, targets):
        bce = nn.functional.binary_cross_entropy_with_logits(logits, targets, reduction="none")
        pt = torch.exp(-bce)
        alpha_t = torch.where(targets == 1, self.alpha, 1 - self.alpha)
        return (alpha_t * (1 - pt) ** self.gamma * bce).mean()


def roc_auc(y_true, y_score):
    order = np.argsort(-y_score)
    y = y_true[order]
    tps = np.cumsum(y)
    fps = np.cumsum(1 - y)
    tpr = np.r_[0, tps / max(tps[-1], 1)]
    fpr = np.r_[0, fps / max(fps[-1], 1)]
    return float(np.sum((fpr[1:] - fpr[:-1]) * (tpr[1:] + tpr[:-1]) / 2))


class EarlyStopping:
    def __init__(self, patience=2):
        self.patience, self.best, self.bad, self.state = patience, -np.inf, 0, None

    def step(self, score, model):
        if score > self.best:
            self.best, self.bad = score, 0
            self.state = {k: v.clone() for k, v in model.state_dict().items()}
        else:
            self.bad += 1
        return self.bad >= self.patience


train_ds, valid_ds = TabularDataset(train_df), TabularDataset(valid_df)
class_counts = np.bincount(train_df[target].values)
weights = 1.0 / class_counts
sample_weights = torch.as_tensor(weights[train_df[target].values], dtype=torch.double)
sampler = WeightedRandomSampler(sample_weights, num_samples=len(sample_weights), replacement=True)
train_dl = DataLoader(train_ds, batch_size=64, sampler=sampler)
valid_dl = DataLoader(valid_ds, batch_size=128)
model = TabularNet(cardinalities, len(num_cols))
opt = torch.optim.AdamW(model.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=1e-2, epochs=4, steps_per_epoch=len(train_dl))
loss_fn = FocalLoss()
stopper = EarlyStopping()

for epoch in range(4):
    model.train()
    for batch in train_dl:
        out = model(batch["cat"], batch["num"])
        loss = loss_fn(out, batch["y"])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
    model.eval()
    preds, ys = [], []
    with torch.inference_mode():
        for batch in valid_dl:
            out = model(batch["cat"], batch["num"])
            preds.append(torch.sigmoid(out).numpy())
            ys.append(batch["y"].numpy())
    preds, ys = np.concatenate(preds), np.concatenate(ys)
    auc = roc_auc(ys, preds)
    print(f"epoch {epoch}: loss={loss.item():.4f} auc={auc:.3f}")
    if stopper.step(auc, model):
        break
model.load_state_dict(stopper.state)
emb = model.embeds[2].weight.detach()
dist = torch.cdist(emb, emb)
print(dist.topk(2, largest=False).indices)
