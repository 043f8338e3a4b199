# needs: pandas python-dateutil six scikit-learn scipy joblib threadpoolctl narwhals
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, Dataset


def make_data(n=240):
    rng = np.random.RandomState(7)
    frame = pd.DataFrame(rng.randn(n, 6), columns=[f"f_{i}" for i in range(6)])
    frame["cat"] = rng.choice(["x", "y", "z"], size=n)
    frame["target"] = (frame["f_0"] + frame["f_1"] * rng.randn(n) > 0).astype(int)
    return frame


class CFG:
    n_folds = 3
    batch_size = 32
    epochs = 2
    hidden = 64


class TabDataset(Dataset):
    def __init__(self, df, features, target=None):
        self.x = df[features].values.astype(np.float32)
        self.y = df[target].values if target is not None else None

    def __len__(self):
        return len(self.x)

    def __getitem__(self, idx):
        x = torch.from_numpy(self.x[idx])
        if self.y is None:
            return x
        return x, torch.tensor(self.y[idx], dtype=torch.long)


class Model(nn.Module):
    def __init__(self, n_in, n_out=2):
        super().__init__()
        self.net = nn.Sequential(
            nn.BatchNorm1d(n_in),
            nn.utils.weight_norm(nn.Linear(n_in, CFG.hidden)),
            nn.LeakyReLU(),
            nn.Dropout(0.2),
            nn.Linear(CFG.hidden, n_out),
        )

    def forward(self, x):
        return self.net(x)


def run_fold(fold, train_df, valid_df, features):
    train_loader = DataLoader(
        TabDataset(train_df, features, "target"), batch_size=CFG.batch_size, shuffle=True, drop_last=True
    )
    valid_loader = DataLoader(TabDataset(valid_df, features, "target"), batch_size=CFG.batch_size)
    model = Model(len(features))
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(CFG.epochs):
        model.train()
        for x, y in train_loader:
            logits = model(x)
            loss = nn.functional.cross_entropy(logits, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        model.eval()
        preds = []
        for x, y in valid_loader:
            with torch.no_grad():
                out = model(x).softmax(1)
            preds.append(out[:, 1].cpu().numpy())
        preds = np.concatenate(preds)
    return model, preds


data = make_data()
data = pd.get_dummies(data, columns=["cat"])
features = [c for c in data.columns if c != "target"]
num = [c for c in features if c.startswith("f_")]
data[num] = StandardScaler().fit_transform(data[num])
oof = np.zeros(len(data))
models = []
skf = StratifiedKFold(n_splits=CFG.n_folds, shuffle=True, random_state=0)
for fold, (tr, va) in enumerate(skf.split(data, data["target"])):
    train_df = data.iloc[tr].reset_index(drop=True)
    valid_df = data.iloc[va].reset_index(drop=True)
    model, p = run_fold(fold, train_df, valid_df, features)
    oof[va] = p
    models.append(model)
test_df = make_data(50).drop("target", axis=1)
test_df = pd.get_dummies(test_df, columns=["cat"])
test_x = torch.tensor(test_df[features].values.astype("float32"))
test_pred = torch.stack([m.eval()(test_x).softmax(-1)[:, 1] for m in models]).mean(0)
acc = ((oof > 0.5) == data["target"].values).mean()
print(acc, test_pred.shape)
