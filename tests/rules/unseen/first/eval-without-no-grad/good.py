"""Predict with a trained regressor and report RMSE."""
import argparse
from pathlib import Path

import torch
from torch import nn

from nets import Regressor


def load(path: Path) -> nn.Module:
    model = Regressor(13)
    model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    return model


def predict(model, xs, batch=256):
    model.eval()
    outs = []
    with torch.no_grad():
        for chunk in xs.split(batch):
            outs.append(model(chunk).squeeze(-1))
    return torch.cat(outs)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("weights", type=Path)
    ap.add_argument("--n", type=int, default=1000)
    ns = ap.parse_args()
    model = load(ns.weights)
    xs = torch.randn(ns.n, 13)
    ys = xs.sum(dim=1)
    pred = predict(model, xs)
    rmse = torch.sqrt(torch.mean((pred - ys) ** 2))
    print(f"rmse {rmse:.3f}")


if __name__ == "__main__":
    main()
