"""Two shapes that do not broadcast: torch's own message, and the shapes aligned as broadcasting aligns them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..fixes.edits import append
from ..queries.broadcasts import back_broadcasts
from ..queries.lineage import ELEMENTWISE, short
from ..vocabulary.events import Log, Op, Sizes, Tensor
from ..vocabulary.findings import Finding, Fix
from .tree import Tree

RULE = "broadcast-incompatible"
_TORCH = re.compile(
    r"The size of tensor a \(\d+\) must match the size of tensor b \(\d+\) at non-singleton dimension \d+"
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every op that torch refuses because its operands do not broadcast."""
    told = {id(found.op) for found in back_broadcasts(log)}  # that rule knows the cause
    for op in log.events:
        if not isinstance(op, Op) or op.failure is None or op.failure.caught or id(op) in told:
            continue
        if _TORCH.match(op.failure.message) is None:
            continue
        operands = [arg for arg in op.args if isinstance(arg, Tensor)]
        shown = "".join("\n" + row for row in aligned([operand.shape for operand in operands]))
        yield Finding(
            RULE, op.span, "error", op.failure.message + shown, op.failure.message, (), _fixes(op, tree)
        )


def aligned(shapes: list[Sizes]) -> list[str]:
    """Shapes one below the other, right-aligned dim by dim, the dims that disagree marked below."""
    rank = max((len(shape) for shape in shapes), default=0)
    columns = [
        [_shown(shape[dim]) if -dim <= len(shape) else "" for shape in shapes] for dim in range(-rank, 0)
    ]
    widths = [max(map(len, column)) for column in columns]
    clashes = [len({text for text in column if text not in ("", "1", "?")}) > 1 for column in columns]
    rows = [
        " ".join(column[row].rjust(width) for column, width in zip(columns, widths))
        for row in range(len(shapes))
    ]
    rows.append(" ".join(("^" * width if clash else " " * width) for clash, width in zip(clashes, widths)))
    return ["  " + row.rstrip() for row in rows if row.strip()]


def _shown(size: int | None) -> str:
    return "?" if size is None else str(size)


def _fixes(op: Op, tree: Tree) -> tuple[Fix, ...]:
    """The one change that makes it fit, if there is exactly one."""
    node = tree.at(op.span, ast.BinOp)
    if node is None or short(op.name) not in ELEMENTWISE or len(op.args) != 2:
        return ()
    left, right = op.args
    if not isinstance(left, Tensor) or not isinstance(right, Tensor):
        return ()
    fitting: list[tuple[ast.expr, str]] = []
    for operand, mine, other in ((node.left, left.shape, right.shape), (node.right, right.shape, left.shape)):
        for text, shape in _changed(mine, len(other)):
            if _fit(shape, other):
                fitting.append((operand, text))
    if len(fitting) != 1:
        return ()
    operand, text = fitting[0]
    return (Fix(f"add {text}", "unsafe", (append(tree.text, operand, text),)),)


def _changed(shape: Sizes, rank: int) -> Iterator[tuple[str, Sizes]]:
    """What may be written behind an operand, and the shape it gives."""
    if len(shape) >= 2 and rank >= 2 and shape[-1] != shape[-2]:
        yield ".mT", (*shape[:-2], shape[-1], shape[-2])
    for count in range(1, rank - len(shape) + 1):
        text = ".unsqueeze(-1)" if count == 1 else "[..., " + ", ".join(["None"] * count) + "]"
        yield text, shape + (1,) * count


def _fit(left: Sizes, right: Sizes) -> bool:
    """Whether two shapes surely broadcast to one of the two."""
    if None in left or None in right:
        return False
    rank = max(len(left), len(right))
    pairs = list(zip((1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right))
    if any(a != b and 1 not in (a, b) for a, b in pairs):
        return False
    joint = tuple(b if a == 1 else a for a, b in pairs)
    return joint in (left, right)
