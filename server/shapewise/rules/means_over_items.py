"""Means of batches that are added up and divided by the number of items, as if they were sums."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.events import Event, Loop
from ..program.ops import losses
from ..program.values import CONST, Value, constant, options_of, roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.batches import added_up, are_batches, gone_over, is_items, of_comparison
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "means-over-items"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every sum of `loss.item()`, or of `(guess == label).float().mean()`, over a loader that is divided by how many items it has."""
    means: dict[int, Value] | None = None
    for event in tree.course.of_kind("op"):
        if event.name != "/" or len(event.args) != 2 or event.passed_over:
            continue
        count = event.args[1]
        if not _may_count(count):
            continue
        if means is None:
            means = {
                id(one.event.value): one.event.value
                for one in losses(tree.course)
                if one.event.value is not None and _is_mean(one.option("reduction"))
            }
        for loop, mean in added_up(tree, event.args[0], functools.partial(_mean, means)):
            if loop.over is None or not _counts(tree, count, loop):
                continue
            what = "the mean loss of a batch" if id(mean) in means else "the share of hits in a batch"
            yield found(
                RULE,
                tree,
                event.node,
                f"{what} is added up for each batch, and the sum is divided by the number of items: what comes out is as many times too small "
                "as a batch has items. Weigh each by the items of its batch, or divide by the number of batches.",
                *_fixes(tree, event, loop),
                related=[Related(tree.span(mean.node), "a mean")] if mean.node is not None else [],
            )
            break


def _is_mean(reduction: Value | None) -> bool:
    return reduction is None or constant(reduction) == "mean"


def _may_count(count: Value) -> bool:
    return count.by == "builtins.len" or any(one.by == "+=" for one in options_of(count))


def _mean(means: dict[int, Value], value: Value) -> Value | None:
    """The mean loss of a batch, or the share of its hits, that a value is."""
    return of_comparison(value, (".mean", "torch.mean"), lambda one: id(one) in means)


def _counts(tree: Tree, count: Value, loop: Loop) -> bool:
    """Whether it is how many items all batches of a loop have together."""
    assert loop.over is not None
    loaders = list(gone_over(loop.over))
    if count.by == "builtins.len" and count.args:
        of = count.args[0]
        for loader in loaders:
            is_its_own = of.by == "." and of.name == "dataset" and same(of.on, loader)
            made = [one.argument("dataset", 0) for one in roots(loader) if one.short() == "DataLoader"]
            if is_its_own or (made and all(one is not None and same(one, of) for one in made)):
                return are_batches(tree, _written(loop), loader)
        return False
    ways = [one for one in options_of(count) if one.by not in (CONST, "")]  # not what it was before the loop
    sums = [one for one in tree.course.of_kind("augmented") if any(one.value is way for way in ways)]
    return (
        bool(sums)
        and len(sums) >= len(ways)
        and all(one.loops[-1:] == [loop] and one.args and _is_items(one.args[0]) for one in sums)
        and any(are_batches(tree, _written(loop), one) for one in loaders)
    )


def _is_items(value: Value) -> bool:
    return is_items(value) or value.by in (".numel", ".nelement")


def _written(loop: Loop) -> ast.AST | None:
    """The loader as the loop writes it, `tqdm` and `enumerate` taken off."""
    node = getattr(loop.node, "iter", None)
    while isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    return node


def _fixes(tree: Tree, event: Event, loop: Loop) -> Iterator[Fix]:
    """`len(loader)` for `len(loader.dataset)`."""
    right = event.node.right if isinstance(event.node, ast.BinOp) else None
    given = right.args[0] if isinstance(right, ast.Call) and len(right.args) == 1 else None
    if isinstance(given, ast.Attribute) and given.attr == "dataset":
        yield fix(
            "divide by the number of batches", replace(tree.text, given, source(tree.text, given.value))
        )
