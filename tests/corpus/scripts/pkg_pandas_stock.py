# needs: pandas python-dateutil six scikit-learn scipy joblib threadpoolctl narwhals
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.preprocessing import MinMaxScaler
from torch.utils.data import Dataset, DataLoader

np.random.seed(7)
dates = pd.date_range("2022-01-01", periods=400, freq="D")
df = pd.DataFrame(
    {
        "date": dates,
        "close": np.cumsum(np.random.randn(400)) + 100,
        "volume": np.random.randint(1000, 5000, size=400),
    }
)
df["ma7"] = df["close"].rolling(7).mean()
df["ret"] = df["close"].pct_change()
df = df.dropna().reset_index(drop=True)

features = ["close", "volume", "ma7", "ret"]
scaler = MinMaxScaler()
values = scaler.fit_transform(df[features])
seq_len = 20


def create_sequences(data, seq_len):
    xs, ys = [], []
    for i in range(len(data) - seq_len):
        xs.append(data[i : i + seq_len])
        ys.append(data[i + seq_len, 0])
    return np.array(xs), np.array(ys)


X, y = create_sequences(values, seq_len)
split = int(0.8 * len(X))
X_train, X_test = X[:split], X[split:]
y_train, y_test = y[:split], y[split:]


class StockDataset(Dataset):
    def __init__(self, X, y):
        self.X = torch.tensor(X, dtype=torch.float32)
        self.y = torch.tensor(y, dtype=torch.float32).unsqueeze(-1)

    def __len__(self):
        return len(self.X)

    def __getitem__(self, idx):
        return self.X[idx], self.y[idx]


train_loader = DataLoader(StockDataset(X_train, y_train), batch_size=32, shuffle=True)
test_loader = DataLoader(StockDataset(X_test, y_test), batch_size=32)


class StockLSTM(nn.Module):
    def __init__(self, n_features, hidden=32, layers=2):
        super().__init__()
        self.lstm = nn.LSTM(n_features, hidden, layers, batch_first=True, dropout=0.2)
        self.fc = nn.Linear(hidden, 1)

    def forward(self, x):
        h0 = torch.zeros(2, x.size(0), 32).to(x.device)
        c0 = torch.zeros(2, x.size(0), 32).to(x.device)
        out, _ = self.lstm(x, (h0, c0))
        return self.fc(out[:, -1, :])


device = "cuda" if torch.cuda.is_available() else "cpu"
model = StockLSTM(len(features)).to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=2)
loss_fn = nn.MSELoss()

for epoch in range(3):
    model.train()
    losses = []
    for xb, yb in train_loader:
        xb, yb = xb.to(device), yb.to(device)
        pred = model(xb)
        loss = loss_fn(pred, yb)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        losses.append(loss.item())
    sched.step(np.mean(losses))

model.eval()
preds, actual = [], []
with torch.no_grad():
    for xb, yb in test_loader:
        out = model(xb.to(device))
        preds.append(out.cpu())
        actual.append(yb)
preds = torch.cat(preds)
actual = torch.cat(actual)
rmse = torch.sqrt(((preds - actual) ** 2).mean())
dummy = np.zeros((len(preds), len(features)))
dummy[:, 0] = preds.numpy().ravel()
prices = torch.from_numpy(scaler.inverse_transform(dummy)[:, 0])
print(rmse.item(), prices[:3])
