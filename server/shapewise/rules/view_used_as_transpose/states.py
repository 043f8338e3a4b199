"""The last states of a recurrent layer, `(layers, batch, width)`, seen as rows of several, for `view-used-as-transpose`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...edits.statements import replace, source
from ...queries.lineage import Lineage, lineage_of, short, tensors
from ...vocabulary import recurrent
from ...vocabulary.events import Log, Op, Tensor
from ...vocabulary.findings import Finding, Fix, Related
from ..asking.refusals import list_of
from ..asking.tree import Tree
from ..telling.found import found_at

RULE = "view-used-as-transpose"


def states_as_rows(op: Op, given: Tensor, made: Tensor, log: Log, tree: Tree) -> Iterator[Finding]:
    """`h.view(-1, 2 * width)`, `h.view(batch, -1)`: each row is made of the states of several samples, not of one in several layers."""
    lineage = lineage_of(log)
    if len(given.shape) != 3 or len(made.shape) not in (2, 3) or None in (*given.shape, *made.shape):
        return
    layers, batch, width = given.shape
    if (
        1 in (layers, batch)
        or made.shape[-1] == width
        or not isinstance(width, int)
        or made.shape[-1] in (0, 1)
    ):
        return
    last = made.shape[-1]
    if not isinstance(batch, int) or not isinstance(last, int) or last % width or last % (batch * width) == 0:
        return  # whole layers
    layer = _of_states(lineage, given)
    if layer is None:
        return
    yield found_at(
        RULE,
        op.span,
        f"{short(op.name)} from {list_of(given.shape)} to {list_of(made.shape)} reads in the order of memory: a row is made of the "
        f"states of {last // width} samples, not of one sample in {layers} layers or directions. Turn the dims first: "
        "transpose(0, 1).",
        *_fixes(op, tree),
        related=[Related(layer.span, f"the states are (layers, batch, width) = {list_of(given.shape)}")],
    )


def _of_states(lineage: Lineage, tensor: Tensor) -> Op | None:
    """The recurrent layer whose last states, or some layers of them, a tensor is."""
    for _ in range(4):
        op = lineage.maker(tensor)
        if op is None or op.failure is not None:
            return None
        if op.name in recurrent.RUN:
            return op if tensor != next(tensors(op.result), None) else None
        inner = op.args[0] if op.args else None
        if short(op.name) not in ("[]", "dropout", "contiguous", "detach", "Dropout()") or not isinstance(
            inner, Tensor
        ):
            return None
        if len(inner.shape) != 3 or inner.shape[1:] != tensor.shape[1:]:
            return None
        tensor = inner
    return None


def _fixes(op: Op, tree: Tree) -> tuple[Fix, ...]:
    call = tree.at(op.span, ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or ast.unparse(call.func.value) == "torch":
        return ()
    whole, inner = source(tree.text, call), source(tree.text, call.func.value)
    rest = whole[len(inner) :].removeprefix(f".{call.func.attr}")
    if not whole.startswith(inner) or not rest.startswith("("):
        return ()
    return (
        Fix(
            "turn the dims first",
            "unsafe",
            (replace(tree.text, call, f"{inner}.transpose(0, 1).reshape{rest}"),),
        ),
    )
