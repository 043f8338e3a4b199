# needs: pandas python-dateutil six scikit-learn scipy joblib threadpoolctl narwhals
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

rng = np.random.RandomState(42)
n_customers = 120
events = pd.DataFrame(
    {
        "customer_id": rng.randint(0, n_customers, 3000),
        "amount": rng.gamma(2.0, 20.0, 3000),
        "month": rng.randint(1, 13, 3000),
        "channel": rng.choice(["web", "store", "app"], 3000),
    }
)
agg = (
    events.groupby("customer_id")
    .agg(total=("amount", "sum"), visits=("amount", "count"), last=("month", "max"))
    .reset_index()
)
pivot = events.pivot_table(index="customer_id", columns="month", values="amount", aggfunc="sum", fill_value=0)
dummies = pd.get_dummies(events["channel"], prefix="ch")
channel_mix = pd.concat([events[["customer_id"]], dummies], axis=1).groupby("customer_id").mean()
table = agg.merge(channel_mix, left_on="customer_id", right_index=True, how="left")
table["churn"] = (table["last"] < 12).astype(int)
numeric = ["total", "visits", "ch_app", "ch_store", "ch_web"]
mean, std = table[numeric].mean(), table[numeric].std()
table[numeric] = (table[numeric] - mean) / std
seq = torch.tensor(pivot.values, dtype=torch.float32).unsqueeze(-1)
static = torch.tensor(table[numeric].values, dtype=torch.float32)
label = torch.tensor(table["churn"].values, dtype=torch.float32)
mask = torch.from_numpy((table["visits"] > 0).values)


class ChurnNet(nn.Module):
    def __init__(self, n_static, hidden=16):
        super().__init__()
        self.rnn = nn.GRU(1, hidden, batch_first=True)
        self.static = nn.Sequential(nn.Linear(n_static, hidden), nn.ReLU())
        self.head = nn.Linear(2 * hidden, 1)

    def forward(self, seq, static):
        _, h = self.rnn(seq)
        z = torch.cat([h[-1], self.static(static)], dim=-1)
        return self.head(z).squeeze(-1)


model = ChurnNet(len(numeric))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
pos_weight = (label == 0).sum() / (label == 1).sum().clamp(min=1)
crit = nn.BCEWithLogitsLoss(pos_weight=pos_weight)
perm = torch.randperm(len(table))
train_idx, val_idx = perm[:100], perm[100:]
for epoch in range(5):
    for chunk in train_idx.split(25):
        logits = model(seq[chunk], static[chunk])
        loss = crit(logits, label[chunk])
        opt.zero_grad()
        loss.backward()
        opt.step()
with torch.no_grad():
    val_logits = model(seq[val_idx], static[val_idx])
    val_prob = val_logits.sigmoid()
result = pd.Series(val_prob.numpy(), name="prob")
best = torch.tensor(result.nlargest(5).values)
ct = ColumnTransformer([("num", StandardScaler(), ["amount"]), ("cat", OneHotEncoder(), ["channel"])])
enc = ct.fit_transform(events[["amount", "channel"]])
enc_t = torch.tensor(np.asarray(enc), dtype=torch.float32)
print(best, enc_t.shape)
