"""Runs on one process or, under torchrun, on many."""
import argparse
import math
import os
import sys

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


def setup():
    rank = int(os.environ.get("RANK", -1))
    is_ddp = rank != -1
    if is_ddp:
        backend = "nccl" if torch.cuda.is_available() else "gloo"
        dist.init_process_group(backend=backend)
        local_rank = int(os.environ["LOCAL_RANK"])
        world_size = int(os.environ["WORLD_SIZE"])
        device = f"cuda:{local_rank}" if torch.cuda.is_available() else "cpu"
        if torch.cuda.is_available():
            torch.cuda.set_device(device)
    else:
        rank, local_rank, world_size = 0, 0, 1
        device = "cuda" if torch.cuda.is_available() else "cpu"
    return is_ddp, rank, world_size, device


class SineDataset(Dataset):
    def __init__(self, n_samples, length):
        self.n_samples = n_samples
        self.length = length

    def __len__(self):
        return self.n_samples

    def __getitem__(self, index):
        phase = 2 * math.pi * index / self.n_samples
        t = torch.linspace(0, 1, self.length)
        signal = torch.sin(2 * math.pi * 3 * t + phase)
        target = torch.tensor([math.sin(phase), math.cos(phase)])
        return {"signal": signal.unsqueeze(0), "target": target, "index": index}


class ConvRegressor(nn.Module):
    def __init__(self, channels=16, n_out=2):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, channels, 7, stride=2, padding=3),
            nn.BatchNorm1d(channels),
            nn.GELU(),
            nn.Conv1d(channels, 2 * channels, 5, stride=2, padding=2),
            nn.GroupNorm(4, 2 * channels),
            nn.GELU(),
        )
        self.pool = nn.AdaptiveMaxPool1d(4)
        self.head = nn.LazyLinear(n_out)

    def forward(self, batch):
        x = self.features(batch["signal"])
        x = self.pool(x).flatten(1)
        return self.head(x)


def all_reduce_mean(value: torch.Tensor, world_size: int) -> torch.Tensor:
    if world_size > 1:
        dist.all_reduce(value, op=dist.ReduceOp.SUM)
        value = value / world_size
    return value


def get_lr(step, warmup, total, base, minimum):
    if step < warmup:
        return base * (step + 1) / warmup
    if step > total:
        return minimum
    ratio = (step - warmup) / (total - warmup)
    coeff = 0.5 * (1.0 + math.cos(math.pi * ratio))
    return minimum + coeff * (base - minimum)


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", default=2, type=int)
    parser.add_argument("--batch_size", default=8, type=int)
    parser.add_argument("--length", default=128, type=int)
    parser.add_argument("--lr", default=1e-2, type=float)
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction, default=False)
    opts = parser.parse_args(argv if argv is not None else sys.argv[1:])
    is_ddp, rank, world_size, device = setup()
    master_process = rank == 0
    torch.manual_seed(1337 + rank)

    dataset = SineDataset(48, opts.length)
    sampler = DistributedSampler(dataset) if is_ddp else None
    loader = DataLoader(dataset, batch_size=opts.batch_size, shuffle=sampler is None, sampler=sampler)

    model = ConvRegressor().to(device)
    with torch.no_grad():
        warm = model({"signal": torch.zeros(2, 1, opts.length, device=device)})
    if opts.compile:
        model = torch.compile(model)
    if is_ddp:
        model = DDP(model, device_ids=[device] if device.startswith("cuda") else None)
    raw_model = model.module if is_ddp else model
    optimizer = torch.optim.SGD(raw_model.parameters(), lr=opts.lr, momentum=0.9, nesterov=True)
    loss_fn = nn.HuberLoss(delta=0.5)

    step = 0
    total = opts.epochs * len(loader)
    for epoch in range(opts.epochs):
        if sampler is not None:
            sampler.set_epoch(epoch)
        for batch in loader:
            batch = {k: v.to(device) if torch.is_tensor(v) else v for k, v in batch.items()}
            lr = get_lr(step, 3, total, opts.lr, opts.lr / 10)
            for group in optimizer.param_groups:
                group["lr"] = lr
            pred = model(batch)
            loss = loss_fn(pred, batch["target"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            reduced = all_reduce_mean(loss.detach().clone(), world_size)
            if master_process and step % 4 == 0:
                norm = sum((p.grad ** 2).sum() for p in raw_model.parameters() if p.grad is not None).sqrt()
                print(f"step {step:4d} | loss {reduced.item():.4f} | lr {lr:.2e} | norm {norm:.3f}")

    if master_process:
        angle = torch.atan2(pred[:, 0], pred[:, 1])
        err = (angle - torch.atan2(batch["target"][:, 0], batch["target"][:, 1])).abs()
        print(err.mean().item())
    if is_ddp:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
