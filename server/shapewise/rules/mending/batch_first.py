"""A recurrent or attention layer that is to take the batch first."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...edits.calls import add_keyword
from ...queries.lineage import short, tensors
from ...vocabulary.events import Op, Scalar
from ...vocabulary.findings import Fix
from .change import Change

if TYPE_CHECKING:
    from ..asking.refusals import Refusal

_LAYERS = frozenset(
    "RNN LSTM GRU MultiheadAttention TransformerEncoderLayer TransformerDecoderLayer Transformer".split()
)
_STACKS = frozenset("TransformerEncoder TransformerDecoder".split())


def batch_first(refusal: Refusal, before: list[Op]) -> Iterator[Change]:
    """Of the refused call and what led to it (`before`) each such layer that takes time first and is given three dims."""
    for op in before if any(letter.isdigit() for letter in refusal.message) else ():  # it is about sizes
        built = refusal.lineage.builder(op.args[0]) if op.args else None
        if built is not None and short(built.name) in _STACKS and built.args:
            built = refusal.lineage.builder(built.args[0])
        if built is None or short(built.name) not in _LAYERS or not refusal.here(built):
            continue
        given = next((one for arg in op.args[1:] for one in tensors(arg)), None)
        said = built.argument("batch_first")
        call = refusal.tree.at(built.span, ast.Call)
        if call is None or said not in (None, Scalar(False)) or given is None or len(given.shape) != 3:
            continue
        fix = Fix("batch_first=True", "unsafe", (add_keyword(refusal.tree.text, call, "batch_first=True"),))
        yield Change(fix, op.span, lambda _: None, is_plain=True)
