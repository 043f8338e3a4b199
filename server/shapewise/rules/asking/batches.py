"""What is added up over a loader of batches: how a sum is read, and how many items a batch has."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from ...program.events import Loop
from ...program.values import Value, constant, number, options_of, roots
from ..telling.found import text_of
from .tree import Tree

_LOADER = re.compile(r"(loader|batches|_dl|_iter)$")
_COMPARED = frozenset("compare .eq torch.eq".split())
READ = frozenset(
    ".item .cpu .detach .numpy .float .double .long .int .to .data builtins.int builtins.float".split()
)
"""What leaves a number as it is."""


def added_up(
    tree: Tree, total: Value, taken: Callable[[Value], Value | None]
) -> Iterator[tuple[Loop, Value]]:
    """The loops in which something is added to a total, or to `100 * total`, and what it is `taken` for; None leaves it out."""
    for option in options_of(total):
        if option.by == "*":
            for factor in option.args:
                if number(factor) is None:
                    yield from added_up(tree, factor, taken)
        elif option.by in READ and (inner := option.on or next(iter(option.args), None)) is not None:
            yield from added_up(tree, inner, taken)
        elif option.by == "+=" and len(option.args) == 2:
            found = taken(option.args[1])
            for event in tree.course.of_kind("augmented") if found is not None else ():
                if event.value is option and event.loops and found is not None:
                    yield event.loops[-1], found


def of_comparison(
    value: Value, names: tuple[str, ...], or_one: Callable[[Value], bool] = lambda value: False
) -> Value | None:
    """The reduction of a comparison by one of these that a value is, however it is read; `or_one` is as good."""
    for _ in range(5):
        if or_one(value):
            return value
        inner = value.on or next(iter(value.args), None)
        if inner is None:
            return None
        if value.by in names:
            while inner.by in READ and inner.on is not None:
                inner = inner.on
            return value if inner.by in _COMPARED else None
        if value.by not in READ:
            return None
        value = inner
    return None


def gone_over(over: Value) -> Iterator[Value]:
    """What a loop goes over, as it is or through what gives the same batches; not the data that they are made of."""
    yield over
    if over.by in ("builtins.enumerate", "builtins.zip", "builtins.iter") or over.short() in (
        "tqdm",
        "track",
    ):
        for one in over.args:
            yield from gone_over(one)


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
        sizes = [root.argument("batch_size", 1) for root in made]
        return all(one is not None and number(one) != 1 and constant(one) is not None for one in sizes)
    return _LOADER.search(text_of(tree, written)) is not None
