"""Ops that change nothing, where something was meant to: a dim reduced twice, a view undone, a maximum with itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..queries.lineage import REDUCTIONS, Lineage, lineage_of, short, tensors
from ..queries.ops import ops_of
from ..queries.values import integers
from ..vocabulary.events import Log, Op, Scalar, Tensor
from ..vocabulary.findings import Finding, Related
from .asking.refusals import list_of
from .asking.tree import Tree
from .telling.found import found_at

RULE = "op-without-effect"
UNCALLED = True
_OF_EQUALS = frozenset("max min maximum minimum fmax fmin logical_and logical_or & |".split())
"""Ops that give back what they are given twice."""
_VIEWS = frozenset("view reshape".split())
_COPIES = frozenset("contiguous clone".split())
_TURNS = frozenset("permute transpose swapaxes swapdims".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each such op, by its place once."""
    lineage = lineage_of(log)
    used = _uses(log)
    for op in ops_of(log):
        if op.args and isinstance(op.result, Tensor):
            name = short(op.name)
            if name in REDUCTIONS:
                yield from _reduced_twice(op, lineage)
            elif name in _VIEWS:
                yield from _undone(op, lineage, log, tree, used)
            if name in _TURNS:
                yield from _left_as_it_was(op, tree)
            if name in _OF_EQUALS:
                yield from _with_itself(op, tree)


def _reduced_twice(op: Op, lineage: Lineage) -> Iterator[Finding]:
    """`x.mean(1, keepdim=True).mean(1, keepdim=True)`: the second has one number to reduce."""
    given = op.args[0]
    first = lineage.maker(given)
    if first is None or not isinstance(given, Tensor) or short(first.name) not in REDUCTIONS:
        return
    dims, before = _kept(op), _kept(first)
    if dims is None or before is None or not dims <= before or first.span == op.span:
        return
    rank = len(given.shape)
    written = ", ".join(str(dim) for dim in sorted(dims))
    others = [dim for dim in range(rank) if dim not in before and given.shape[dim] != 1]
    yield found_at(
        RULE,
        op.span,
        f"{short(op.name)} over dim {written} of {list_of(given.shape)}: {short(first.name)} has reduced that dim already, "
        f"and kept it with size 1. What is left to reduce: dim {', '.join(map(str, others)) or 'none'}.",
        related=[Related(first.span, f"dim {written} is reduced here")],
    )


def _left_as_it_was(op: Op, tree: Tree) -> Iterator[Finding]:
    """`x.permute(0, 1, 2)`, `x.transpose(1, 1)`, written in numbers: each dim stays where it was."""
    given, call = op.args[0], tree.at(op.span, ast.Call)
    if not isinstance(given, Tensor) or call is None or call.keywords:
        return
    rank = len(given.shape)
    order = [dim % rank for dim in integers(op.args[1:]) or () if rank]
    stays = (
        order == [*range(rank)] if short(op.name) == "permute" else len(order) == 2 and len(set(order)) == 1
    )
    if (
        not stays
        or rank < 2
        or any(isinstance(node, ast.Name) for arg in call.args[-rank:] for node in ast.walk(arg))
    ):
        return
    yield found_at(
        RULE,
        op.span,
        f"{short(op.name)}({', '.join(map(str, order))}) of {list_of(given.shape)} leaves every dim where it was.",
    )


def _kept(op: Op) -> frozenset[int] | None:
    """The dims (from 0) that a reduction leaves with size 1; None where it drops them, or is told no dim."""
    given, keepdim = op.args[0], op.argument("keepdim", "keepdims", at=2)
    if not isinstance(given, Tensor) or keepdim != Scalar(True) or "norm" in short(op.name):
        return None
    dims, rank = integers([op.argument("dim", "axis", at=1)]), len(given.shape)
    return frozenset(dim % rank for dim in dims) if rank and dims is not None else None


def _undone(op: Op, lineage: Lineage, log: Log, tree: Tree, used: dict[int, int]) -> Iterator[Finding]:
    """A dim that is split and put together again at once, as `view(B, g, C // g, H, W)` and `view(B, -1, H, W)`."""
    parts, maker = op.args[0], lineage.maker(op.args[0])
    while (
        maker is not None
        and short(maker.name) in _COPIES
        and isinstance(parts, Tensor)
        and used[parts.id] == 1
    ):
        parts, maker = maker.args[0], lineage.maker(maker.args[0])
    if not isinstance(parts, Tensor) or maker is None or used[parts.id] != 1 or maker.frame != op.frame:
        return
    whole = maker.args[0] if short(maker.name) in _VIEWS else None
    assert isinstance(op.result, Tensor)
    if (
        not isinstance(whole, Tensor)
        or whole.shape != op.result.shape
        or len(parts.shape) <= len(whole.shape)
    ):
        return
    if log.frames[op.frame].scope == "<module>" or not _follow(tree, maker, op):
        return
    yield found_at(
        RULE,
        op.span,
        f"{list_of(whole.shape)} was split into {list_of(parts.shape)}, and is put together again as it was: nothing has "
        "changed. A transpose between the two would.",
        related=[Related(maker.span, "split here")],
    )


def _uses(log: Log) -> dict[int, int]:
    """How many ops were given each tensor, by its id; a `contiguous` that had nothing to do is none."""
    found: dict[int, int] = {}
    for event in log.events:
        if isinstance(event, Op) and not (short(event.name) in _COPIES and _is_given_back(event)):
            for tensor in {one.id: one for arg in event.args for one in tensors(arg)}:
                found[tensor] = found.get(tensor, 0) + 1
    return found


def _is_given_back(op: Op) -> bool:
    """Whether an op gives the very tensor that it was given."""
    first = op.args[0] if op.args else None
    return isinstance(first, Tensor) and isinstance(op.result, Tensor) and first.id == op.result.id


def _follow(tree: Tree, first: Op, last: Op) -> bool:
    """Whether two calls stand in statements that follow each other in one block, with nothing that branches between."""
    places = tree.course.places
    statements = [
        None if node is None else places.statement(node)
        for node in (tree.at(first.span, ast.Call), tree.at(last.span, ast.Call))
    ]
    one, other = statements
    if one is None or other is None:
        return False
    block = places.block(one)
    if other not in block:
        return False
    inside = block[block.index(one) : block.index(other) + 1]
    return bool(inside) and all(isinstance(each, (ast.Assign, ast.Expr, ast.Return)) for each in inside)


def _with_itself(op: Op, tree: Tree) -> Iterator[Finding]:
    """`torch.maximum(a, a)`, as it is written."""
    if len(op.args) != 2 or op.args[0] != op.args[1]:
        return
    node = tree.at(op.span, ast.expr)
    if isinstance(node, ast.BinOp):
        written = [node.left, node.right]
    elif isinstance(node, ast.Call):
        written = list(node.args)
        if isinstance(node.func, ast.Attribute) and len(written) == 1:
            written.insert(0, node.func.value)
    else:
        return
    if len(written) == 2 and ast.dump(written[0]) == ast.dump(written[1]):
        yield found_at(
            RULE,
            op.span,
            f"{short(op.name)} of {ast.unparse(written[0])} and itself is {ast.unparse(written[0])}.",
        )
