"""Datasets, samplers and loaders."""

import copy
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

# basic
from torch.utils.data import *
import torch.utils.data as data

X, Y = torch.randn(100, 4), torch.randint(0, 3, (100,))
ds = TensorDataset(X, Y)
for xb, yb in DataLoader(ds, batch_size=32, shuffle=True):
    pass
for xb, yb in DataLoader(
    ds, batch_size=32, drop_last=True, num_workers=2, pin_memory=False, persistent_workers=True
):
    z = xb + 1
dl = DataLoader(ds, 10)
a, b = next(iter(dl))
n = torch.zeros(len(dl))
m = torch.zeros(len(dl.dataset))
bs = torch.zeros(dl.batch_size)
x0, y0 = ds[0]
xs, ys = ds[:5]
it = iter(dl)
f, g = next(it)
tr, va = random_split(ds, [80, 20])
tr2, va2 = random_split(ds, [0.7, 0.3], generator=torch.Generator().manual_seed(0))
for p, q in DataLoader(va2, batch_size=7):
    pass
c = torch.zeros(len(tr2))
sub = Subset(ds, range(10))
s0 = sub[3][0]
cc = ConcatDataset([tr, va])
e = torch.zeros(len(cc))
w = cc[85][0]
dd = tr + va
dn = torch.zeros(len(dd))
for i, (xb, yb) in enumerate(DataLoader(cc, batch_size=64)):
    k = xb.sum(0)
st = StackDataset(X, Y)
r0 = st[0]
sd = StackDataset(img=X, lab=Y)
r1 = sd[0]
for bt in DataLoader(sd, batch_size=4):
    im = bt["img"]

# samplers
from torch.utils.data import *
from torch.utils.data.distributed import DistributedSampler

ds = TensorDataset(torch.randn(50, 4), torch.randint(0, 3, (50,)))
w = torch.ones(50)
for a, b in DataLoader(ds, batch_size=8, sampler=WeightedRandomSampler(w, 50, replacement=True)):
    pass
for a1, b1 in DataLoader(ds, batch_size=8, sampler=WeightedRandomSampler(w.tolist(), len(w))):
    pass
for c, d in DataLoader(ds, batch_size=8, sampler=SubsetRandomSampler(range(20))):
    pass
for e, f in DataLoader(ds, batch_sampler=BatchSampler(RandomSampler(ds), batch_size=8, drop_last=True)):
    pass
for g, h in DataLoader(ds, sampler=SequentialSampler(ds), batch_size=25):
    pass
samp = DistributedSampler(ds, num_replicas=2, rank=0, shuffle=True)
samp.set_epoch(1)
for j, k in DataLoader(ds, batch_size=5, sampler=samp):
    pass


class Mine(Sampler):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(torch.randperm(self.n).tolist())

    def __len__(self):
        return self.n


for l, m in DataLoader(ds, batch_size=5, sampler=Mine(20)):
    pass


class Groups(Sampler):
    def __iter__(self):
        for i in range(0, 50, 10):
            yield list(range(i, i + 10))

    def __len__(self):
        return 5


for o, p in DataLoader(ds, batch_sampler=Groups()):
    pass
idx = torch.randperm(50)[:10]
for q, r in DataLoader(Subset(ds, idx), batch_size=5):
    pass
for q1, r1 in DataLoader(Subset(ds, idx.tolist()), batch_size=5):
    pass

# own dataset
from torch.utils.data import Dataset, DataLoader


class DS(Dataset):
    def __init__(self, n):
        self.x = torch.randn(n, 3, 8, 8)
        self.y = torch.arange(n) % 10

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        img = self.x[i]
        lab = self.y[i]
        return {"image": img, "label": lab, "idx": i, "w": 1.5, "name": f"a{i}", "box": [1, 2]}


dl = DataLoader(DS(20), batch_size=6)
for batch in dl:
    im = batch["image"]
    lab = batch["label"]
    ix = batch["idx"]
    w = batch["w"]
    box = batch["box"]
b = next(iter(dl))

# collate
from torch.utils.data import Dataset, DataLoader, default_collate
from torch.nn.utils.rnn import pad_sequence


class T(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, i):
        return torch.randint(0, 9, (5,)), i % 2


def collate(batch):
    xs, ys = zip(*batch)
    lens = torch.tensor([len(x) for x in xs])
    return pad_sequence(xs, batch_first=True), torch.tensor(ys), lens


for x, y, l in DataLoader(T(), batch_size=4, collate_fn=collate):
    pass


def c2(batch):
    data = torch.stack([b[0] for b in batch])
    t = torch.LongTensor([b[1] for b in batch])
    return data, t


for u, v in DataLoader(T(), batch_size=5, collate_fn=c2):
    pass
for g in DataLoader(T(), batch_size=5, collate_fn=lambda b: default_collate(b)):
    gg = g[0]
for s, t in DataLoader(T(), batch_size=None):
    pass
lists = [(torch.randn(3), 1), (torch.randn(3), 0)]
for aa, bb in DataLoader(lists, batch_size=2):
    pass
for cc in DataLoader(torch.randn(10, 4), batch_size=3):
    pass
for dd in DataLoader(range(10), batch_size=4):
    pass
for ee in DataLoader([1.0, 2.0, 3.0], batch_size=2):
    pass

# iterable
from torch.utils.data import IterableDataset, DataLoader, ChainDataset, get_worker_info


class It(IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        n = self.n if info is None else self.n // info.num_workers
        for i in range(n):
            yield torch.randn(4), i


for x, y in DataLoader(It(10), batch_size=4):
    pass
a = next(iter(DataLoader(It(3), batch_size=3)))
for p, q in DataLoader(ChainDataset([It(4), It(4)]), batch_size=4):
    pass

# infinite
from torch.utils.data import DataLoader, TensorDataset

dl = DataLoader(TensorDataset(torch.randn(64, 3)), batch_size=16)


def inf(loader):
    while True:
        for b in loader:
            yield b


it = inf(dl)
for step in range(5):
    (x,) = next(it)
import itertools

cyc = itertools.cycle(dl)
(z,) = next(cyc)
for (p,), (q,) in zip(dl, dl):
    r = p + q
for e in range(3):
    for i, data in enumerate(dl, 0):
        inp = data[0]

# generator worker
from torch.utils.data import DataLoader, TensorDataset

g = torch.Generator()
g.manual_seed(0)


def seed_worker(worker_id):
    torch.manual_seed(worker_id)


dl = DataLoader(
    TensorDataset(torch.randn(64, 3)),
    batch_size=16,
    shuffle=True,
    worker_init_fn=seed_worker,
    generator=g,
    prefetch_factor=None,
    timeout=0,
)
for (a,) in dl:
    pass
n = len(dl.sampler)
z = torch.zeros(n)
lst = list(dl)
y = lst[0][0]
cat = torch.cat([b[0] for b in dl])
