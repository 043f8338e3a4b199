"""A last batch of one or two items, and batch norm in the model."""

from __future__ import annotations

from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..program.layers import has_layer, is_batch_norm
from ..program.values import number, roots
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Tensor
from ..vocabulary.findings import Finding
from .asking.loaders import Loader, dataset_kind, training_loaders
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "drop-last-with-batchnorm"
_ENOUGH = 16
"""Items of a batch of which the statistics are good; those of more than half a batch are nearly as good as of a whole one."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every loader trained on without drop_last, where the model that is called surely has batch norm."""
    for loader, node in training_loaders(tree):
        size = number(loader.given("batch_size", 1))
        if (
            loader.given("drop_last", 8) is not None
            or loader.given("batch_sampler", 4) is not None
            or size == 1
        ):
            continue
        if any("Iterable" in kind for kind in dataset_kind(loader)):
            continue
        models = [
            event.on
            for event in tree.course.calls("()")
            if event.on is not None and any(event.inside(loop) for loop in loader.loops)
        ]
        if not any(has_layer(model, is_batch_norm) for model in models):
            continue
        items = None if size is None else _items(log, tree, loader)
        rest = None if items is None or size is None else int(items % size)
        if rest is not None and size is not None and (rest == 0 or rest >= _ENOUGH or 2 * rest > size):
            continue
        yield found(
            RULE,
            tree,
            node,
            "the last batch may be small: batch norm's statistics of it are poor, and of one item torch raises."
            if rest is None
            else f"the last batch has {rest} of {items} items: batch norm's statistics of it are poor, and of one item torch raises.",
            fix("leave the last, smaller batch out", add_keyword(tree.text, node, "drop_last=True")),
        )


def _items(log: Log, tree: Tree, loader: Loader) -> int | None:
    """How many items the data set of a loader has, where that is known: tensors, or a part that `random_split` made."""
    given = loader.given("dataset", 0)
    if (
        given is not None
        and given.by == "item"
        and given.on is not None
        and given.on.short() == "random_split"
    ):
        sizes = given.on.args[1].args if len(given.on.args) > 1 else ()
        place = given.keys[0] if given.keys else None
        part = number(sizes[place]) if isinstance(place, int) and place < len(sizes) else None
        return part if isinstance(part, int) else None
    made = roots(given)
    if len(made) != 1 or made[0].by != "torch.utils.data.TensorDataset" or made[0].node is None:
        return None
    span = tree.span(made[0].node)
    counts = {
        one.shape[0] if isinstance(one, Tensor) and one.shape else None
        for op in ops_of(log, ("TensorDataset",))
        if op.span == span
        for one in op.args
    }
    count = next(iter(counts)) if len(counts) == 1 else None
    return count if isinstance(count, int) else None
