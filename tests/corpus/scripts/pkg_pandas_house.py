# needs: pandas python-dateutil six scikit-learn scipy joblib threadpoolctl narwhals
"""House prices: categorical embeddings + continuous columns, fastai style."""

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import TensorDataset, DataLoader

np.random.seed(1)
N = 500
data = pd.DataFrame()
data["Neighborhood"] = np.random.choice(list("ABCDEFG"), N)
data["HouseStyle"] = np.random.choice(["1Story", "2Story", "SLvl"], N)
data["LotArea"] = np.random.normal(10000, 2000, N)
data["YearBuilt"] = np.random.randint(1900, 2010, N)
data["GrLivArea"] = np.random.normal(1500, 300, N)
data["SalePrice"] = data["LotArea"] * 3 + data["GrLivArea"] * 80 + np.random.randn(N) * 1000
data["TotalYears"] = 2020 - data["YearBuilt"]

cat_cols = ["Neighborhood", "HouseStyle"]
for col in cat_cols:
    data[col] = data[col].astype("category")
cat_codes = np.stack([data[col].cat.codes.values for col in cat_cols], axis=1)
cat_tensor = torch.tensor(cat_codes, dtype=torch.int64)
cont_features = [c for c in data.columns if c not in cat_cols + ["SalePrice"]]
cont = np.stack([data[c].values for c in cont_features], 1)
cont_tensor = torch.tensor(cont, dtype=torch.float)
y = torch.tensor(data["SalePrice"].values, dtype=torch.float).reshape(-1, 1)
cat_dims = [len(data[col].cat.categories) for col in cat_cols]
embedding_dims = [(d, min(50, (d + 1) // 2)) for d in cat_dims]


class FeedForwardNN(nn.Module):
    def __init__(self, embedding_dims, n_cont, out_size, layers, p=0.5):
        super().__init__()
        self.embeds = nn.ModuleList([nn.Embedding(i, o) for i, o in embedding_dims])
        self.emb_drop = nn.Dropout(p)
        self.bn_cont = nn.BatchNorm1d(n_cont)
        layerlist = []
        n_in = sum(o for _, o in embedding_dims) + n_cont
        for i in layers:
            layerlist.append(nn.Linear(n_in, i))
            layerlist.append(nn.ReLU(inplace=True))
            layerlist.append(nn.BatchNorm1d(i))
            layerlist.append(nn.Dropout(p))
            n_in = i
        layerlist.append(nn.Linear(layers[-1], out_size))
        self.layers = nn.Sequential(*layerlist)

    def forward(self, x_cat, x_cont):
        embeddings = []
        for i, e in enumerate(self.embeds):
            embeddings.append(e(x_cat[:, i]))
        x = torch.cat(embeddings, 1)
        x = self.emb_drop(x)
        x_cont = self.bn_cont(x_cont)
        x = torch.cat([x, x_cont], 1)
        return self.layers(x)


model = FeedForwardNN(embedding_dims, len(cont_features), 1, [100, 50], p=0.4)
batch_size = 400
test_size = int(batch_size * 0.15)
train_cat = cat_tensor[: batch_size - test_size]
test_cat = cat_tensor[batch_size - test_size : batch_size]
train_cont = cont_tensor[: batch_size - test_size]
test_cont = cont_tensor[batch_size - test_size : batch_size]
y_train = y[: batch_size - test_size]
y_test = y[batch_size - test_size : batch_size]
loss_function = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
final_losses = []
for i in range(5):
    i += 1
    y_pred = model(train_cat, train_cont)
    loss = torch.sqrt(loss_function(y_pred, y_train))
    final_losses.append(loss.item())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    y_pred = model(test_cat, test_cont)
    loss = torch.sqrt(loss_function(y_pred, y_test))
loader = DataLoader(TensorDataset(train_cat, train_cont, y_train), batch_size=64)
for xc, xn, yy in loader:
    out = model(xc, xn)
data_verify = pd.DataFrame(y_test.tolist(), columns=["Test"])
data_predicted = pd.DataFrame(y_pred.tolist(), columns=["Prediction"])
final = pd.concat([data_verify, data_predicted], axis=1)
final["Difference"] = final["Test"] - final["Prediction"]
diff = torch.from_numpy(final["Difference"].to_numpy())
print(diff.abs().mean(), loss)
