"""Hits that are counted item by item, or losses weighted by the items of their batch, and divided by the number of batches."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator

from ..edits.calls import append
from ..program.events import Loop
from ..program.values import Value, number, options_of, roots, same
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Tensor
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found, text_of

RULE = "counted-over-batches"
_LOADER = re.compile(r"(loader|batches|_dl|_iter)$")
COMPARED = frozenset("compare .eq torch.eq".split())
READ = frozenset(
    ".item .cpu .detach .numpy .float .double .long .int .data builtins.int builtins.float".split()
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every sum of `(guess == label).sum()`, or of `loss * len(x)`, over a loader of batches that is divided by the length of the loader."""
    for event in tree.course.of_kind("op"):
        if event.name != "/" or len(event.args) != 2:
            continue
        count = event.args[1]
        if count.by != "builtins.len" or not count.args:
            continue
        for loop, hits in _counted(tree, event.args[0]):
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


def _counted(tree: Tree, total: Value) -> Iterator[tuple[Loop, Value]]:
    """The loops in which sums of comparisons are added up to it, and those sums. Of `100 * total` as well."""
    for option in options_of(total):
        if option.by == "*":
            for factor in option.args:
                if number(factor) is None:
                    yield from _counted(tree, factor)
        elif option.by in READ and (inner := option.on or next(iter(option.args), None)) is not None:
            yield from _counted(tree, inner)
        elif option.by == "+=" and len(option.args) == 2:
            hits = _hits(option.args[1]) or (option.args[1] if _is_weighted(option.args[1]) else None)
            for event in tree.course.of_kind("augmented") if hits is not None else ():
                if event.value is option and event.loops and hits is not None:
                    yield event.loops[-1], hits


def gone_over(over: Value) -> Iterator[Value]:
    """What a loop goes over, as it is or through what gives the same batches; not the data that they are made of."""
    yield over
    if over.by in ("builtins.enumerate", "builtins.zip", "builtins.iter") or over.short() in (
        "tqdm",
        "track",
    ):
        for one in over.args:
            yield from gone_over(one)


def _hits(value: Value) -> Value | None:
    """The sum of a comparison that a value is, however it is read."""
    for _ in range(5):
        inner = value.on or next(iter(value.args), None)
        if inner is None:
            return None
        if value.by in (".sum", "torch.sum"):
            while inner.by in READ and inner.on is not None:
                inner = inner.on
            return value if inner.by in COMPARED else None
        if value.by not in READ:
            return None
        value = inner
    return None


def _is_weighted(value: Value) -> bool:
    """Whether it is `loss.item() * x.size(0)`, in either order: the sum over a batch, of its mean."""
    if value.by != "*" or len(value.args) != 2:
        return False
    return any(is_items(one) and other.by in READ for one, other in (value.args, value.args[::-1]))


def is_items(value: Value) -> bool:
    """Whether it is how many items a batch has: `x.size(0)`, `x.shape[0]`, `len(x)`."""
    if value.by == "builtins.len":
        return True
    if value.by == ".size":
        return number(value.argument("dim", 0)) == 0
    sizes = value.on if value.by == "[]" else None
    return sizes is not None and sizes.by == "." and sizes.name == "shape" and number(value.args[0]) == 0


def are_batches(tree: Tree, written: ast.AST | None, loader: Value) -> bool:
    """Whether what is gone over gives batches of several items: made as a loader of them, or named so."""
    made = [root for root in roots(loader) if root.short() == "DataLoader"]
    if made:
        return all(
            number(root.argument("batch_size", 1)) != 1 and root.argument("batch_size", 1) for root in made
        )
    return _LOADER.search(text_of(tree, written)) is not None


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
