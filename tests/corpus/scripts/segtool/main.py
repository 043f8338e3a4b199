"""python main.py --config '{"arch": "fpn", "epochs": 2}'"""
import argparse
import json

import torch
from torch.utils.data import DataLoader

from segtool.datasets import ShapesDataset
from segtool.losses import build_loss
from segtool.models import build_model
from segtool.utils.metrics import ConfusionMatrix
from segtool.utils.misc import AverageMeter, count_parameters

DEFAULTS = {"arch": "fpn", "classes": 4, "width": 8, "epochs": 2, "lr": 1e-2, "batch": 4, "loss": {"name": "combo", "alpha": 0.7}}


def get_cfg():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", default="{}")
    ap.add_argument("--seed", default=0, type=int)
    args = ap.parse_args()
    cfg = {**DEFAULTS, **json.loads(args.config), "seed": args.seed}
    return cfg


def train_epoch(model, loader, criterion, optimizer, meter):
    model.train()
    for sample in loader:
        image, mask = sample["image"], sample["mask"]
        logits = model(image)
        loss = criterion(logits, mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meter.update(loss.item(), image.size(0))


@torch.no_grad()
def validate(model, loader, classes):
    model.eval()
    cm = ConfusionMatrix(classes)
    for sample in loader:
        logits = model(sample["image"])
        pred = logits.argmax(dim=1)
        cm.update(pred, sample["mask"])
    return cm


def main():
    cfg = get_cfg()
    torch.manual_seed(cfg["seed"])
    train_loader = DataLoader(ShapesDataset(12, cfg["classes"]), batch_size=cfg["batch"], shuffle=True)
    val_loader = DataLoader(ShapesDataset(6, cfg["classes"], seed=9), batch_size=3)
    model = build_model(cfg["arch"], in_channels=3, classes=cfg["classes"], width=cfg["width"])
    print("parameters:", count_parameters(model))
    criterion = build_loss(**cfg["loss"])
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg["lr"], momentum=0.9)
    for epoch in range(cfg["epochs"]):
        meter = AverageMeter("loss")
        train_epoch(model, train_loader, criterion, optimizer, meter)
        cm = validate(model, val_loader, cfg["classes"])
        iou = cm.iou()
        print(epoch, meter, f"mIoU {iou.mean():.3f}", f"acc {cm.accuracy():.3f}")


if __name__ == "__main__":
    main()
