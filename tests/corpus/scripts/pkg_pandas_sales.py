# needs: pandas python-dateutil six scikit-learn scipy joblib threadpoolctl narwhals
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader

np.random.seed(3)
stores, items, days = 3, 4, 90
grid = pd.MultiIndex.from_product(
    [range(stores), range(items), pd.date_range("2020-01-01", periods=days)], names=["store", "item", "date"]
)
sales = pd.DataFrame({"sales": np.random.poisson(20, len(grid))}, index=grid).reset_index()
sales["month"] = sales["date"].dt.month
sales["dow"] = sales["date"].dt.dayofweek
sales = sales.sort_values(["store", "item", "date"])
sales["lag_7"] = sales.groupby(["store", "item"])["sales"].shift(7)
sales["roll"] = sales.groupby(["store", "item"])["sales"].transform(lambda s: s.rolling(7).mean())
sales = sales.dropna().reset_index(drop=True)
wide = sales.pivot(index="date", columns=["store", "item"], values="sales")
mat = torch.tensor(wide.to_numpy(), dtype=torch.float32)
past, future = 28, 7
series, cats = [], []
for (s, i), g in sales.groupby(["store", "item"]):
    v = g[["sales", "lag_7", "roll"]].to_numpy(dtype=np.float32)
    for start in range(0, len(v) - past - future, 7):
        series.append(v[start : start + past + future])
        cats.append([s, i])
X = np.stack(series)
C = np.array(cats)


class Sales(Dataset):
    def __init__(self, x, c):
        self.x, self.c = x, c

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, k):
        w = self.x[k]
        return {"enc": torch.tensor(w[:past]), "y": torch.tensor(w[past:, 0]), "cat": torch.tensor(self.c[k])}


class DeepAR(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.es, self.ei = nn.Embedding(stores, 4), nn.Embedding(items, 4)
        self.rnn = nn.LSTM(3 + 8, hidden, batch_first=True)
        self.mu, self.sigma = nn.Linear(hidden, future), nn.Linear(hidden, future)

    def forward(self, batch):
        e = torch.cat([self.es(batch["cat"][:, 0]), self.ei(batch["cat"][:, 1])], -1)
        e = e.unsqueeze(1).repeat(1, past, 1)
        z = torch.cat([batch["enc"], e], -1)
        _, (h, c) = self.rnn(z)
        mu = self.mu(h[-1])
        sigma = nn.functional.softplus(self.sigma(h[-1])) + 1e-3
        return torch.distributions.Normal(mu, sigma)


net = DeepAR()
opt = torch.optim.Adam(net.parameters(), 1e-3)
for epoch in range(2):
    for batch in DataLoader(Sales(X, C), batch_size=16, shuffle=True):
        dist = net(batch)
        nll = -dist.log_prob(batch["y"]).mean()
        opt.zero_grad()
        nll.backward()
        opt.step()
with torch.no_grad():
    samples = dist.sample((50,))
    q = samples.quantile(torch.tensor([0.1, 0.5, 0.9]), dim=0)
smape = ((q[1] - batch["y"]).abs() / (q[1].abs() + batch["y"].abs() + 1e-6)).mean()
store_mean = torch.tensor(sales.groupby("store")["sales"].mean().values)
print(mat.shape, q.shape, smape, store_mean)
