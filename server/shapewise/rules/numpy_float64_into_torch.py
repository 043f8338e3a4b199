"""Numbers of numpy's default dtype in torch: float64 meets float32, which it turns into float64 or refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import append
from ..queries.lineage import ELEMENTWISE, Lineage, lineage_of, short
from ..vocabulary.events import Log, Op, Other, Tensor
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "numpy-float64-into-torch"
_TAKES = frozenset(("from_numpy", "as_tensor", "tensor", "asarray"))
_ASKS = ("double", "to", "type")
_LONGEST = 30
"""Ops that are followed from a meeting back to the array."""
_WIDENED = (
    "numpy's floats are float64, and so is this tensor: with float32 beside it everything becomes float64, at twice the "
    "memory and many times the time of a GPU. Add .float()."
)
_REFUSED = "numpy's floats are float64, and so is this tensor: the float32 weights that it meets refuse it. Add .float()."


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every array of float64 made a tensor that then meets float32, and nowhere is made float32."""
    lineage = lineage_of(log)
    asked = {
        op.args[0].id
        for op in log.events
        if isinstance(op, Op) and short(op.name) in _ASKS and op.args and isinstance(op.args[0], Tensor)
    }
    for meeting in log.events:
        if not isinstance(meeting, Op):
            continue
        refused = _is_refused(meeting)
        if not refused and not _mixes(meeting):
            continue
        for tensor in meeting.args:
            if not isinstance(tensor, Tensor) or tensor.dtype != "float64":
                continue
            taken = None if tensor.id in asked else _taken(tensor, lineage)
            call = (
                None
                if taken is None or log.frames[taken.frame].file != log.file
                else tree.at(taken.span, ast.Call)
            )
            if call is None:
                continue
            yield found(
                RULE,
                tree,
                call,
                _REFUSED if refused else _WIDENED,
                fix("add .float()", append(tree.text, call, ".float()")),
                related=[Related(meeting.span, "it meets float32 here")],
            )


def _is_refused(op: Op) -> bool:
    """Whether torch refuses float64 where the weights are float32."""
    if op.failure is None:
        return False
    given = {one.dtype for one in op.failure.operands}
    return {"float32", "float64"} <= given or op.failure.message.startswith("RNN input dtype (torch.float64)")


def _mixes(op: Op) -> bool:
    """Whether float64 and float32 tensors meet and float64 comes out."""
    if op.failure is not None or short(op.name) not in ELEMENTWISE or not isinstance(op.result, Tensor):
        return False
    given = {arg.dtype for arg in op.args if isinstance(arg, Tensor) and arg.shape != ()}
    return {"float32", "float64"} <= given and op.result.dtype == "float64"


def _taken(tensor: Tensor, lineage: Lineage) -> Op | None:
    """The call that made a tensor of an array, if it alone gave it its dtype and none was asked for on the way."""
    for _ in range(_LONGEST):
        op = lineage.maker(tensor)
        if op is None or short(op.name) in _ASKS:
            return None
        if short(op.name) in _TAKES and op.name.startswith("torch."):
            array = op.args[0] if op.args else None
            asked = len(op.args) > 1 or any(name == "dtype" for name, _ in op.kwargs)
            return op if isinstance(array, Other) and array.type == "ndarray" and not asked else None
        wide = {arg.id: arg for arg in op.args if isinstance(arg, Tensor) and arg.dtype == "float64"}
        if len(wide) != 1:
            return None
        (tensor,) = wide.values()
    return None
