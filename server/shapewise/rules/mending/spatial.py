"""Convolutions that leave pixels, or steps, away, where as many are wanted as there were."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...edits.calls import add_keyword
from ...queries.lineage import short
from ...queries.values import integer
from ...vocabulary.events import Group, Op
from ...vocabulary.findings import Fix
from ..telling.found import argument_node

if TYPE_CHECKING:
    from ..asking.refusals import Refusal

_ABOUT_SIZES = re.compile(
    r"The size of tensor a|Sizes of tensors must match|Using a target size|Target size|input and target batch or spatial"
)
_CONVOLUTIONS = re.compile(r"Conv(?P<turned>Transpose)?[123]d\Z")


class _Lacking(NamedTuple):
    """A layer that is built, and the keyword that would leave its output as large as its input, or as what it goes back to."""

    call: ast.Call
    keyword: str
    turned: bool


def as_large_as_before(refusal: Refusal, before: Sequence[Op]) -> Iterator[Fix]:
    """`output_padding` for strided transposed convolutions, `padding` for the others: for each alone, and for all of a kind."""
    if not _ABOUT_SIZES.match(refusal.message):
        return
    found = list(dict.fromkeys(_lacking(refusal, before)))
    text = refusal.tree.text
    for turned in (True, False):
        some = [one for one in found if one.turned is turned]
        for one in some if len(some) <= _ALONE else ():
            edit = add_keyword(text, one.call, one.keyword)
            yield Fix(f"{one.keyword} in {ast.unparse(one.call)}", "unsafe", (edit,))
        if len(some) > 1:
            edits = tuple(add_keyword(text, one.call, one.keyword) for one in some)
            name = ast.unparse(some[0].call.func)
            yield Fix(f"{some[0].keyword} in each {name}", "unsafe", edits)


_ALONE = 4
"""Layers of which each is tried alone."""


def _lacking(refusal: Refusal, before: Sequence[Op]) -> Iterator[_Lacking]:
    for op in before:
        built = refusal.lineage.builder(op.args[0]) if op.name.endswith("()") and op.args else None
        for one in _parts(refusal, built):
            match = _CONVOLUTIONS.match(short(one.name))
            call = refusal.tree.at(one.span, ast.Call) if match is not None and refusal.here(one) else None
            if match is None or call is None:
                continue
            kernel, stride = _number(one, "kernel_size", 2, 0), _number(one, "stride", 3, 1)
            if match["turned"] and stride > 1 and argument_node(call, "output_padding", 5) is None:
                yield _Lacking(call, f"output_padding={stride - 1}", True)
            elif not match["turned"] and kernel % 2 and kernel > 1 and stride == 1:
                if argument_node(call, "padding", 4) is None:
                    yield _Lacking(call, f"padding={kernel // 2}", False)


def _parts(refusal: Refusal, built: Op | None) -> Iterator[Op]:
    """A layer, or those that a sequence of layers is made of."""
    if built is None:
        return
    if short(built.name) != "Sequential":
        yield built
        return
    for part in built.args:
        yield from _parts(refusal, refusal.lineage.builder(part))


def _number(op: Op, name: str, position: int, default: int) -> int:
    value = op.argument(name, at=position)
    if isinstance(value, Group) and len(set(value.items)) == 1:
        value = value.items[0]
    number = integer(value)
    return default if number is None else number
