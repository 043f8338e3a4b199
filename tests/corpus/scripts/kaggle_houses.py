# %% [markdown]
# # House prices, entity embeddings, 5 folds
# %%
import os, gc, random, math, warnings
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader, Subset
from torch.optim.lr_scheduler import CosineAnnealingWarmRestarts, OneCycleLR, ReduceLROnPlateau

warnings.filterwarnings("ignore")


class CFG:
    seed = 42
    n_splits = 3
    epochs = 3
    batch_size = 32
    lr = 1e-3
    wd = 1e-5
    cat_cols = ["neighborhood", "style", "quality"]
    cont_cols = ["area", "year", "rooms", "garage", "lot"]
    target = "price"
    device = "cuda" if torch.cuda.is_available() else "cpu"


def seed_everything(seed):
    random.seed(seed)
    os.environ["PYTHONHASHSEED"] = str(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.backends.cudnn.deterministic = True


seed_everything(CFG.seed)

# %%
n = 300
rng = np.random.default_rng(0)
train = {
    "neighborhood": rng.choice(["north", "south", "east", "west", "center"], n),
    "style": rng.choice(["1story", "2story", "split"], n),
    "quality": rng.integers(1, 11, n),
    "area": rng.normal(1500, 400, n),
    "year": rng.integers(1900, 2011, n).astype(float),
    "rooms": rng.integers(2, 9, n).astype(float),
    "garage": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 4, n)),
    "lot": np.exp(rng.normal(9, 0.5, n)),
}
train["price"] = train["area"] * 100 + train["quality"] * 10000 + rng.normal(0, 5000, n)

# %% missing values, skew, label encoding
for c in CFG.cont_cols:
    col = train[c]
    mask = np.isnan(col)
    if mask.any():
        col[mask] = np.nanmedian(col)
    if np.abs(((col - col.mean()) ** 3).mean() / col.std() ** 3) > 0.75:
        col = np.log1p(col)
    train[c] = (col - col.mean()) / (col.std() + 1e-9)

encoders = {}
for c in CFG.cat_cols:
    uniques, codes = np.unique(train[c], return_inverse=True)
    encoders[c] = {u: i for i, u in enumerate(uniques)}
    train[c] = codes

emb_sizes = [(len(encoders[c]) + 1, min(50, (len(encoders[c]) + 2) // 2)) for c in CFG.cat_cols]
print(emb_sizes)

X_cat = np.stack([train[c] for c in CFG.cat_cols], axis=1).astype(np.int64)
X_cont = np.stack([train[c] for c in CFG.cont_cols], axis=1).astype(np.float32)
y = np.log1p(train["price"]).astype(np.float32)
y_mean, y_std = y.mean(), y.std()
y = (y - y_mean) / y_std
print(X_cat.shape, X_cont.shape, y.shape)


# %%
class TabularDataset(Dataset):
    def __init__(self, cats, conts, targets=None):
        self.cats = cats
        self.conts = conts
        self.targets = targets

    def __len__(self):
        return len(self.cats)

    def __getitem__(self, idx):
        item = {
            "cat": torch.tensor(self.cats[idx], dtype=torch.long),
            "cont": torch.tensor(self.conts[idx], dtype=torch.float),
        }
        if self.targets is not None:
            item["y"] = torch.tensor(self.targets[idx], dtype=torch.float)
        return item


class TabularModel(nn.Module):
    def __init__(self, emb_sizes, n_cont, layers=(64, 32), p=0.2, emb_drop=0.1, y_range=None):
        super().__init__()
        self.embeds = nn.ModuleList([nn.Embedding(ni, nf) for ni, nf in emb_sizes])
        self.emb_drop = nn.Dropout(emb_drop)
        self.bn_cont = nn.BatchNorm1d(n_cont)
        n_emb = sum(e.embedding_dim for e in self.embeds)
        sizes = [n_emb + n_cont] + list(layers)
        blocks = []
        for i, (n_in, n_out) in enumerate(zip(sizes[:-1], sizes[1:])):
            blocks += [nn.Linear(n_in, n_out, bias=False), nn.BatchNorm1d(n_out), nn.ReLU(inplace=True)]
            if p:
                blocks.append(nn.Dropout(p))
        self.layers = nn.Sequential(*blocks)
        self.head = nn.Linear(sizes[-1], 1)
        self.y_range = y_range
        self.apply(self._init)

    @staticmethod
    def _init(m):
        if isinstance(m, nn.Embedding):
            nn.init.normal_(m.weight, std=0.01)
        elif isinstance(m, nn.Linear):
            nn.init.kaiming_normal_(m.weight)

    def forward(self, x_cat, x_cont):
        x = [e(x_cat[:, i]) for i, e in enumerate(self.embeds)]
        x = torch.cat(x, 1)
        x = self.emb_drop(x)
        x_cont = self.bn_cont(x_cont)
        x = torch.cat([x, x_cont], 1)
        x = self.head(self.layers(x))
        if self.y_range is not None:
            lo, hi = self.y_range
            x = (hi - lo) * torch.sigmoid(x) + lo
        return x.squeeze(-1)


class AverageMeter(object):
    def __init__(self):
        self.reset()

    def reset(self):
        self.val = self.avg = self.sum = self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count


def mixup(cont, y, alpha=0.4):
    lam = np.random.beta(alpha, alpha)
    index = torch.randperm(cont.size(0), device=cont.device)
    mixed = lam * cont + (1 - lam) * cont[index]
    return mixed, y, y[index], lam


def rmse(preds, targets):
    return np.sqrt(np.mean((preds - targets) ** 2))


def train_fn(loader, model, optimizer, scheduler, criterion, device):
    model.train()
    losses = AverageMeter()
    for step, batch in enumerate(loader):
        cat, cont, labels = batch["cat"].to(device), batch["cont"].to(device), batch["y"].to(device)
        if np.random.rand() < 0.5:
            cont, ya, yb, lam = mixup(cont, labels)
            preds = model(cat, cont)
            loss = lam * criterion(preds, ya) + (1 - lam) * criterion(preds, yb)
        else:
            preds = model(cat, cont)
            loss = criterion(preds, labels)
        loss.backward()
        grad_norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        scheduler.step()
        losses.update(loss.item(), labels.size(0))
    return losses.avg


@torch.inference_mode()
def valid_fn(loader, model, criterion, device):
    model.eval()
    losses = AverageMeter()
    preds = []
    for batch in loader:
        cat, cont = batch["cat"].to(device), batch["cont"].to(device)
        out = model(cat, cont)
        if "y" in batch:
            loss = criterion(out, batch["y"].to(device))
            losses.update(loss.item(), cat.shape[0])
        preds.append(out.cpu().numpy())
    predictions = np.concatenate(preds)
    return losses.avg, predictions


def kfold(n, n_splits, seed):
    order = np.random.RandomState(seed).permutation(n)
    for fold in np.array_split(order, n_splits):
        yield np.setdiff1d(order, fold), fold


# %%
oof = np.zeros(len(y), dtype=np.float32)
test_cat, test_cont = X_cat[:50], X_cont[:50]
test_preds = np.zeros(len(test_cat))
scores = []
dataset = TabularDataset(X_cat, X_cont, y)
for fold, (tr_idx, va_idx) in enumerate(kfold(len(y), CFG.n_splits, CFG.seed)):
    train_ds = Subset(dataset, tr_idx)
    valid_ds = TabularDataset(X_cat[va_idx], X_cont[va_idx], y[va_idx])
    train_loader = DataLoader(train_ds, batch_size=CFG.batch_size, shuffle=True, drop_last=True)
    valid_loader = DataLoader(valid_ds, batch_size=CFG.batch_size * 2, shuffle=False)
    model = TabularModel(emb_sizes, len(CFG.cont_cols)).to(CFG.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=CFG.lr, weight_decay=CFG.wd)
    scheduler = OneCycleLR(optimizer, max_lr=1e-2, epochs=CFG.epochs, steps_per_epoch=len(train_loader))
    criterion = nn.SmoothL1Loss()
    best_score, best_state = np.inf, None
    for epoch in range(CFG.epochs):
        avg_loss = train_fn(train_loader, model, optimizer, scheduler, criterion, CFG.device)
        avg_val_loss, preds = valid_fn(valid_loader, model, criterion, CFG.device)
        score = rmse(preds * y_std + y_mean, y[va_idx] * y_std + y_mean)
        print(f"Fold {fold} epoch {epoch} train {avg_loss:.4f} valid {avg_val_loss:.4f} rmse {score:.4f}")
        if score < best_score:
            best_score = score
            best_state = {k: v.cpu().clone() for k, v in model.state_dict().items()}
            oof[va_idx] = preds
    model.load_state_dict(best_state)
    _, fold_preds = valid_fn(DataLoader(TabularDataset(test_cat, test_cont), batch_size=64), model, criterion, CFG.device)
    test_preds += fold_preds / CFG.n_splits
    scores.append(best_score)
    del model, optimizer, scheduler
    gc.collect()

print("CV", np.mean(scores), rmse(oof, y))
submission = np.expm1(test_preds * y_std + y_mean)
print(submission[:5], submission.shape)
top = torch.from_numpy(submission).topk(5).indices
print(top)
