"""What drives a training loop: lightning's modules and trainer, accelerate's Accelerator, as far as shapes go."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import nn

from ..unknowns.unknown import Lost, Unknown


class LightningModule(nn.Module):
    """`lightning.LightningModule`: a module whose steps a trainer calls."""

    trainer = Unknown("lightning's trainer")
    hparams = Unknown("hyperparameters")
    logger = Unknown("a logger")
    current_epoch = Unknown("the number of an epoch")
    global_step = Unknown("the number of a step")
    automatic_optimization = True

    @property
    def device(self) -> Any:
        """Where its parameters are."""
        return Unknown("the device that lightning chooses")

    def save_hyperparameters(self, *args: Any, **kwargs: Any) -> None:
        """Not carried out."""

    log = log_dict = print = toggle_optimizer = untoggle_optimizer = clip_gradients = save_hyperparameters

    def manual_backward(self, loss: Any, *args: Any, **kwargs: Any) -> None:
        """`loss.backward()`."""
        loss.backward(*args, **kwargs)

    def optimizers(self, *args: Any) -> Any:
        """What the trainer made of `configure_optimizers`."""
        return Unknown("optimizers of lightning's trainer")

    lr_schedulers = optimizers

    def freeze(self) -> None:
        """No parameter requires grad any more."""
        self.requires_grad_(False)
        self.eval()


class LightningDataModule:
    """`lightning.LightningDataModule`."""

    trainer = Unknown("lightning's trainer")
    hparams = Unknown("hyperparameters")

    def prepare_data(self) -> None:
        """Nothing to do."""

    def setup(self, stage: Any = None) -> None:
        """Nothing to do."""

    def save_hyperparameters(self, *args: Any, **kwargs: Any) -> None:
        """Not carried out."""


class Callback:
    """`lightning.Callback`: none of its methods is called."""


class Trainer:
    """`lightning.Trainer`: each step runs once for each kind of batch."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._plain = (
            options.get("precision") in (None, 32, "32", "32-true") and not torch.cuda.is_available()
        )

    def fit(
        self,
        model: Any,
        train_dataloaders: Any = None,
        val_dataloaders: Any = None,
        datamodule: Any = None,
        **_: Any,
    ) -> None:
        """Training, with a look at the validation data."""
        if isinstance(train_dataloaders, LightningDataModule):
            train_dataloaders, datamodule = None, train_dataloaders
        source = self._ready(model, datamodule, "fit")
        if not hasattr(model, "configure_optimizers"):
            raise Lost("a module without optimizers")
        model.configure_optimizers()
        train = train_dataloaders if train_dataloaders is not None else _loader(source, "train_dataloader")
        validation = val_dataloaders if val_dataloaders is not None else _loader(source, "val_dataloader")
        with torch.no_grad():
            self._steps(model.eval(), "validation_step", validation)
        self._steps(model.train(), "training_step", train)

    def validate(self, model: Any = None, dataloaders: Any = None, datamodule: Any = None, **_: Any) -> Any:
        """One pass over the validation data."""
        return self._pass(model, dataloaders, datamodule, "validation_step", "val_dataloader")

    def test(self, model: Any = None, dataloaders: Any = None, datamodule: Any = None, **_: Any) -> Any:
        """One pass over the test data."""
        return self._pass(model, dataloaders, datamodule, "test_step", "test_dataloader")

    def _pass(self, model: Any, loaders: Any, datamodule: Any, step: str, name: str) -> Any:
        if isinstance(model, LightningModule):
            source = self._ready(model, datamodule, "test")
            with torch.no_grad():
                self._steps(model.eval(), step, loaders if loaders is not None else _loader(source, name))
        return Unknown("what lightning's trainer measures")

    def _ready(self, model: Any, datamodule: Any, stage: str) -> Any:
        if not self._plain:
            raise Lost("a trainer that changes dtypes or devices")
        if datamodule is None:
            return model
        datamodule.prepare_data()
        datamodule.setup(stage)
        return datamodule

    def _steps(self, model: Any, step: str, loader: Any) -> None:
        if loader is None or not hasattr(model, step):
            return
        for number, batch in enumerate(_kinds(loader)):
            getattr(model, step)(batch, number if not number else Unknown("the number of a batch"))


def _loader(source: Any, name: str) -> Any:
    return getattr(source, name)() if hasattr(source, name) else None


def _kinds(loader: Any) -> Iterator[Any]:
    """Each batch that is another object than the one before it: a loader gives equal ones out again."""
    if type(loader) is Unknown or not isinstance(loader, Iterable):
        raise Lost("batches that are not known")
    before: Any = None
    for batch in loader:
        if batch is not before:
            yield batch
        before = batch


class Accelerator:
    """`accelerate.Accelerator` with one process, on the CPU."""

    is_main_process = is_local_main_process = is_last_process = True
    num_processes = 1
    process_index = local_process_index = 0
    sync_gradients = Unknown("whether gradients are synchronised")

    def __init__(self, *args: Any, **options: Any) -> None:
        if torch.cuda.is_available() or options.get("mixed_precision") not in (None, "no"):
            raise Lost("an accelerator that changes dtypes or devices")

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return torch.device("cpu")

    def prepare(self, *things: Any, **options: Any) -> Any:
        """The things themselves."""
        return things[0] if len(things) == 1 else things

    def backward(self, loss: Any, **options: Any) -> None:
        """`loss.backward()`."""
        loss.backward(**options)

    def gather(self, value: Any, *args: Any, **options: Any) -> Any:
        """What this one process has."""
        return value

    gather_for_metrics = reduce = unwrap_model = prepare_model = prepare_optimizer = prepare_scheduler = (
        gather
    )

    def accumulate(self, *models: Any) -> Any:
        """A context that changes nothing."""
        return contextlib.nullcontext()

    no_sync = autocast = main_process_first = local_main_process_first = accumulate

    def print(self, *args: Any, **options: Any) -> None:
        """Not carried out."""

    log = save = save_state = load_state = wait_for_everyone = init_trackers = end_training = print

    def clip_grad_norm_(self, *args: Any, **options: Any) -> Any:
        """The norm that the gradients had."""
        return Unknown("the norm of gradients", True)


def _seed(*args: Any, **kwargs: Any) -> None:
    return None


_LIGHTNING: dict[str, Any] = {
    "LightningModule": LightningModule,
    "LightningDataModule": LightningDataModule,
    "Trainer": Trainer,
    "Callback": Callback,
    "seed_everything": _seed,
}
LIGHTNING: dict[str, dict[str, Any]] = {
    "lightning": _LIGHTNING,
    "lightning.pytorch": _LIGHTNING,
    "pytorch_lightning": _LIGHTNING,
}
"""Modules of lightning, under its two names."""
ACCELERATE: dict[str, dict[str, Any]] = {
    "accelerate": {"Accelerator": Accelerator},
    "accelerate.utils": {"set_seed": _seed},
}
