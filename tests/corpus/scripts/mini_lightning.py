"""A tiny training framework: registry, callbacks, a Module base class with hooks, a Trainer."""
import abc
import json
import os
import tempfile
import time
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Type, Union

import torch
from torch import nn, Tensor
from torch.utils.data import DataLoader, TensorDataset

MODELS: Dict[str, Type["Module"]] = {}


def register(name: str) -> Callable:
    def decorator(cls):
        if name in MODELS:
            raise KeyError(name)
        MODELS[name] = cls
        return cls
    return decorator


class Callback:
    def on_fit_start(self, trainer, module): ...
    def on_epoch_end(self, trainer, module): ...
    def on_fit_end(self, trainer, module): ...


class Timer(Callback):
    def on_fit_start(self, trainer, module):
        self.start = time.perf_counter()

    def on_fit_end(self, trainer, module):
        self.elapsed = time.perf_counter() - self.start


class EarlyStopping(Callback):
    def __init__(self, monitor: str = "val_loss", patience: int = 2, mode: str = "min"):
        self.monitor, self.patience, self.mode = monitor, patience, mode
        self.best: Optional[float] = None
        self.wait = 0

    def on_epoch_end(self, trainer, module):
        current = trainer.metrics[self.monitor][-1]
        improved = self.best is None or (current < self.best if self.mode == "min" else current > self.best)
        if improved:
            self.best, self.wait = current, 0
        else:
            self.wait += 1
            trainer.should_stop = self.wait >= self.patience


class Checkpoint(Callback):
    def __init__(self, folder: Union[str, Path]):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.path: Optional[Path] = None

    def on_epoch_end(self, trainer, module):
        self.path = self.folder / f"epoch={trainer.epoch}.pt"
        torch.save({"state_dict": module.state_dict(), "epoch": trainer.epoch, "hparams": module.hparams}, self.path)


class Module(nn.Module, abc.ABC):
    def __init__(self, **hparams):
        super().__init__()
        self.hparams = hparams
        self.trainer: Optional["Trainer"] = None

    @abc.abstractmethod
    def training_step(self, batch, batch_idx: int) -> Tensor: ...

    def validation_step(self, batch, batch_idx: int): ...

    @abc.abstractmethod
    def configure_optimizers(self): ...

    def log(self, name: str, value: Union[Tensor, float]):
        assert self.trainer is not None
        self.trainer.log(name, value)

    @property
    def device(self):
        return next(self.parameters()).device


@register("mlp")
class MLPClassifier(Module):
    def __init__(self, in_dim=12, hidden=(32, 16), n_classes=3, lr=1e-2):
        super().__init__(in_dim=in_dim, hidden=hidden, n_classes=n_classes, lr=lr)
        dims = [in_dim, *hidden]
        self.body = nn.Sequential(*[layer for a, b in zip(dims, dims[1:]) for layer in (nn.Linear(a, b), nn.BatchNorm1d(b), nn.SiLU())])
        self.head = nn.Linear(dims[-1], n_classes)
        self.loss = nn.CrossEntropyLoss()

    def forward(self, x):
        return self.head(self.body(x))

    def _shared_step(self, batch, stage):
        x, y = batch
        logits = self(x)
        loss = self.loss(logits, y)
        acc = (logits.argmax(1) == y).float().mean()
        self.log(f"{stage}_loss", loss)
        self.log(f"{stage}_acc", acc)
        return loss

    def training_step(self, batch, batch_idx):
        return self._shared_step(batch, "train")

    def validation_step(self, batch, batch_idx):
        return self._shared_step(batch, "val")

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams["lr"])
        return [opt], [torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.9)]


@register("ae")
class AutoEncoder(Module):
    def __init__(self, in_dim=12, latent=3, lr=1e-3):
        super().__init__(in_dim=in_dim, latent=latent, lr=lr)
        self.enc = nn.Sequential(nn.Linear(in_dim, 16), nn.Tanh(), nn.Linear(16, latent))
        self.dec = nn.Sequential(nn.Linear(latent, 16), nn.Tanh(), nn.Linear(16, in_dim))

    def forward(self, x):
        z = self.enc(x)
        return self.dec(z), z

    def training_step(self, batch, batch_idx):
        x, _ = batch
        x_hat, z = self(x)
        mse = nn.functional.mse_loss(x_hat, x)
        sparsity = z.abs().mean()
        self.log("train_loss", mse)
        return mse + 1e-3 * sparsity

    def validation_step(self, batch, batch_idx):
        x, _ = batch
        x_hat, _z = self(x)
        self.log("val_loss", (x_hat - x).pow(2).mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams["lr"])


class Trainer:
    def __init__(self, max_epochs=2, callbacks: Optional[List[Callback]] = None, gradient_clip_val: Optional[float] = None):
        self.max_epochs = max_epochs
        self.callbacks = callbacks or []
        self.clip = gradient_clip_val
        self.metrics = defaultdict(list)
        self._running = defaultdict(list)
        self.should_stop = False
        self.epoch = 0

    def log(self, name, value):
        self._running[name].append(value.detach() if isinstance(value, Tensor) else torch.tensor(value))

    def _flush(self):
        for name, values in self._running.items():
            mean = torch.stack(values).float().mean()
            self.metrics[name].append(mean.item())
        self._running.clear()

    def call(self, hook, module):
        for cb in self.callbacks:
            getattr(cb, hook)(self, module)

    @contextmanager
    def evaluating(self, module):
        was_training = module.training
        module.eval()
        with torch.no_grad():
            yield
        module.train(was_training)

    def fit(self, module: Module, train_loader, val_loader=None):
        module.trainer = self
        configured = module.configure_optimizers()
        optimizers, schedulers = configured if isinstance(configured, tuple) else ([configured], [])
        self.call("on_fit_start", module)
        for self.epoch in range(self.max_epochs):
            module.train()
            for batch_idx, batch in enumerate(train_loader):
                batch = [b.to(module.device) for b in batch]
                loss = module.training_step(batch, batch_idx)
                for opt in optimizers:
                    opt.zero_grad()
                loss.backward()
                if self.clip:
                    norm = nn.utils.clip_grad_norm_(module.parameters(), self.clip)
                    self.log("grad_norm", norm)
                for opt in optimizers:
                    opt.step()
            if val_loader is not None:
                with self.evaluating(module):
                    for batch_idx, batch in enumerate(val_loader):
                        module.validation_step(batch, batch_idx)
            for sch in schedulers:
                sch.step()
            self._flush()
            self.call("on_epoch_end", module)
            if self.should_stop:
                break
        self.call("on_fit_end", module)
        return dict(self.metrics)


torch.manual_seed(0)
X = torch.randn(90, 12)
y = (X[:, :3].argmax(1)).long()
train = DataLoader(TensorDataset(X[:60], y[:60]), batch_size=20, shuffle=True)
val = DataLoader(TensorDataset(X[60:], y[60:]), batch_size=15)
with tempfile.TemporaryDirectory() as tmp:
    for name, cls in MODELS.items():
        model = cls()
        ckpt = Checkpoint(os.path.join(tmp, name))
        trainer = Trainer(2, callbacks=[Timer(), EarlyStopping(), ckpt], gradient_clip_val=1.0)
        history = trainer.fit(model, train, val)
        saved = torch.load(ckpt.path, weights_only=False)
        clone = cls(**saved["hparams"])
        clone.load_state_dict(saved["state_dict"])
        clone.eval()
        with torch.no_grad():
            prediction = clone(X[:5])
        print(name, json.dumps({k: [round(v, 3) for v in vs] for k, vs in history.items()}))
        first = prediction[0] if isinstance(prediction, tuple) else prediction
        print(first.shape)
