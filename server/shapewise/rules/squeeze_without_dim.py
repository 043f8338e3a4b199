"""squeeze() of a batch: a batch of one loses its first dim as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from ..edits.calls import insert_argument
from ..queries.lineage import short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Fix
from .asking.refusals import list_of
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "squeeze-without-dim"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every squeeze without a dim that drops one behind a first dim which is larger than one."""
    yield from _found(log, tree)
    if tree.tried is not None:
        ran = {op.span for op in log.events if isinstance(op, Op)}
        events = tuple(op for op in tree.tried.events if isinstance(op, Op) and op.span not in ran)
        yield from _found(replace(tree.tried, events=events), tree)


def _found(log: Log, tree: Tree) -> Iterator[Finding]:
    several = _sizes(log)
    for op in ops_of(log, ("squeeze",)):
        given = op.args[0] if op.args else None
        if not isinstance(given, Tensor) or len(op.args) > 1 or op.kwargs or not given.shape:
            continue
        ones = [dim for dim, size in enumerate(given.shape) if size == 1]
        call = tree.at(op.span, ast.Call)
        if call is None or not ones or given.shape[0] == 1 or _means_several(several[op.span], op):
            continue
        yield found(
            RULE,
            tree,
            call,
            f"squeeze() drops every dim of size 1. Here {list_of(given.shape)} loses dim {_said(ones, given)}; a batch "
            "of one would lose dim 0 as well. Name the dim.",
            *_fixes(tree, call, ones, given),
        )


def _means_several(runs: set[tuple[int, ...]], op: Op) -> bool:
    """Whether the runs of a call drop other dims; one that has lost its batch as well is the mistake itself."""
    given = op.args[0]
    assert isinstance(given, Tensor)
    return len({run[1:] if run[:1] == (-len(given.shape),) else run for run in runs}) > 1


def _sizes(log: Log) -> dict[object, set[tuple[int, ...]]]:
    """By place, which dims are of size 1 in its runs."""
    found: dict[object, set[tuple[int, ...]]] = {}
    for op in log.events:
        if isinstance(op, Op) and short(op.name) == "squeeze" and op.args and isinstance(op.args[0], Tensor):
            shape = op.args[0].shape
            ones = tuple(dim - len(shape) for dim, size in enumerate(shape) if size == 1)
            found.setdefault(op.span, set()).add(ones)
    return found


def _said(ones: list[int], given: Tensor) -> str:
    return " and ".join(str(dim - len(given.shape) if dim == len(given.shape) - 1 else dim) for dim in ones)


def _fixes(tree: Tree, call: ast.Call, ones: list[int], given: Tensor) -> Iterator[Fix]:
    if len(ones) == 1 and isinstance(call.func, ast.Attribute) and not call.args:
        dim = -1 if ones[0] == len(given.shape) - 1 else ones[0]
        yield fix(f"squeeze({dim})", insert_argument(tree.text, call, str(dim)))
