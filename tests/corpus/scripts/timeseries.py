import numpy as np
import torch
import torch.nn as nn
from dataclasses import dataclass, asdict, replace
from enum import Enum
from typing import NamedTuple

class Kind(str, Enum):
    LSTM = 'lstm'; TCN = 'tcn'
@dataclass(frozen=True)
class Config:
    kind: Kind = Kind.LSTM
    seq_len: int = 12
    horizon: int = 3
    hidden: int = 8
    lr: float = 1e-3
class Output(NamedTuple):
    pred: torch.Tensor
    hidden: torch.Tensor
t = np.arange(0, 120)
series = np.sin(0.1 * t) + 0.1 * np.random.randn(len(t))
exog = np.stack([np.cos(0.1 * t), t % 7 / 7.0], axis=-1)
train_size = int(len(series) * 0.7)
mu, sd = series[:train_size].mean(), series[:train_size].std()
norm = (series - mu) / sd
full = np.concatenate([norm[:, None], exog], axis=1).astype(np.float32)
def create_sequences(data, seq_len, horizon):
    xs, ys = [], []
    for i in range(len(data) - seq_len - horizon + 1):
        xs.append(data[i:i + seq_len])
        ys.append(data[i + seq_len:i + seq_len + horizon, 0])
    return np.array(xs), np.array(ys)
class Chomp(nn.Module):
    def __init__(self, n): super().__init__(); self.n = n
    def forward(self, x): return x[:, :, :-self.n].contiguous()
class TemporalBlock(nn.Module):
    def __init__(self, i, o, k, d):
        super().__init__()
        pad = (k - 1) * d
        self.net = nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Conv1d(i, o, k, padding=pad, dilation=d)), Chomp(pad), nn.ReLU(), nn.Dropout(0.1))
        self.res = nn.Conv1d(i, o, 1) if i != o else None
    def forward(self, x):
        out = self.net(x)
        r = x if self.res is None else self.res(x)
        return torch.relu(out + r)
class TCN(nn.Module):
    def __init__(self, n_in, cfg):
        super().__init__()
        chans = [cfg.hidden] * 2
        self.tcn = nn.Sequential(*(TemporalBlock(n_in if i == 0 else chans[i - 1], c, 3, 2 ** i) for i, c in enumerate(chans)))
        self.fc = nn.Linear(chans[-1], cfg.horizon)
    def forward(self, x):
        h = self.tcn(x.transpose(1, 2))
        last = h[:, :, -1]
        return Output(self.fc(last), last)
class LSTMNet(nn.Module):
    def __init__(self, n_in, cfg):
        super().__init__()
        self.lstm = nn.LSTM(n_in, cfg.hidden, 2, batch_first=True, dropout=0.1)
        self.fc = nn.Linear(cfg.hidden, cfg.horizon)
    def forward(self, x):
        h0 = torch.zeros(2, x.size(0), 8).to(x.device)
        c0 = torch.zeros_like(h0)
        out, (hn, cn) = self.lstm(x, (h0, c0))
        return Output(pred=self.fc(out[:, -1, :]), hidden=hn[-1])
BUILD = {Kind.LSTM: LSTMNet, Kind.TCN: TCN}
def pinball(pred, y, qs=(0.1, 0.5, 0.9)):
    e = y.unsqueeze(-1) - pred.unsqueeze(-1)
    q = torch.tensor(qs)
    return torch.maximum(q * e, (q - 1) * e).mean()
cfg0 = Config()
results = {}
for kind in Kind:
    cfg = replace(cfg0, kind=kind)
    X, Y = create_sequences(full, cfg.seq_len, cfg.horizon)
    X, Y = torch.from_numpy(X), torch.tensor(Y, dtype=torch.float32)
    n = int(0.8 * len(X))
    Xtr, Xte, Ytr, Yte = X[:n], X[n:], Y[:n], Y[n:]
    model = BUILD[cfg.kind](X.shape[-1], cfg)
    opt = torch.optim.RMSprop(model.parameters(), lr=cfg.lr)
    step = torch.optim.lr_scheduler.StepLR(opt, 1, gamma=0.9)
    for epoch in range(2):
        perm = torch.randperm(Xtr.size(0))
        for b in range(0, Xtr.size(0), 32):
            idx = perm[b:b + 32]
            xb, yb = Xtr[idx], Ytr[idx]
            out = model(xb)
            loss = nn.functional.mse_loss(out.pred, yb) + 0.1 * pinball(out.pred, yb)
            opt.zero_grad(); loss.backward(); opt.step()
        step.step()
    model.eval()
    with torch.no_grad():
        pred, hid = model(Xte)
        mae = (pred - Yte).abs().mean(dim=0)
        results[kind.value] = {'mae': mae, 'lr': step.get_last_lr()[0]}
best = min(results, key=lambda k: results[k]['mae'].mean().item())
table = torch.stack([r['mae'] for r in results.values()])
denorm = pred.numpy() * sd + mu
back = torch.as_tensor(denorm)
win = torch.from_numpy(norm).unfold(0, 7, 1).mean(-1)
acf = torch.tensor([float((win[k:] * win[:len(win) - k]).mean()) for k in range(5)])
