import logging
import random
from dataclasses import dataclass
from typing import List, Optional, Tuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, random_split

logging.basicConfig(level=logging.INFO)
log = logging.getLogger("unet")


@dataclass
class Config:
    image_size: int = 64
    n_channels: int = 3
    n_classes: int = 2
    features: Tuple[int, ...] = (8, 16, 32)
    bilinear: bool = True
    batch_size: int = 4
    lr: float = 1e-3
    epochs: int = 2
    val_percent: float = 0.25


class CircleDataset(Dataset):
    def __init__(self, n: int, size: int):
        rng = np.random.RandomState(0)
        self.size = size
        self.centers = rng.randint(size // 4, 3 * size // 4, size=(n, 2))
        self.radii = rng.randint(4, size // 4, size=n)
        self.noise = rng.rand(n, size, size, 3).astype(np.float32)

    def __len__(self):
        return len(self.radii)

    def __getitem__(self, idx):
        yy, xx = np.mgrid[: self.size, : self.size]
        cy, cx = self.centers[idx]
        mask = ((yy - cy) ** 2 + (xx - cx) ** 2) < self.radii[idx] ** 2
        image = self.noise[idx] * 0.3
        image = image + mask[..., None] * 0.7
        image = torch.from_numpy(image.transpose(2, 0, 1).copy()).float()
        mask = torch.from_numpy(mask.astype(np.int64))
        if random.random() > 0.5:
            image = torch.flip(image, dims=[2])
            mask = torch.flip(mask, dims=[1])
        return {"image": image.contiguous(), "mask": mask.contiguous()}


class DoubleConv(nn.Module):
    """(convolution => [BN] => ReLU) * 2"""

    def __init__(self, in_channels: int, out_channels: int, mid_channels: Optional[int] = None):
        super().__init__()
        if not mid_channels:
            mid_channels = out_channels
        self.double_conv = nn.Sequential(
            nn.Conv2d(in_channels, mid_channels, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(mid_channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(mid_channels, out_channels, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(inplace=True),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.double_conv(x)


class Down(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.maxpool_conv = nn.Sequential(nn.MaxPool2d(2), DoubleConv(in_channels, out_channels))

    def forward(self, x):
        return self.maxpool_conv(x)


class Up(nn.Module):
    def __init__(self, in_channels, out_channels, bilinear=True):
        super().__init__()
        if bilinear:
            self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
            self.conv = DoubleConv(in_channels, out_channels, in_channels // 2)
        else:
            self.up = nn.ConvTranspose2d(in_channels, in_channels // 2, kernel_size=2, stride=2)
            self.conv = DoubleConv(in_channels, out_channels)

    def forward(self, x1, x2):
        x1 = self.up(x1)
        diffY = x2.size()[2] - x1.size()[2]
        diffX = x2.size()[3] - x1.size()[3]
        x1 = F.pad(x1, [diffX // 2, diffX - diffX // 2, diffY // 2, diffY - diffY // 2])
        x = torch.cat([x2, x1], dim=1)
        return self.conv(x)


class UNet(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        f = cfg.features
        factor = 2 if cfg.bilinear else 1
        self.inc = DoubleConv(cfg.n_channels, f[0])
        self.downs = nn.ModuleList()
        for i in range(len(f) - 1):
            self.downs.append(Down(f[i], f[i + 1]))
        self.bottom = Down(f[-1], f[-1] * 2 // factor)
        self.ups = nn.ModuleList()
        rev = list(reversed(f))
        channels = f[-1] * 2
        for i, width in enumerate(rev):
            out = width // factor if i < len(rev) - 1 else width
            self.ups.append(Up(channels, out, cfg.bilinear))
            channels = width
        self.outc = nn.Conv2d(f[0], cfg.n_classes, kernel_size=1)

    def forward(self, x: Tensor) -> Tensor:
        skips: List[Tensor] = [self.inc(x)]
        for down in self.downs:
            skips.append(down(skips[-1]))
        x = self.bottom(skips[-1])
        for up, skip in zip(self.ups, reversed(skips)):
            x = up(x, skip)
        logits = self.outc(x)
        return logits


def dice_coeff(input: Tensor, target: Tensor, reduce_batch_first: bool = False, epsilon: float = 1e-6):
    assert input.size() == target.size()
    sum_dim = (-1, -2) if input.dim() == 2 or not reduce_batch_first else (-1, -2, -3)
    inter = 2 * (input * target).sum(dim=sum_dim)
    sets_sum = input.sum(dim=sum_dim) + target.sum(dim=sum_dim)
    sets_sum = torch.where(sets_sum == 0, inter, sets_sum)
    dice = (inter + epsilon) / (sets_sum + epsilon)
    return dice.mean()


def dice_loss(input, target, multiclass=False):
    if multiclass:
        return 1 - dice_coeff(input.flatten(0, 1), target.flatten(0, 1), reduce_batch_first=True)
    return 1 - dice_coeff(input, target, reduce_batch_first=True)


@torch.inference_mode()
def evaluate(net, loader, n_classes):
    net.eval()
    score = 0
    for batch in loader:
        image, mask_true = batch["image"], batch["mask"]
        mask_pred = net(image)
        mask_true = F.one_hot(mask_true, n_classes).permute(0, 3, 1, 2).float()
        mask_pred = F.one_hot(mask_pred.argmax(dim=1), n_classes).permute(0, 3, 1, 2).float()
        score += dice_coeff(mask_pred[:, 1:].flatten(0, 1), mask_true[:, 1:].flatten(0, 1))
    net.train()
    return score / max(len(loader), 1)


def main():
    random.seed(0)
    cfg = Config()
    dataset = CircleDataset(24, cfg.image_size)
    n_val = int(len(dataset) * cfg.val_percent)
    n_train = len(dataset) - n_val
    train_set, val_set = random_split(dataset, [n_train, n_val], generator=torch.Generator().manual_seed(0))
    loader_args = dict(batch_size=cfg.batch_size, num_workers=0)
    train_loader = DataLoader(train_set, shuffle=True, **loader_args)
    val_loader = DataLoader(val_set, shuffle=False, drop_last=True, **loader_args)

    model = UNet(cfg)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=cfg.lr, weight_decay=1e-8, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, "max", patience=5)
    criterion = nn.CrossEntropyLoss() if cfg.n_classes > 1 else nn.BCEWithLogitsLoss()
    global_step = 0
    for epoch in range(1, cfg.epochs + 1):
        model.train()
        epoch_loss = 0
        for batch in train_loader:
            images, true_masks = batch["image"], batch["mask"]
            images = images.to(dtype=torch.float32, memory_format=torch.channels_last)
            true_masks = true_masks.to(dtype=torch.long)
            masks_pred = model(images)
            loss = criterion(masks_pred, true_masks)
            probs = F.softmax(masks_pred, dim=1).float()
            one_hot = F.one_hot(true_masks, cfg.n_classes).permute(0, 3, 1, 2).float()
            loss += dice_loss(probs, one_hot, multiclass=True)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            global_step += 1
            epoch_loss += loss.item()
        val_score = evaluate(model, val_loader, cfg.n_classes)
        scheduler.step(val_score)
        log.info("epoch %d: loss %.3f, dice %.3f", epoch, epoch_loss / len(train_loader), val_score)


if __name__ == "__main__":
    main()
