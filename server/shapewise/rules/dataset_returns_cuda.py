"""Items moved to the GPU in the workers of a loader."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.values import Value, constant
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
    for event in course.calls(".cuda", ".to"):
        function = event.function
        if function is None:
            continue
        in_item = (
            function.name == "__getitem__"
            and function.cls is not None
            and any(base.endswith("Dataset") for base in function.cls.foreign())
        )
        if not in_item and id(function.node) not in collates:
            continue
        if event.name == ".to" and not _is_cuda(event.argument("device", 0)):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "this runs in the loader's worker processes, which cannot use CUDA after a fork, and moves item by item. "
            "Move the whole batch in the training step.",
        )


def _is_cuda(device: Value | None) -> bool:
    """Whether it is surely a card: its text, or a torch.device of it."""
    if device is not None and device.by == "torch.device":
        device = device.argument("type", 0)
    text = constant(device)
    return isinstance(text, str) and text.startswith("cuda")
