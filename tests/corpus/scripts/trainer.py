import copy
import math
from abc import ABC, abstractmethod
from contextlib import contextmanager, nullcontext
from pathlib import Path
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

class BaseModel(nn.Module, ABC):
    registry = {}
    def __init_subclass__(cls, name=None, **kw):
        super().__init_subclass__(**kw)
        if name: BaseModel.registry[name] = cls
    @abstractmethod
    def encode(self, x): ...
    def forward(self, x, **kw):
        h = self.encode(x)
        return self.head(h)
    @property
    def device(self): return next(self.parameters()).device
    @classmethod
    def from_config(cls, cfg):
        cfg = dict(cfg)
        return cls.registry[cfg.pop('name')](**cfg)
class MLPModel(BaseModel, name='mlp'):
    def __init__(self, d_in, d_hidden=16, d_out=3, depth=2):
        super().__init__()
        dims = [d_in] + [d_hidden] * depth
        self.net = nn.Sequential(*[m for a, b in zip(dims, dims[1:]) for m in (nn.Linear(a, b), nn.SiLU())])
        self.head = nn.Linear(d_hidden, d_out)
    def encode(self, x): return self.net(x)
class ResModel(MLPModel, name='res'):
    def __init__(self, *args, scale=0.5, **kwargs):
        super().__init__(*args, **kwargs)
        self.scale = scale
        self.skip = nn.Linear(args[0] if args else kwargs['d_in'], self.head.in_features)
    def encode(self, x):
        return super().encode(x) + self.scale * self.skip(x)
class EMA:
    def __init__(self, model, decay=0.99):
        self.model = copy.deepcopy(model).eval()
        self.decay = decay
        for p in self.model.parameters():
            p.requires_grad_(False)
    @torch.no_grad()
    def update(self, model):
        msd = model.state_dict()
        for k, ema_v in self.model.state_dict().items():
            if ema_v.dtype.is_floating_point:
                ema_v.copy_(ema_v * self.decay + (1. - self.decay) * msd[k].detach())
class EarlyStopping:
    def __init__(self, patience=2, delta=0.0):
        self.patience, self.delta, self.best, self.counter, self.stop = patience, delta, None, 0, False
    def __call__(self, v):
        if self.best is None or v < self.best - self.delta:
            self.best, self.counter = v, 0
            return True
        self.counter += 1
        self.stop = self.counter >= self.patience
        return False
class Stream(IterableDataset):
    def __init__(self, n, d): self.n, self.d = n, d
    def __iter__(self):
        g = torch.Generator().manual_seed(0)
        for _ in range(self.n):
            x = torch.randn(self.d, generator=g)
            yield x, (x.sum() > 0).long()
@contextmanager
def evaluating(model):
    was = model.training
    try:
        model.eval()
        with torch.no_grad():
            yield model
    finally:
        model.train(was)
class Trainer:
    def __init__(self, model, opt, sched=None, accum=2, amp=True, callbacks=()):
        self.model, self.opt, self.sched, self.accum = model, opt, sched, accum
        self.ctx = torch.autocast('cpu', dtype=torch.bfloat16) if amp else nullcontext()
        self.crit = nn.CrossEntropyLoss()
        self.ema = EMA(model)
        self.callbacks = list(callbacks)
        self.step_n = 0
    def train_epoch(self, loader):
        running = 0.
        for i, (x, y) in enumerate(loader, 1):
            x, y = x.to(self.model.device, non_blocking=True), y.to(self.model.device)
            with self.ctx:
                out = self.model(x)
                loss = self.crit(out, y) / self.accum
            loss.backward()
            if i % self.accum == 0:
                nn.utils.clip_grad_value_(self.model.parameters(), 1.0)
                self.opt.step()
                self.opt.zero_grad()
                if self.sched is not None:
                    self.sched.step()
                self.ema.update(self.model)
                self.step_n += 1
            running += loss.detach() * self.accum
            for cb in self.callbacks:
                cb(self, loss)
        return running / i
    def evaluate(self, loader):
        correct, total, probs = 0, 0, []
        with evaluating(self.ema.model) as m:
            for x, y in loader:
                p = m(x).softmax(-1)
                probs.append(p)
                correct += (p.argmax(-1) == y).sum().item()
                total += y.numel()
        probs = torch.cat(probs)
        return {'acc': correct / total, 'nll': -probs.max(-1).values.log().mean().item(), 'probs': probs}
torch.manual_seed(0)
config = {'name': 'res', 'd_in': 6, 'd_hidden': 12}
model = BaseModel.from_config(config)
decay, no_decay = [], []
for n, p in model.named_parameters():
    (no_decay if p.ndim == 1 or n.endswith('.bias') else decay).append(p)
opt = torch.optim.AdamW([{'params': decay, 'weight_decay': 1e-2}, {'params': no_decay, 'weight_decay': 0.}], lr=1e-2)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1, (s + 1) / 3) * 0.5 * (1 + math.cos(math.pi * s / 20)))
losses = []
tr = Trainer(model, opt, sched, callbacks=[lambda t, l: losses.append(l.item())])
es = EarlyStopping()
train_loader = DataLoader(Stream(24, 6), batch_size=4)
val_loader = DataLoader(Stream(10, 6), batch_size=4)
ckpt = None
for epoch in range(5):
    trl = tr.train_epoch(train_loader)
    metrics = tr.evaluate(val_loader)
    if es(metrics['nll']):
        ckpt = {'epoch': epoch, 'model': copy.deepcopy(model.state_dict()), 'opt': opt.state_dict()}
    if es.stop:
        break
model.load_state_dict(ckpt['model'])
final = metrics['probs']
curve = torch.tensor(losses)
smooth = nn.functional.avg_pool1d(curve[None, None], 3, 1).squeeze()
wmat = ckpt['model']['head.weight']
