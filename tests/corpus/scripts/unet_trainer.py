"""Train a small UNet on synthetic blobs."""
import argparse
import logging
import math
import os
import random
import shutil
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, random_split

logger = logging.getLogger(__name__)


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class BlobDataset(Dataset):
    def __init__(self, n, size=32, max_blobs=4, transform=None):
        self.size = size
        self.transform = transform
        self.items = []
        for i in range(n):
            k = random.randint(1, max_blobs)
            self.items.append([(random.random(), random.random(), 0.05 + 0.1 * random.random()) for _ in range(k)])

    def __len__(self):
        return len(self.items)

    def __getitem__(self, idx):
        yy, xx = np.mgrid[0:self.size, 0:self.size] / self.size
        img = np.zeros((self.size, self.size), dtype=np.float32)
        mask = np.zeros((self.size, self.size), dtype=np.int64)
        for cx, cy, r in self.items[idx]:
            d = np.sqrt((xx - cx) ** 2 + (yy - cy) ** 2)
            img += np.exp(-(d / r) ** 2).astype(np.float32)
            mask[d < r] = 1
        img = np.stack([img, img ** 2, np.clip(img, 0, 1)], axis=0)
        img += np.random.randn(*img.shape).astype(np.float32) * 0.05
        sample = {"image": torch.from_numpy(img), "mask": torch.from_numpy(mask), "n": len(self.items[idx])}
        if self.transform:
            sample = self.transform(sample)
        return sample


class RandomFlip:
    def __init__(self, p=0.5):
        self.p = p

    def __call__(self, sample):
        if random.random() < self.p:
            sample["image"] = torch.flip(sample["image"], dims=[-1])
            sample["mask"] = torch.flip(sample["mask"], dims=[-1])
        return sample


class DoubleConv(nn.Module):
    def __init__(self, in_ch, out_ch, mid_ch=None):
        super().__init__()
        mid_ch = mid_ch or out_ch
        self.double_conv = nn.Sequential(
            nn.Conv2d(in_ch, mid_ch, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(mid_ch),
            nn.ReLU(inplace=True),
            nn.Conv2d(mid_ch, out_ch, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(out_ch),
            nn.ReLU(inplace=True),
        )

    def forward(self, x):
        return self.double_conv(x)


class Up(nn.Module):
    def __init__(self, in_ch, out_ch, bilinear=True):
        super().__init__()
        if bilinear:
            self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
            self.conv = DoubleConv(in_ch, out_ch, in_ch // 2)
        else:
            self.up = nn.ConvTranspose2d(in_ch, in_ch // 2, 2, stride=2)
            self.conv = DoubleConv(in_ch, out_ch)

    def forward(self, x1, x2):
        x1 = self.up(x1)
        dy = x2.size(2) - x1.size(2)
        dx = x2.size(3) - x1.size(3)
        x1 = F.pad(x1, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
        x = torch.cat([x2, x1], dim=1)
        return self.conv(x)


class UNet(nn.Module):
    def __init__(self, n_channels, n_classes, base=8, depth=3, bilinear=True):
        super().__init__()
        factor = 2 if bilinear else 1
        chs = [base * 2 ** i for i in range(depth + 1)]
        self.inc = DoubleConv(n_channels, chs[0])
        self.downs = nn.ModuleList()
        for i in range(depth):
            last = i == depth - 1
            out = chs[i + 1] // factor if last else chs[i + 1]
            self.downs.append(nn.Sequential(nn.MaxPool2d(2), DoubleConv(chs[i], out)))
        self.ups = nn.ModuleList()
        for i in reversed(range(depth)):
            out = chs[i] // factor if i > 0 else chs[i]
            self.ups.append(Up(chs[i + 1], out, bilinear))
        self.outc = nn.Conv2d(chs[0], n_classes, 1)

    def forward(self, x):
        skips = [self.inc(x)]
        for down in self.downs:
            skips.append(down(skips[-1]))
        x = skips.pop()
        for up in self.ups:
            x = up(x, skips.pop())
        return self.outc(x)


def dice_loss(logits, target, eps=1e-6):
    probs = F.softmax(logits, dim=1)
    onehot = F.one_hot(target, logits.shape[1]).permute(0, 3, 1, 2).float()
    inter = (probs * onehot).sum(dim=(2, 3))
    card = (probs + onehot).sum(dim=(2, 3))
    return 1 - ((2 * inter + eps) / (card + eps)).mean()


class AverageMeter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.sum, self.count = 0.0, 0

    def update(self, val, n=1):
        self.sum += val * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(1, self.count)


class Trainer:
    def __init__(self, model, train_loader, val_loader, args, device):
        self.model = model.to(device)
        self.train_loader, self.val_loader = train_loader, val_loader
        self.args, self.device = args, device
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-4)
        total = args.epochs * len(train_loader)
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, lambda s: min(1.0, (s + 1) / 5) * 0.5 * (1 + math.cos(math.pi * s / total)))
        self.best = -float("inf")
        self.global_step = 0
        self.out = Path(args.output) if args.output else Path(tempfile.mkdtemp())
        self.out.mkdir(parents=True, exist_ok=True)

    def train_epoch(self, epoch):
        self.model.train()
        meter = AverageMeter()
        for step, batch in enumerate(self.train_loader):
            images = batch["image"].to(self.device, non_blocking=True)
            masks = batch["mask"].to(self.device)
            logits = self.model(images)
            ce = F.cross_entropy(logits, masks)
            dice = dice_loss(logits, masks)
            loss = ce + self.args.dice_weight * dice
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            gnorm = nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.scheduler.step()
            meter.update(loss.item(), images.size(0))
            self.global_step += 1
            if step % self.args.log_every == 0:
                logger.info("epoch %d step %d loss %.4f gnorm %.3f", epoch, step, meter.avg, gnorm)
        return meter.avg

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        inter = torch.zeros(2, device=self.device)
        union = torch.zeros(2, device=self.device)
        for batch in self.val_loader:
            images, masks = batch["image"].to(self.device), batch["mask"].to(self.device)
            preds = self.model(images).argmax(dim=1)
            for c in range(2):
                p, t = preds == c, masks == c
                inter[c] += (p & t).sum()
                union[c] += (p | t).sum()
        iou = inter / union.clamp(min=1)
        return iou

    def fit(self):
        for epoch in range(self.args.epochs):
            train_loss = self.train_epoch(epoch)
            iou = self.evaluate()
            miou = iou.mean().item()
            if miou > self.best:
                self.best = miou
                torch.save({"model": self.model.state_dict(), "epoch": epoch, "iou": iou}, self.out / "best.pt")
            logger.info(f"epoch {epoch}: loss {train_loss:.4f} mIoU {miou:.4f}")
        ckpt = torch.load(self.out / "best.pt", map_location=self.device)
        self.model.load_state_dict(ckpt["model"])
        best_iou = ckpt["iou"]
        return best_iou


def get_args(argv=None):
    parser = argparse.ArgumentParser(description="Train the UNet")
    parser.add_argument("--epochs", "-e", type=int, default=2)
    parser.add_argument("--batch-size", "-b", dest="batch_size", type=int, default=8)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--val", type=float, default=25.0, help="percent for validation")
    parser.add_argument("--dice-weight", type=float, default=0.5)
    parser.add_argument("--log-every", type=int, default=2)
    parser.add_argument("--bilinear", action="store_true", default=False)
    parser.add_argument("--output", default=None)
    return parser.parse_args(argv)


def main():
    args = get_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    set_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    dataset = BlobDataset(32, args.size, transform=RandomFlip())
    n_val = int(len(dataset) * args.val / 100)
    n_train = len(dataset) - n_val
    train_set, val_set = random_split(dataset, [n_train, n_val], generator=torch.Generator().manual_seed(0))
    loader_args = dict(batch_size=args.batch_size, num_workers=0, pin_memory=False)
    train_loader = DataLoader(train_set, shuffle=True, **loader_args)
    val_loader = DataLoader(val_set, shuffle=False, drop_last=True, **loader_args)
    model = UNet(n_channels=3, n_classes=2, bilinear=args.bilinear)
    logger.info("params %d", sum(p.numel() for p in model.parameters()))
    trainer = Trainer(model, train_loader, val_loader, args, device)
    iou = trainer.fit()
    print("best IoU", [round(v, 3) for v in iou.tolist()])
    sample = dataset[0]
    with torch.no_grad():
        pred = model(sample["image"].unsqueeze(0).to(device)).softmax(1)[0, 1]
    print(pred.shape, os.path.exists(trainer.out / "best.pt"))
    if args.output is None:
        shutil.rmtree(trainer.out)


if __name__ == "__main__":
    main()
