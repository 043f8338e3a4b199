"""A table that is longer than what it meets: `x + self.positions`, of which the first `x.size(1)` are meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...edits.calls import append
from ...edits.statements import source
from ...queries.lineage import ELEMENTWISE, short
from ...queries.resized import Shape
from ...vocabulary.events import Sizes, Tensor
from ...vocabulary.findings import Fix
from .change import Change

if TYPE_CHECKING:
    from ..asking.refusals import Refusal

_ALONG = ELEMENTWISE | {"masked_fill"}


def known(shape: Sizes) -> Shape | None:
    """The sizes, if all of them are numbers."""
    sizes = tuple(size for size in shape if isinstance(size, int))
    return sizes if len(sizes) == len(shape) else None


def of_longer(refusal: Refusal) -> Iterator[Change]:
    """The longer of two operands cut to the other, where that is a name and they clash in one dim."""
    op, nodes = refusal.op, refusal.written
    if short(op.name) not in _ALONG or len(nodes) < 2:
        return
    for mine, its in ((0, 1), (1, 0)):
        table, other, node, name = op.args[mine], op.args[its], nodes[mine], nodes[its]
        if not isinstance(table, Tensor) or not isinstance(other, Tensor):
            continue
        if not 1 < len(table.shape) <= len(other.shape):
            continue
        sizes = known(table.shape)
        away = len(other.shape) - len(table.shape)
        clashing = [
            at
            for at, size in enumerate(table.shape)
            if size != other.shape[at + away] and 1 not in (size, other.shape[at + away])
        ]
        if len(clashing) != 1:
            continue
        at = clashing[0]
        wanted = other.shape[at + away]
        as_long = _as_long(refusal, other, name, at + away)
        if sizes is None or as_long is None or not isinstance(wanted, int) or sizes[at] <= wanted:
            continue
        suffix = f"[{':, ' * at}:{source(refusal.tree.text, as_long)}.size({at + away})]"
        shape = (*sizes[:at], wanted, *sizes[at + 1 :])
        fix = Fix(f"add {suffix}", "unsafe", (append(refusal.tree.text, node, suffix),))
        is_table = isinstance(node, ast.Attribute) or shape != other.shape
        yield Change(fix, given={table.id: shape}, is_of_a_call=False, is_plain=is_table)


def _as_long(refusal: Refusal, tensor: Tensor, node: ast.expr, dim: int) -> ast.expr | None:
    """A name of something of the same size in a dim: the tensor's own, or what a layer made it from, `ids` of `embed(ids)`."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        return node
    maker = refusal.lineage.maker(tensor)
    if (
        maker is None
        or not isinstance(node, ast.Call)
        or len(node.args) != 1
        or not maker.name.endswith("()")
    ):
        return None
    given = next((arg for arg in maker.args if isinstance(arg, Tensor)), None)
    named = node.args[0] if isinstance(node.args[0], (ast.Name, ast.Attribute)) else None
    is_alike = given is not None and dim < len(given.shape) and given.shape[dim] == tensor.shape[dim]
    return named if is_alike else None
