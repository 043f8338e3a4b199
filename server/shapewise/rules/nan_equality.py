"""A comparison with nan: never equal, not even to itself."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.arithmetic import computed
from ..program.tensors import is_tensor
from ..program.values import PATH, Value
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import fix, found, name_for

RULE = "nan-equality"
_NANS = ("math.nan", "numpy.nan", "numpy.NaN", "numpy.NAN", "torch.nan")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every `==` and `!=` with nan, and what stands for them."""
    for sign, always in (("==", "False"), ("!=", "True")):
        for event, left, right in computed(tree.course, sign):
            node = event.node
            if not (_is_nan(left) or _is_nan(right)) or (
                isinstance(node, ast.Compare) and len(node.ops) != 1
            ):
                continue
            fixes: tuple[Fix, ...] = ()
            if isinstance(node, ast.Compare):
                other, shown = (right, node.comparators[0]) if _is_nan(left) else (left, node.left)
                fixes = _fixes(log, tree, node, other, shown, sign)
            yield found(
                RULE,
                tree,
                node,
                f"nan is equal to nothing, not even to itself: this is always {always}. Ask torch.isnan.",
                *fixes,
            )


def _is_nan(value: Value) -> bool:
    if value.by == PATH:
        return value.path in _NANS
    if value.by in ("torch.tensor", "torch.as_tensor") and value.args:
        return _is_nan(value.args[0])
    return isinstance(value.const, float) and math.isnan(value.const)


def _fixes(
    log: Log, tree: Tree, node: ast.Compare, other: Value, shown: ast.expr, sign: str
) -> tuple[Fix, ...]:
    span = tree.span(node)
    known = is_tensor(other) or any(
        isinstance(op, Op) and op.span == span and any(isinstance(arg, Tensor) for arg in op.args)
        for op in log.events
    )
    name = name_for(tree, "torch.isnan")
    if not known or name is None:
        return ()
    text = f"{'~' if sign == '!=' else ''}{name}({source(tree.text, shown)})"
    return (fix("ask isnan", replace(tree.text, node, text), safe=True),)
