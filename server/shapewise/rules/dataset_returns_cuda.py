"""Items moved to the GPU in the workers of a loader."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.events import Event
from ..program.values import GIVEN, Value, constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import found
from .tree import Tree

RULE = "dataset-returns-cuda"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every move to a GPU in __getitem__ of a data set, or in a collate function."""
    course = tree.course
    collates = {
        id(one.node)
        for event in course.calls("torch.utils.data.DataLoader")
        if (one := event.kwargs.get("collate_fn")) is not None
    }
    told: set[ast.AST] = set()
    for event in course.of_kind("call"):
        function = event.function
        if function is None or event.node in told or not _moves(event):
            continue
        named = "__iter__" if function.name == "__iter__" else "__getitem__"
        in_item = (
            function.name == named
            and function.cls is not None
            and any(base.endswith(_BASES[named]) for base in function.cls.foreign())
        )
        if not in_item and id(function.node) not in collates:
            continue
        told.add(event.node)
        yield found(
            RULE,
            tree,
            event.node,
            "this runs in the loader's worker processes, which cannot use CUDA after a fork, and moves item by item. "
            "Move the whole batch in the training step.",
        )


_BASES = {"__getitem__": "Dataset", "__iter__": "IterableDataset"}


def _moves(event: Event) -> bool:
    """Whether a call surely gives a tensor on a card."""
    if event.name == ".cuda":
        return True
    if event.name == ".to":
        return _is_cuda(event.argument("device", 0))
    if event.name == "torch.load":
        return _is_cuda(event.argument("map_location", 1))
    return (
        event.name.startswith("torch.")
        and event.name.count(".") == 1
        and _is_cuda(event.kwargs.get("device"))
    )


def _is_cuda(device: Value | None) -> bool:
    """Whether it is surely a card: its text, or a torch.device of it."""
    if device is not None and device.by == GIVEN and device.default is not None:
        device = device.default
    if device is not None and device.by == "torch.device":
        device = device.argument("type", 0)
    text = constant(device)
    return isinstance(text, str) and text.startswith("cuda")
