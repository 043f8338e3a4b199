"""Half precision meets float32, and float32 comes out: what was saved is lost without a word."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..queries.lineage import ELEMENTWISE, Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Tensor
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import found

RULE = "accidental-promotion"
_HALF = ("bfloat16", "float16")
_ASKS = frozenset("to float double type type_as".split())
_INTEGERS = ("int64", "int32", "int16", "int8", "uint8", "bool")
"""Of these a float is made because one is needed, whichever."""
_ANCESTORS = 100


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every op of a half and a float32 tensor outside of autocast, neither of which was converted on purpose."""
    lineage = lineage_of(log)
    for op in ops_of(log, ELEMENTWISE):
        if op.modes.autocast is not None or not isinstance(op.result, Tensor):
            continue
        tensors = [arg for arg in op.args if isinstance(arg, Tensor) and arg.shape != ()]
        dtypes = [tensor.dtype for tensor in tensors]
        half = next((dtype for dtype in dtypes if dtype in _HALF), None)
        if half is None or "float32" not in dtypes or op.result.dtype != "float32":
            continue
        node = tree.at(op.span, ast.expr) or tree.at(op.span, ast.AugAssign)
        if node is None:
            continue
        if any(_on_purpose(tensor, lineage) for tensor in tensors if tensor.dtype == "float32"):
            continue
        yield found(
            RULE,
            tree,
            node,
            f"{half} and float32 give float32, at twice the memory: all that follows is float32 too. Convert one of "
            "them, so that it is said which is meant.",
        )


def _on_purpose(tensor: Tensor, lineage: Lineage) -> bool:
    """Whether what a tensor was computed from was converted to float32."""
    waiting, seen = [tensor], {tensor.id}
    while waiting and len(seen) < _ANCESTORS:
        op = lineage.maker(waiting.pop())
        if op is None:
            continue
        given = op.args[0] if op.args else None
        if short(op.name) in _ASKS and not (isinstance(given, Tensor) and given.dtype in _INTEGERS):
            return True
        for arg in op.args:
            if isinstance(arg, Tensor) and arg.dtype == "float32" and arg.id not in seen:
                seen.add(arg.id)
                waiting.append(arg)
    return False
