"""Anomaly detection on sensor windows with an LSTM autoencoder."""
import logging
import os
from dataclasses import dataclass, field
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, ConcatDataset

logging.basicConfig(level=logging.INFO, format="%(message)s")
logger = logging.getLogger(__name__)


@dataclass
class TrainConfig:
    window: int = 24
    step: int = 4
    n_sensors: int = 3
    hidden: int = 16
    latent: int = 8
    batch_size: int = 16
    epochs: int = 3
    lr: float = 5e-3
    device: str = field(default_factory=lambda: "cuda" if torch.cuda.is_available() else "cpu")


def generate_series(length, n_sensors, seed, anomalies=()):
    rng = np.random.default_rng(seed)
    t = np.arange(length)
    cols = []
    for s in range(n_sensors):
        period = 12 + 4 * s
        cols.append(np.sin(2 * np.pi * t / period) + 0.1 * rng.standard_normal(length))
    series = np.stack(cols, axis=-1)
    labels = np.zeros(length, dtype=bool)
    for start, width in anomalies:
        series[start:start + width] += rng.normal(0, 1.5, size=(width, n_sensors))
        labels[start:start + width] = True
    return series.astype(np.float32), labels


class Windows(Dataset):
    def __init__(self, series, labels, cfg, mean=None, std=None):
        self.mean = series.mean(axis=0) if mean is None else mean
        self.std = series.std(axis=0) if std is None else std
        series = (series - self.mean) / self.std
        self.windows = np.lib.stride_tricks.sliding_window_view(series, cfg.window, axis=0)[:: cfg.step]
        self.windows = self.windows.transpose(0, 2, 1).copy()
        self.labels = np.array([labels[i:i + cfg.window].any() for i in range(0, len(series) - cfg.window + 1, cfg.step)])

    def __len__(self):
        return len(self.windows)

    def __getitem__(self, idx):
        return torch.as_tensor(self.windows[idx]), torch.tensor(self.labels[idx])


class LSTMAutoencoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.enc = nn.LSTM(cfg.n_sensors, cfg.hidden, num_layers=2, batch_first=True)
        self.to_latent = nn.Linear(cfg.hidden, cfg.latent)
        self.from_latent = nn.Linear(cfg.latent, cfg.hidden)
        self.dec = nn.LSTM(cfg.hidden, cfg.hidden, batch_first=True)
        self.out = nn.Linear(cfg.hidden, cfg.n_sensors)

    def encode(self, x):
        _, (h, c) = self.enc(x)
        return self.to_latent(h[-1])

    def forward(self, x):
        z = self.encode(x)
        h = self.from_latent(z)
        h = h.unsqueeze(1).expand(-1, x.size(1), -1)
        y, _ = self.dec(h)
        return self.out(y), z


class Trainer:
    def __init__(self, model, cfg):
        self.model = model.to(cfg.device)
        self.cfg = cfg
        self.opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
        self.scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(self.opt, patience=1)
        self.criterion = nn.L1Loss(reduction="none")

    def run_epoch(self, loader, train=True):
        self.model.train(train)
        total, count = 0.0, 0
        with torch.set_grad_enabled(train):
            for batch, _ in loader:
                batch = batch.to(self.cfg.device, non_blocking=True)
                recon, z = self.model(batch)
                loss = self.criterion(recon, batch).mean() + 1e-4 * z.pow(2).sum(dim=-1).mean()
                if train:
                    self.opt.zero_grad()
                    loss.backward()
                    self.opt.step()
                total += loss.item() * batch.size(0)
                count += batch.size(0)
        return total / count

    def fit(self, train_loader, valid_loader):
        best, best_state = float("inf"), None
        for epoch in range(self.cfg.epochs):
            tr = self.run_epoch(train_loader)
            va = self.run_epoch(valid_loader, train=False)
            self.scheduler.step(va)
            logger.info("epoch %d train %.4f valid %.4f", epoch, tr, va)
            if va < best:
                best = va
                best_state = {k: v.detach().clone() for k, v in self.model.state_dict().items()}
        if best_state is not None:
            self.model.load_state_dict(best_state)

    @torch.no_grad()
    def scores(self, loader):
        self.model.eval()
        scores, labels = [], []
        for batch, y in loader:
            batch = batch.to(self.cfg.device)
            recon, _ = self.model(batch)
            err = self.criterion(recon, batch).mean(dim=(1, 2))
            scores.append(err.cpu())
            labels.append(y)
        return torch.cat(scores), torch.cat(labels)


def best_f1(scores, labels):
    thresholds = torch.quantile(scores, torch.linspace(0.5, 0.99, 20))
    preds = scores.unsqueeze(0) > thresholds.unsqueeze(1)
    labels = labels.unsqueeze(0)
    tp = (preds & labels).sum(1).float()
    fp = (preds & ~labels).sum(1).float()
    fn = (~preds & labels).sum(1).float()
    f1 = 2 * tp / (2 * tp + fp + fn).clamp(min=1)
    best, idx = f1.max(dim=0)
    return best.item(), thresholds[idx].item()


def main():
    cfg = TrainConfig()
    torch.manual_seed(0)
    trains = []
    stats = None
    for seed in range(2):
        s, l = generate_series(400, cfg.n_sensors, seed)
        ds = Windows(s, l, cfg) if stats is None else Windows(s, l, cfg, *stats)
        stats = (ds.mean, ds.std)
        trains.append(ds)
    train_ds = ConcatDataset(trains)
    valid_ds = Windows(*generate_series(200, cfg.n_sensors, 7), cfg, *stats)
    test_ds = Windows(*generate_series(300, cfg.n_sensors, 9, [(60, 10), (200, 15)]), cfg, *stats)
    train_loader = DataLoader(train_ds, batch_size=cfg.batch_size, shuffle=True)
    valid_loader = DataLoader(valid_ds, batch_size=cfg.batch_size)
    test_loader = DataLoader(test_ds, batch_size=cfg.batch_size)
    trainer = Trainer(LSTMAutoencoder(cfg), cfg)
    trainer.fit(train_loader, valid_loader)
    scores, labels = trainer.scores(test_loader)
    f1, thr = best_f1(scores, labels)
    latents = torch.cat([trainer.model.encode(x.to(cfg.device)).detach() for x, _ in test_loader])
    u, sv, vh = torch.linalg.svd(latents - latents.mean(0), full_matrices=False)
    proj = latents @ vh[:2].T
    logger.info("f1 %.3f at %.3f, %s", f1, thr, tuple(proj.shape))


if __name__ == "__main__":
    main()
