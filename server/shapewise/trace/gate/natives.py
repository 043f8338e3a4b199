"""State that torch's own objects keep, as far as the journal has to know of it.

Calls such as `model.eval()` change it behind the interpreter's back: on one way of an unknown
condition they are noted first, so that the other way starts from the same state.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ..state import ATTRIBUTE, CONTENTS, settle, write
from ..unknowns import doubts
from ..unknowns.grown import grown
from ..unknowns.unknown import Unknown
from ..wall import allowed, namespaces
from .unfamiliar import leave_open

if TYPE_CHECKING:
    from ..run import Run

_MODES = frozenset(("eval", "train"))
_ADDS = {
    "_modules": frozenset("append extend insert add_module register_module pop".split()),
    "_buffers": frozenset(("register_buffer",)),
    "_parameters": frozenset(("register_parameter",)),
}
_REGISTERS = frozenset("register_buffer register_parameter add_module register_module".split())
SHAPES = namespaces.CHANGES_ITS_TENSOR - {"requires_grad_"}
"""Calls that give the tensor itself another shape."""


def note(run: Run, name: str, full: list[Any]) -> None:
    """About to make this call, on one of several ways."""
    for kind, target, key in _slots(name, full[0] if full else None):
        if not (isinstance(target, torch.Tensor) and run.is_own(target)):
            run.journal.note(kind, target, key)


def lose(run: Run, name: str, full: list[Any], lost: Unknown) -> None:
    """The call would be made with what is not known: what it changes is not known either."""
    for kind, target, key in _slots(name, full[0] if full else None):
        run.journal.note(kind, target, key)
        if kind == ATTRIBUTE:
            write(kind, target, key, lost)
        else:
            grown(target, lost.why)
    if name in _REGISTERS and isinstance(full[0], nn.Module):
        if len(full) > 1 and type(full[1]) is str and allowed.readable(full[1]):
            run.journal.note(ATTRIBUTE, full[0], full[1])
            write(ATTRIBUTE, full[0], full[1], lost)
        else:
            leave_open(run, full[0])


def told(name: str, full: list[Any]) -> None:
    """The call was made: it says anew what ways that met before had left unknown, the mode of each layer."""
    if name in _MODES:
        for _, target, key in _slots(name, full[0] if full else None):
            settle(target, key)


def changed(run: Run, name: str, target: Any, required_grad: bool) -> None:
    """The call was made, on one of several ways: what it did to a tensor cannot be taken back.

    `required_grad`: whether the tensor required grad before.
    """
    if not isinstance(target, torch.Tensor) or run.is_own(target):
        return
    if name in SHAPES:
        doubts.lose(target)
    elif not required_grad and name != "requires_grad_" and target.requires_grad:
        doubts.written(target)


def _slots(name: str, owner: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(owner, nn.Module):
        if name in _MODES:
            yield from ((ATTRIBUTE, module, "training") for module in owner.modules())
        elif name == "requires_grad_":
            yield from ((ATTRIBUTE, parameter, "requires_grad") for parameter in owner.parameters())
        else:
            for table, names in _ADDS.items():
                if name in names:
                    yield CONTENTS, getattr(owner, table), None
    elif isinstance(owner, torch.Tensor) and name == "requires_grad_":
        yield ATTRIBUTE, owner, "requires_grad"
