"""Each item converted when it is asked for, though all are in memory."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.values import INSTANCE
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import found

RULE = "per-item-conversion"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every from_numpy or tensor of an item of an attribute, in __getitem__ of a data set."""
    for event in tree.course.calls("torch.from_numpy", "torch.tensor", "torch.as_tensor"):
        function = event.function
        if function is None or function.cls is None or not event.called_by("__getitem__"):
            continue
        if not any(base.endswith("Dataset") for base in function.cls.foreign()) or not event.args:
            continue
        item = event.args[0]
        owner = tree.course.instances.get(function.cls)
        if item.by != "[]" or item.on is None or item.on.by == INSTANCE or owner is None:
            continue
        if not any(item.on is held for held in owner.attrs.values()):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "this converts item after item, each epoch anew. Convert the whole array once in __init__.",
        )
