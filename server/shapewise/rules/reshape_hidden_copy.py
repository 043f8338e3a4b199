"""A reshape that copies the same tensor in every round of a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..queries.lineage import lineage_of, short
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Related
from .found import found
from .tree import Tree

RULE = "reshape-hidden-copy"
_COPIES = frozenset(("reshape", "flatten", "contiguous", "ravel", "reshape_as"))


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every copy inside a loop of a tensor that is made, not contiguous, outside of it and not written to."""
    lineage = lineage_of(log)
    written = {
        op.args[0].storage
        for op in log.events
        if isinstance(op, Op) and op.args and isinstance(op.args[0], Tensor) and _writes(short(op.name))
    }
    for op in log.events:
        if not isinstance(op, Op) or op.failure is not None or short(op.name) not in _COPIES:
            continue
        given, made = op.args[0] if op.args else None, op.result
        if not isinstance(given, Tensor) or not isinstance(made, Tensor) or given.contiguous is not False:
            continue
        turn, node = lineage.maker(given), tree.at(op.span, ast.Call)
        if made.storage == given.storage or turn is None or node is None or given.storage in written:
            continue
        if len(turn.modes.rounds) >= len(op.modes.rounds) or turn.frame != op.frame:
            continue
        yield found(
            RULE,
            tree,
            node,
            f"{short(op.name)} copies here, because the tensor is not contiguous since {short(turn.name)}"
            f"{_bytes(made)}: the same copy in every round. Make it once, before the loop.",
            related=[Related(turn.span, f"{short(turn.name)} makes it non-contiguous here")],
        )


def _writes(name: str) -> bool:
    return name == "[]=" or (name.endswith("_") and not name.endswith("__"))


def _bytes(made: Tensor) -> str:
    total = made.itemsize
    for size in made.shape:
        if not isinstance(size, int) or total is None:
            return ""
        total *= size
    return "" if total is None else f" ({total:,} bytes)"
