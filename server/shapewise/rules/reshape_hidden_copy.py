"""A reshape that copies the same tensor in every round of a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..queries.lineage import Lineage, lineage_of, short, told
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found

RULE = "reshape-hidden-copy"
_TURNS = frozenset("transpose permute t T mT swapaxes movedim swapdims adjoint".split())
"""Views whose arguments are dims, which no round chooses."""
_COPIES = frozenset(("reshape", "flatten", "contiguous", "ravel", "reshape_as"))


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every copy inside a loop of a tensor that is made, not contiguous, outside of it and not written to."""
    lineage = lineage_of(log)
    written = {
        op.args[0].storage
        for op in log.events
        if isinstance(op, Op) and op.args and isinstance(op.args[0], Tensor) and _writes(short(op.name))
    }
    again = _turned_in_each_round(log, lineage, tree)
    for op in ops_of(log, _COPIES):
        given, made = op.args[0] if op.args else None, op.result
        if not isinstance(given, Tensor) or not isinstance(made, Tensor) or given.contiguous is not False:
            continue
        turn, node = lineage.maker(given), tree.at(op.span, ast.Call)
        if made.storage == given.storage or turn is None or node is None or given.storage in written:
            continue
        if len(turn.modes.rounds) >= len(op.modes.rounds) or turn.frame != op.frame:
            if node not in again:
                continue
        yield found(
            RULE,
            tree,
            node,
            f"{short(op.name)} copies here, because the tensor is not contiguous since {told(turn.name)}"
            f"{_bytes(made)}: the same copy in every round. Make it once, before the loop.",
            related=[Related(turn.span, f"{short(turn.name)} makes it non-contiguous here")],
        )


def _turned_in_each_round(log: Log, lineage: Lineage, tree: Tree) -> set[ast.Call]:
    """The copies in loops of what is turned there too, and each time of the same tensor from outside."""
    sources: dict[ast.Call, set[int | None]] = {}
    for op in log.events:
        if not isinstance(op, Op) or short(op.name) not in _COPIES or not op.modes.rounds:
            continue
        node = tree.at(op.span, ast.Call)
        if node is not None and _in_loop(node, tree):
            turned = _turned_here(op, lineage)
            sources.setdefault(node, set()).add(None if turned is None else turned.storage)
    return {node for node, storages in sources.items() if len(storages) == 1 and None not in storages}


def _in_loop(node: ast.AST, tree: Tree) -> bool:
    """Whether a loop of the function in which it stands is around it."""
    for above in tree.course.places.above(node):
        if isinstance(above, (ast.For, ast.While)):
            return True
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            return False
    return False


def _turned_here(copy: Op, lineage: Lineage) -> Tensor | None:
    """What was turned by views of the same round alone, and is itself older than the round."""
    given = copy.args[0] if copy.args else None
    while isinstance(given, Tensor):
        maker = lineage.maker(given)
        if maker is None:
            return None
        if len(maker.modes.rounds) < len(copy.modes.rounds):
            return given
        if short(maker.name) not in _TURNS or maker.frame != copy.frame or not maker.args:
            return None
        given = maker.args[0]
    return None


def _writes(name: str) -> bool:
    return name == "[]=" or (name.endswith("_") and not name.endswith("__"))


def _bytes(made: Tensor) -> str:
    total = made.itemsize
    for size in made.shape:
        if not isinstance(size, int) or total is None:
            return ""
        total *= size
    return "" if total is None else f" ({total:,} bytes)"
