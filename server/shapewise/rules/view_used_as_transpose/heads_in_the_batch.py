"""`(B, N, H * D)` seen as `(B * H, N, D)`, and back, for `view-used-as-transpose`: each head gets whole steps of some, not its share of each."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...edits.statements import replace, source
from ...queries.lineage import lineage_of, short
from ...queries.origins import origin
from ...vocabulary.events import Log, Op, Tensor
from ...vocabulary.findings import Finding, Fix, Related
from ..asking.refusals import list_of
from ..asking.tree import Tree
from ..asking.weights import PRODUCTS
from ..telling.found import found_at

RULE = "view-used-as-transpose"


def heads_in_the_batch(op: Op, given: Tensor, made: Tensor, log: Log, tree: Tree) -> Iterator[Finding]:
    """A view that takes a part of the last dim, the width of a layer, into the first one, over the steps between them."""
    whole, parts = given.shape, made.shape
    if len(whole) != 3 or len(parts) != 3 or None in whole or None in parts:
        return
    (batch, steps, width), (rows, kept, each) = whole, parts
    if kept != steps or 1 in (batch, steps, width, each) or rows == batch or each == width:
        return
    if isinstance(width, int) and isinstance(each, int) and (width % each or width < each):
        return
    found = origin(lineage_of(log), given, 2)
    if found is None or found.op.name != "nn.Linear()" or found.dim != len(found.tensor.shape) - 1:
        return
    yield found_at(
        RULE,
        op.span,
        f"{short(op.name)} from {list_of(whole)} to {list_of(parts)} deals the numbers out in the order of memory: each of the {rows} gets all of "
        f"some steps, and not a share of {each} of each of the {steps}. First split the last dim, then turn, then put it into the batch.",
        *_fixes(op, tree),
        related=[Related(found.op.span, f"the last dim is the width {width} of this layer")],
    )


def heads_out_of_the_batch(op: Op, given: Tensor, made: Tensor, log: Log, tree: Tree) -> Iterator[Finding]:
    """A view that takes a part of the first dim into the last one, over the steps between them, of what a product of matrices gave."""
    parts, whole = given.shape, made.shape
    if len(whole) != 3 or len(parts) != 3 or not all(isinstance(size, int) for size in (*whole, *parts)):
        return
    (rows, steps, each), (batch, kept, width) = parts, whole
    if kept != steps or 1 in (batch, steps, each) or rows == batch or width == steps:
        return
    makers = [maker for _, maker in lineage_of(log).behind(given) if maker is not None]
    product = next((maker for maker in makers if short(maker.name) in PRODUCTS), None)
    if product is None:
        return
    yield found_at(
        RULE,
        op.span,
        f"{short(op.name)} from {list_of(parts)} to {list_of(whole)} puts together what stands side by side in memory: several of the "
        f"{steps} of one head, and not all heads of one. First take the heads out of the batch, then turn: "
        f"unflatten(0, ({batch}, -1)).transpose(1, 2).flatten(2).",
        *_taken_out(op, tree),
        related=[Related(product.span, "made here")],
    )


def _fixes(op: Op, tree: Tree) -> tuple[Fix, ...]:
    call = tree.at(op.span, ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or len(call.args) != 3 or len(op.args) != 4:
        return ()
    before, each = source(tree.text, call.func.value), source(tree.text, call.args[-1])
    if each == "-1":
        return ()
    text = f"{before}.unflatten(-1, (-1, {each})).transpose(1, 2).flatten(0, 1)"
    return (Fix("split the last dim, then turn", "unsafe", (replace(tree.text, call, text),)),)


def _taken_out(op: Op, tree: Tree) -> tuple[Fix, ...]:
    call = tree.at(op.span, ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or len(call.args) != 3 or len(op.args) != 4:
        return ()
    before, batch = source(tree.text, call.func.value), source(tree.text, call.args[0])
    if batch == "-1":
        return ()
    text = f"{before}.unflatten(0, ({batch}, -1)).transpose(1, 2).flatten(2)"
    return (Fix("take the heads out first, then turn", "unsafe", (replace(tree.text, call, text),)),)
