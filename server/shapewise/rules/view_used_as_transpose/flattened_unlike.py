"""Two tensors that were made one long list each, in different orders, for `view-used-as-transpose`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ...edits.calls import append
from ...queries.lineage import ELEMENTWISE, POINTWISE, Lineage, lineage_of, short
from ...queries.ops import ops_of
from ...queries.origins import before
from ...vocabulary.events import Log, Op, Size, Tensor
from ...vocabulary.findings import Finding, Fix, Related
from ..asking.refusals import list_of
from ..asking.tree import Tree
from ..asking.weights import PRODUCTS
from ..telling.found import found_at

RULE = "view-used-as-transpose"
_LOSSES = frozenset("cross_entropy nll_loss mse_loss l1_loss smooth_l1_loss binary_cross_entropy".split())
_LAYERS = frozenset("CrossEntropyLoss() NLLLoss() MSELoss() L1Loss() SmoothL1Loss() BCELoss()".split())
_LISTS = frozenset("view reshape flatten".split())
_SAME = frozenset("float long to clone detach contiguous log_softmax softmax squeeze sigmoid".split())


def flattened_unlike(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each loss, or op of two, of rows that were `(T, B)` in the one and `(B, T)` in the other."""
    lineage = lineage_of(log)
    for op in ops_of(log):
        if (
            short(op.name) in ("view", "reshape", "unflatten")
            and (found := _taken_apart(lineage, op)) is not None
        ):
            yield found
            continue
        if short(op.name) not in _LOSSES | _LAYERS | ELEMENTWISE:
            continue
        pair = [arg for arg in op.args if isinstance(arg, Tensor)][:2]
        if len(pair) != 2 or not pair[0].shape or pair[0].shape[:1] != pair[1].shape[:1]:
            continue
        one, other = (_rows_before(lineage, tensor) for tensor in pair)
        if one is None or other is None or not _are_turned(one[1], other[1]):
            continue
        yield found_at(
            RULE,
            op.span,
            f"the {pair[0].shape[0]} rows are {list_of(one[1])} in the one and {list_of(other[1])} in the other, each put into a "
            "list in its own order: what meets does not belong together. Turn the dims of one first.",
            *_fixes(one[0], tree),
            related=[
                Related(one[0].span, f"a list of {list_of(one[1])}"),
                Related(other[0].span, f"a list of {list_of(other[1])}"),
            ],
        )


def _taken_apart(lineage: Lineage, op: Op) -> Finding | None:
    """`(B, T, ...)` made of rows that were put together of `(T, B, ...)`, with layers in between."""
    given, made = op.args[0] if op.args else None, op.result
    if (
        not isinstance(given, Tensor)
        or not isinstance(made, Tensor)
        or not given.shape
        or len(made.shape) < 3
    ):
        return None
    merged = _merged(lineage, given)
    if merged is None or merged[1] == made.shape[:2] or merged[1][::-1] != made.shape[:2]:
        return None
    return found_at(
        RULE,
        op.span,
        f"{short(op.name)} takes dim 0 of {list_of(given.shape)} apart into {list_of(made.shape[:2])}, and it was put together of "
        f"{list_of(merged[1])}: each row lands elsewhere than it came from. Take it apart as it was, then turn the dims.",
        related=[Related(merged[0].span, f"put together of {list_of(merged[1])} here")],
    )


def _merged(lineage: Lineage, tensor: Tensor) -> tuple[Op, tuple[Size, ...]] | None:
    """The op that made one dim of the first two, with layers and ops of one row after another since, and both sizes."""
    rows = tensor.shape[0]
    for _ in range(12):
        op = lineage.maker(tensor)
        given = None if op is None else next((arg for arg in op.args if isinstance(arg, Tensor)), None)
        if op is not None and short(op.name) in PRODUCTS and len(tensor.shape) == 3:
            earlier = before(op, tensor, 0)  # each row of its own
            given = earlier[0] if earlier is not None and earlier[1] == 0 else None
        if op is None or given is None or op.failure is not None or rows in (None, 1):
            return None
        if short(op.name) in _LISTS and given.shape[:1] != (rows,):
            first = tuple(given.shape[:2])
            known = [size for size in first if isinstance(size, int) and size != 1]
            return (op, first) if len(known) == 2 and known[0] * known[1] == rows else None
        is_layer = op.name.startswith("nn.") and op.name.endswith("()")
        if given.shape[:1] != (rows,) or not (is_layer or short(op.name) in _BY_ROWS | POINTWISE | PRODUCTS):
            return None
        tensor = given
    return None


_BY_ROWS = frozenset(
    "view reshape flatten mean sum amax squeeze relu gelu dropout layer_norm softmax".split()
)


def _rows_before(lineage: Lineage, tensor: Tensor) -> tuple[Op, tuple[Size, ...]] | None:
    """The op that made a list of what had two dims or more, and the sizes of those that became its rows."""
    rows = tensor.shape[0]
    for _ in range(4):
        op = lineage.maker(tensor)
        given = op.args[0] if op is not None and op.args else None
        if op is None or not isinstance(given, Tensor):
            return None
        if short(op.name) in _LISTS:
            before = _that_are(given.shape, rows)
            return None if before is None else (op, before)
        if short(op.name) not in _SAME or given.shape[:1] != tensor.shape[:1]:
            return None
        tensor = given
    return None


def _that_are(shape: Sequence[Size], rows: Size) -> tuple[Size, ...] | None:
    """The first dims of a shape, two or more, that have as many elements as there are rows."""
    total = 1
    for at, size in enumerate(shape):
        if not isinstance(size, int):
            return None
        total *= size
        if total == rows and at > 0:
            return tuple(shape[: at + 1])
    return None


def _are_turned(one: Sequence[Size], other: Sequence[Size]) -> bool:
    """Whether the same sizes stand in another order."""
    mine, theirs = ([size for size in sizes if size != 1] for sizes in (one, other))
    return mine != theirs and len(mine) == len(theirs) == 2 and mine == theirs[::-1]


def _fixes(op: Op, tree: Tree) -> tuple[Fix, ...]:
    call = tree.at(op.span, ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or ast.unparse(call.func.value) == "torch":
        return ()
    if short(op.name) == "view":
        return ()
    turned = append(tree.text, call.func.value, ".transpose(0, 1)")
    return (Fix("turn the dims first", "unsafe", (turned,)),)
