"""`.numpy()` of a tensor that requires grad, or that lies on a GPU."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import append
from ..edits.statements import insert_before_dot
from ..queries.lineage import short
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "numpy-on-grad-or-cuda"
_GRAD = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
_ARRAYS = ("array", "asarray", "ascontiguousarray", "asanyarray")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such call, and on a machine with a card those of what lies there."""
    told: set[object] = set()
    for finding in (*_asked(log, tree), *_made_arrays(log, tree), *_of_parameters(tree)):
        told.add(finding.span)
        yield finding
    for finding in (
        _asked(log.on_a_card, tree, "On a machine with a card: ") if log.on_a_card is not None else ()
    ):
        if finding.span not in told:
            yield finding


def _asked(log: Log, tree: Tree, remark: str = "") -> Iterator[Finding]:
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
        yield _finding(tree, node, node.func, needed, error, remark)


def _made_arrays(log: Log, tree: Tree) -> Iterator[Finding]:
    """`np.array(x)` and `np.asarray(x)`, which ask for the same."""
    for op in log.events:
        if not isinstance(op, Op) or op.failure is None or op.failure.caught or not op.args:
            continue
        tensor, node = op.args[0], tree.at(op.span, ast.Call)
        if short(op.name) not in _ARRAYS or not isinstance(tensor, Tensor) or not tensor.requires_grad:
            continue
        if node is not None and node.args and op.failure.message.startswith(_GRAD[:20]):
            fixed = fix("add .detach()", append(tree.text, node.args[0], ".detach()"), safe=True)
            yield found(RULE, tree, node, _GRAD, fixed, torch_error=_GRAD)


def _of_parameters(tree: Tree) -> Iterator[Finding]:
    """`self.weight.numpy()`, also where nothing calls it."""
    for event in tree.course.calls(".numpy"):
        on, node = event.on, event.node
        if on is None or on.by != "torch.nn.Parameter" or event.kwargs or len(on.args) + len(on.kwargs) != 1:
            continue
        if any(one.by == "." and one.name == "requires_grad" for one in on.attrs.values()):
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield _finding(tree, node, node.func, ".detach()", _GRAD)


def _finding(
    tree: Tree, node: ast.Call, func: ast.Attribute, needed: str, error: str, remark: str = ""
) -> Finding:
    repair = fix(f"add {needed}", insert_before_dot(tree.text, func, needed), safe=True)
    return found(RULE, tree, node, remark + error, repair, torch_error=error)
