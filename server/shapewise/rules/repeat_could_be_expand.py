"""repeat of dims of size 1 that is only read: expand shows the same numbers without a copy."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..queries.lineage import short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Scalar, Size, Tensor
from ..vocabulary.findings import Finding
from .asking.refusals import list_of
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "repeat-could-be-expand"
_NEEDS_MEMORY = frozenset(
    ("view", "numpy", "data_ptr", "as_strided", "set_", "share_memory_", "requires_grad_")
)
_FEWEST = 2


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every repeat that repeats only dims of size 1, whose result nothing writes to or needs in one piece."""
    touched = _touched(log)
    for op in ops_of(log, ("repeat",)):
        if not op.args:
            continue
        given, made = op.args[0], op.result
        call = tree.at(op.span, ast.Call)
        if not isinstance(given, Tensor) or not isinstance(made, Tensor) or call is None:
            continue
        sizes = _expanded(op, given, made)
        if sizes is None or made.storage in touched or not isinstance(call.func, ast.Attribute):
            continue
        if not any(isinstance(s, int) and s >= _FEWEST for s in sizes):
            continue
        asked = ", ".join(_written(tree, call, sizes))
        yield found(
            RULE,
            tree,
            call,
            f"this copies {list_of(given.shape)} into {list_of(made.shape)}, and it is only read. expand({asked}) "
            "gives the same numbers without memory of its own.",
            fix(
                f"use expand({asked})",
                replace(tree.text, call, f"{source(tree.text, call.func.value)}.expand({asked})"),
            ),
        )


def _expanded(op: Op, given: Tensor, made: Tensor) -> list[Size] | None:
    """What expand would be asked for: -1 for a dim that stays. None if it cannot do what repeat does."""
    times = [arg.value for arg in op.args[1:] if isinstance(arg, Scalar) and type(arg.value) is int]
    if len(times) != len(op.args) - 1 or len(times) != len(made.shape):
        return None
    new = len(made.shape) - len(given.shape)
    sizes: list[Size] = []
    for dim, count in enumerate(times):
        before = None if dim < new else given.shape[dim - new]
        if count != 1 and before not in (None, 1):
            return None
        if dim >= new and before is None:
            return None
        sizes.append(count if dim < new or count != 1 else -1)
    return sizes


def _written(tree: Tree, call: ast.Call, sizes: list[Size]) -> Iterator[str]:
    """The sizes as the call has them."""
    for size, node in zip(sizes, call.args):
        yield "-1" if size == -1 else source(tree.text, node)


def _touched(log: Log) -> set[int]:
    """The memory that something writes to, or needs in one piece."""
    found: set[int] = set()
    for op in log.events:
        if isinstance(op, Op) and op.args and isinstance(op.args[0], Tensor):
            name = short(op.name)
            if (
                name in _NEEDS_MEMORY
                or name == "[]="
                or name.endswith("=")
                and name not in ("==", "!=", "<=", ">=")
                or name.endswith("_")
                and not name.endswith("__")
            ):
                found.add(op.args[0].storage)
    return found
