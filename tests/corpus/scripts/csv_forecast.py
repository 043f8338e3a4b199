"""Load forecasting with a transformer. Data is a CSV (written into a StringIO here) as one gets from a meter."""
import csv
import io
import math
from collections import defaultdict, namedtuple
from datetime import datetime, timedelta
from statistics import mean, pstdev

import torch
import torch.nn as nn

Row = namedtuple("Row", "when site load temp holiday")
Window = namedtuple("Window", ["past", "known_future", "target", "site"])
SITES = ["north", "south", "west"]
PAST, FUTURE = 24, 6


def fake_csv():
    f = io.StringIO()
    w = csv.writer(f)
    w.writerow(["timestamp", "site", "load_kw", "temp_c", "holiday"])
    start = datetime(2023, 1, 1)
    for h in range(24 * 5):
        t = start + timedelta(hours=h)
        for s, site in enumerate(SITES):
            temp = 10 + 8 * math.sin((h - 6) / 24 * 2 * math.pi) + s
            load = 50 + 20 * math.sin(h / 24 * 2 * math.pi + s) - 0.8 * temp
            w.writerow([t.isoformat(), site, f"{load:.3f}", "" if h % 37 == 5 else f"{temp:.2f}", int(t.weekday() == 6)])
    f.seek(0)
    return f


def parse(f):
    rows = []
    last = {}
    for rec in csv.DictReader(f):
        temp = float(rec["temp_c"]) if rec["temp_c"] else last.get(rec["site"], 10.0)
        last[rec["site"]] = temp
        rows.append(Row(datetime.fromisoformat(rec["timestamp"]), rec["site"], float(rec["load_kw"]), temp, rec["holiday"] == "1"))
    rows.sort(key=lambda r: (r.site, r.when))
    return rows


class Scaler:
    def fit(self, values):
        self.mu, self.sd = mean(values), pstdev(values) or 1.0
        return self

    def transform(self, values):
        return [(v - self.mu) / self.sd for v in values]

    def inverse(self, t):
        return t * self.sd + self.mu


def time_features(when):
    day = 2 * math.pi * when.hour / 24
    week = 2 * math.pi * when.weekday() / 7
    return [math.sin(day), math.cos(day), math.sin(week), math.cos(week)]


def build_windows(rows, stride=6):
    per_site = defaultdict(list)
    for r in rows:
        per_site[r.site].append(r)
    scalers, windows = {}, []
    for site, rs in per_site.items():
        ls, ts = Scaler().fit([r.load for r in rs]), Scaler().fit([r.temp for r in rs])
        scalers[site] = ls
        load, temp = ls.transform([r.load for r in rs]), ts.transform([r.temp for r in rs])
        feats = [[t, float(r.holiday), *time_features(r.when)] for t, r in zip(temp, rs)]
        for i in range(0, len(rs) - PAST - FUTURE + 1, stride):
            past = torch.tensor([[l, *f] for l, f in zip(load[i:i + PAST], feats[i:i + PAST])])
            known = torch.tensor(feats[i + PAST:i + PAST + FUTURE])
            target = torch.tensor(load[i + PAST:i + PAST + FUTURE])
            windows.append(Window(past, known, target, SITES.index(site)))
    return windows, scalers


def collate(batch):
    past, known, target, site = zip(*batch)
    return Window(torch.stack(past), torch.stack(known), torch.stack(target), torch.tensor(site))


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=200):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position * div_term)
        pe[0, :, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x, offset=0):
        return x + self.pe[:, offset:offset + x.size(1)]


class GatedResidual(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.lin = nn.Linear(d, 2 * d)
        self.norm = nn.LayerNorm(d)

    def forward(self, x):
        return self.norm(x + nn.functional.glu(self.lin(x)))


class Forecaster(nn.Module):
    quantiles = (0.1, 0.5, 0.9)

    def __init__(self, n_past, n_known, n_sites, d=32, heads=4, layers=2):
        super().__init__()
        self.past_in = nn.Linear(n_past, d)
        self.future_in = nn.Linear(n_known, d)
        self.site = nn.Embedding(n_sites, d)
        self.pos = PositionalEncoding(d)
        enc = nn.TransformerEncoderLayer(d, heads, 64, dropout=0.0, batch_first=True, norm_first=True)
        dec = nn.TransformerDecoderLayer(d, heads, 64, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(enc, layers, norm=nn.LayerNorm(d), enable_nested_tensor=False)
        self.decoder = nn.TransformerDecoder(dec, layers)
        self.gate = GatedResidual(d)
        self.out = nn.Linear(d, len(self.quantiles))

    def forward(self, past, known, site):
        s = self.site(site).unsqueeze(1)
        memory = self.encoder(self.pos(self.past_in(past)) + s)
        q = self.pos(self.future_in(known), offset=past.shape[1]) + s
        mask = nn.Transformer.generate_square_subsequent_mask(q.shape[1])
        h = self.decoder(q, memory, tgt_mask=mask)
        return self.out(self.gate(h))


def pinball(pred, target, quantiles):
    err = target.unsqueeze(-1) - pred
    q = pred.new_tensor(quantiles)
    return torch.maximum(q * err, (q - 1) * err).mean()


def coverage(pred, target):
    lo, _, hi = pred.unbind(-1)
    return ((target >= lo) & (target <= hi)).float().mean()


def main():
    torch.manual_seed(3)
    rows = parse(fake_csv())
    windows, scalers = build_windows(rows)
    cut = int(len(windows) * 0.8)
    order = sorted(range(len(windows)), key=lambda i: (i * 7919) % len(windows))
    train = [windows[i] for i in order[:cut]]
    test = [windows[i] for i in order[cut:]]
    loader = torch.utils.data.DataLoader(train, batch_size=8, shuffle=True, collate_fn=collate)
    sample = train[0]
    model = Forecaster(sample.past.shape[-1], sample.known_future.shape[-1], len(SITES))
    opt = torch.optim.RAdam(model.parameters(), lr=2e-3)
    sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=1)
    for epoch in range(2):
        running = 0.0
        for past, known, target, site in loader:
            pred = model(past, known, site)
            loss = pinball(pred, target, model.quantiles)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_value_(model.parameters(), 1.0)
            opt.step()
            running += loss.item() * len(past)
        sched.step(running / len(train))
    model.eval()
    with torch.no_grad():
        batch = collate(test)
        pred = model(batch.past, batch.known_future, batch.site)
        cov = coverage(pred, batch.target)
        errors = {}
        for k, name in enumerate(SITES):
            sel = batch.site == k
            if sel.any():
                p = scalers[name].inverse(pred[sel][..., 1])
                t = scalers[name].inverse(batch.target[sel])
                errors[name] = (p - t).abs().mean().item()
    table = [[name, round(v, 1)] for name, v in sorted(errors.items(), key=lambda kv: -kv[1])]
    print(len(rows), len(windows), cov > -1, len(table))


main()
