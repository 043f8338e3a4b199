"""Hits that are counted item by item, or losses weighted by the items of their batch, and divided by the number of batches."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from ..edits.calls import append
from ..program.values import Value, number, roots, same
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Tensor
from ..vocabulary.findings import Finding, Related
from .asking.batches import READ, added_up, are_batches, gone_over, is_items, of_comparison
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "counted-over-batches"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every sum of `(guess == label).sum()`, or of `loss * len(x)`, over a loader of batches that is divided by the length of the loader."""
    for event in tree.course.of_kind("op"):
        if event.name != "/" or len(event.args) != 2:
            continue
        count = event.args[1]
        if count.by != "builtins.len" or not count.args:
            continue
        for loop, hits in added_up(tree, event.args[0], _hits):
            over = loop.over
            if over is None or not any(same(one, count.args[0]) for one in gone_over(over)):
                continue
            length = count.node
            written = length.args[0] if isinstance(length, ast.Call) and length.args else None
            weighted = _is_weighted(hits)
            if not (
                are_batches(tree, written, count.args[0])
                if weighted
                else _are_several(log, tree, hits, count.args[0])
            ):
                continue
            is_loader = any(root.short() == "DataLoader" for root in roots(count.args[0]))
            repairs = (
                [fix("divide by the number of items", append(tree.text, written, ".dataset"))]
                if is_loader and isinstance(written, ast.Name | ast.Attribute)
                else []
            )
            related = (
                [Related(tree.span(hits.node), "weighted here" if weighted else "counted here, item by item")]
                if hits.node is not None
                else []
            )
            yield found(
                RULE,
                tree,
                event.node,
                f"{'losses, each times the items of its batch,' if weighted else 'the hits of all items'} are divided by the number of batches: what comes out is as many times too large as "
                "a batch has items. Divide by the number of items.",
                *repairs,
                related=related,
            )
            break


def _hits(value: Value) -> Value | None:
    """The hits of a batch, or its loss times its items, that a value is."""
    return of_comparison(value, (".sum", "torch.sum")) or (value if _is_weighted(value) else None)


def _is_weighted(value: Value) -> bool:
    """Whether it is `loss.item() * x.size(0)`, in either order: the sum over a batch, of its mean."""
    if value.by != "*" or len(value.args) != 2:
        return False
    return any(is_items(one) and other.by in READ for one, other in (value.args, value.args[::-1]))


def _are_several(log: Log, tree: Tree, hits: Value, loader: Value) -> bool:
    """Whether what is summed up has more than one item: as it was traced, else by the loader."""
    span = tree.span(hits.node) if isinstance(hits.node, ast.expr) else None
    shapes = [
        op.args[0].shape for op in ops_of(log, ("sum",)) if op.span == span and isinstance(op.args[0], Tensor)
    ]
    if shapes:
        return any(all(isinstance(size, int) for size in shape) and math.prod(shape) > 1 for shape in shapes)  # type: ignore[arg-type]
    sizes = [number(root.argument("batch_size", 1)) for root in roots(loader) if root.short() == "DataLoader"]
    return bool(sizes) and all(size is not None and size > 1 for size in sizes)
