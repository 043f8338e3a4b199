"""What goes well with full batches, and not with the last, smaller one: a state that is as wide as the others were."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...edits.calls import add_keyword
from ...program.values import number
from ...queries.lineage import tensors
from ...vocabulary.events import Op, Tensor
from ...vocabulary.findings import Fix
from ..telling.found import argument_node

if TYPE_CHECKING:
    from ..asking.refusals import Refusal


def without_the_last(refusal: Refusal) -> Iterator[Fix]:
    """`drop_last=True` of the loaders whose batches were as large as what the same call was given before."""
    sizes = _sizes_before(refusal)
    if not sizes:
        return
    for event in refusal.tree.course.calls("torch.utils.data.DataLoader"):
        call = event.node
        if isinstance(call, ast.Call) and number(event.argument("batch_size", 1)) in sizes:
            if argument_node(call, "drop_last", 8) is None:
                edit = add_keyword(refusal.tree.text, call, "drop_last=True")
                yield Fix("leave out the last, smaller batch: drop_last=True", "unsafe", (edit,))


def _sizes_before(refusal: Refusal) -> set[int]:
    """The sizes of dims that the call was given before, in rounds that went well, where they are smaller now."""
    now, found = _given(refusal.op), set[int]()
    for op in refusal.log.events:
        if op is refusal.op:
            break
        if isinstance(op, Op) and op.span == refusal.op.span and op.failure is None:
            for was, one in zip(_given(op), now):
                pairs = [*zip(was.shape, one.shape)] if len(was.shape) == len(one.shape) else []
                differ = [(a, b) for a, b in pairs if a != b]
                if len(differ) == 1 and isinstance(differ[0][0], int) and isinstance(differ[0][1], int):
                    found |= {differ[0][0]} if differ[0][1] < differ[0][0] else set()
    return found


def _given(op: Op) -> list[Tensor]:
    return [one for arg in op.args for one in tensors(arg)]
