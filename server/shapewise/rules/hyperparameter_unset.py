"""An optimizer with the learning rate that torch happens to have as default."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.training import is_optimizer
from ..program.values import open_ended
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import found

RULE = "hyperparameter-unset"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every optimizer of torch's without lr."""
    for event in tree.course.of_kind("call"):
        if not event.name.startswith("torch.optim.") or not is_optimizer(event.value):
            continue
        if event.value is None or open_ended(event.value) or event.argument("lr", 1) is not None:
            continue
        yield found(
            RULE, tree, event.node, "no learning rate is given: the default of this version of torch is used."
        )
