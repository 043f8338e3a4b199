"""Sums over the batches of an epoch that the next epoch goes on with, each divided by the size of one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_before, source
from ..program.liveness import sets
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "counts-never-reset"
_Loop = ast.For | ast.AsyncFor


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each variable that is 0 before a loop over epochs, added to in a loop inside it, and divided by a length in each epoch."""
    places = tree.course.places
    for epochs in tree.course.nodes(ast.For):
        assert isinstance(epochs, ast.For)
        for batches in epochs.body:
            if not isinstance(batches, _Loop):
                continue
            for name, added in _added(batches):
                start = _zero_before(tree, epochs, name)
                share = _share(epochs, batches, name) if start is not None else None
                if start is None or share is None or _is_set(epochs, name):
                    continue
                if any(
                    isinstance(above, _Loop | ast.While)
                    for above in places.above(start)
                    if above in places.above(epochs)
                ):
                    continue
                zero = f"{name} = {source(tree.text, start)}"
                yield found(
                    RULE,
                    tree,
                    share,
                    f"{name} is 0 before the first epoch alone, and each epoch adds to it: from the second on it is divided by the size of "
                    "one epoch, and holds several. Set it to 0 in each.",
                    fix("set it to 0 in each epoch", insert_before(tree.text, epochs.body[0], zero)),
                    related=[Related(tree.span(added), "added to here")],
                )


def _added(batches: _Loop) -> Iterator[tuple[str, ast.AugAssign]]:
    """What each batch adds something to that was computed: not a count of steps."""
    for one in ast.walk(batches):
        if (
            isinstance(one, ast.AugAssign)
            and isinstance(one.op, ast.Add)
            and isinstance(one.target, ast.Name)
        ):
            calls = [node for node in ast.walk(one.value) if isinstance(node, ast.Call)]
            if any(
                isinstance(call.func, ast.Attribute) and call.func.attr in ("item", "sum") for call in calls
            ):
                yield one.target.id, one


def _zero_before(tree: Tree, epochs: ast.For, name: str) -> ast.expr | None:
    """The zero that a name is set to right before the epochs, in their block."""
    block = tree.course.places.block(epochs)
    for one in reversed(block[: block.index(epochs)]):
        if isinstance(one, ast.Assign) and name in sets(one):
            for target in one.targets:
                pairs: list[tuple[ast.expr, ast.expr]] = [(target, one.value)]
                if isinstance(target, ast.Tuple) and isinstance(one.value, ast.Tuple):
                    pairs = list(zip(target.elts, one.value.elts))
                for named, value in pairs:
                    is_zero = (
                        isinstance(value, ast.Constant) and value.value == 0 and value.value is not False
                    )
                    if isinstance(named, ast.Name) and named.id == name and is_zero:
                        return value
            return None
    return None


def _is_set(epochs: ast.For, name: str) -> bool:
    """Whether an epoch sets it anew, on some way."""
    return any(
        isinstance(one, (ast.Assign, ast.AnnAssign, ast.For, ast.Delete)) and name in _targets(one)
        for one in ast.walk(epochs)
    )


def _targets(one: ast.Assign | ast.AnnAssign | ast.For | ast.Delete) -> frozenset[str]:
    if isinstance(one, (ast.Assign, ast.Delete)):
        return frozenset(
            node.id for target in one.targets for node in ast.walk(target) if isinstance(node, ast.Name)
        )
    return sets(one.target)


def _share(epochs: ast.For, batches: _Loop, name: str) -> ast.BinOp | None:
    """Where an epoch divides it by a length, after its batches: not by what grows from epoch to epoch."""
    for one in ast.walk(epochs):
        if (
            isinstance(one, ast.BinOp)
            and isinstance(one.op, ast.Div)
            and one.lineno > (batches.end_lineno or 0)
        ):
            above = any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(one.left))
            by = one.right
            if above and isinstance(by, ast.Call) and isinstance(by.func, ast.Name) and by.func.id == "len":
                return one
    return None
