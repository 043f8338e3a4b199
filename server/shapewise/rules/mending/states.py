"""First states of recurrent layers whose sizes are made in another order, or taken of another dim, than the layer reads them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...edits.statements import replace, source
from ...queries.lineage import tensors
from ...vocabulary.findings import Edit, Fix

if TYPE_CHECKING:
    from ..asking.refusals import Refusal


def of_the_batch(refusal: Refusal, match: re.Match[str]) -> Iterator[Fix]:
    """States made as (batch, layers, width), or as long as there are steps: mended in all of them where they are made."""
    wanted, given = ([int(one) for one in re.findall(r"\d+", match[name])] for name in ("wanted", "given"))
    if len(given) != 3 or len(wanted) != 3 or [wanted[0], wanted[2]] != [given[0], given[2]]:
        turned = len(given) == 3 and wanted == [given[1], given[0], given[2]]
        if not turned:
            return
    else:
        turned = False
    text, edits = refusal.tree.text, list[Edit]()
    for sizes in _made(refusal, given):
        if len(sizes) != 3:
            return
        if turned:
            one, other = (source(text, node) for node in sizes[:2])
            edits += [replace(text, sizes[0], other), replace(text, sizes[1], one)]
        elif (dim := _dim_of(sizes[1])) is not None:
            edits.append(replace(text, dim, "1" if dim.value == 0 else "0"))
        else:
            return
    if edits:
        title = "the layers first, then the batch" if turned else "as many as the batch has"
        yield Fix(title, "unsafe", tuple(dict.fromkeys(edits)))


def _made(refusal: Refusal, given: list[int]) -> Iterator[list[ast.expr]]:
    """The sizes that each of the states is made of, as they are written."""
    for tensor in (one for arg in refusal.op.args for one in tensors(arg) if list(one.shape) == given):
        maker = refusal.lineage.maker(tensor)
        call = refusal.tree.at(maker.span, ast.Call) if maker is not None and refusal.here(maker) else None
        sizes: list[ast.expr] = [] if call is None else list(call.args)
        yield list(sizes[0].elts) if len(sizes) == 1 and isinstance(sizes[0], ast.Tuple) else sizes


def _dim_of(size: ast.expr) -> ast.Constant | None:
    """The 1 of `x.size(1)` and `x.shape[1]`, or the 0."""
    at: ast.expr | None = None
    if isinstance(size, ast.Call) and isinstance(size.func, ast.Attribute) and size.func.attr == "size":
        at = size.args[0] if len(size.args) == 1 else None
    elif isinstance(size, ast.Subscript) and isinstance(size.value, ast.Attribute):
        at = size.slice if size.value.attr == "shape" else None
    return at if isinstance(at, ast.Constant) and at.value in (0, 1) else None
