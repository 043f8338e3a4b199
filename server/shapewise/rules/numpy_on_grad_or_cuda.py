"""`.numpy()` of a tensor that requires grad, or that lies on a GPU."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.statements import insert_before_dot
from ..queries.lineage import short
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding
from .found import fix, found
from .tree import Tree

RULE = "numpy-on-grad-or-cuda"
_GRAD = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such call."""
    for op in log.events:
        if not isinstance(op, Op) or short(op.name) != "numpy" or not op.args:
            continue
        tensor = op.args[0]
        if not isinstance(tensor, Tensor) or (op.failure is not None and op.failure.caught):
            continue
        if any(name == "force" for name, _ in op.kwargs):
            continue
        needed = ""
        error = ""
        if tensor.requires_grad:
            needed, error = ".detach()", _GRAD
        if tensor.device is not None and tensor.device.startswith("cuda"):
            needed += ".cpu()"
            error = error or (
                f"can't convert {tensor.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor "
                "to host memory first."
            )
        node = tree.at(op.span, ast.Call)
        if not needed or node is None or not isinstance(node.func, ast.Attribute):
            continue
        yield found(
            RULE,
            tree,
            node,
            error,
            fix(f"add {needed}", insert_before_dot(tree.text, node.func, needed), safe=True),
            torch_error=error,
        )
