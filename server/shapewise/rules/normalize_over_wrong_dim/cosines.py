"""Cosines along another dim than the vectors stand in, for `normalize-over-wrong-dim`."""

from __future__ import annotations

import ast

from ...edits.calls import add_keyword
from ...edits.statements import replace
from ...queries.lineage import Lineage, short
from ...queries.values import integer
from ...vocabulary.events import Op, Scalar, Tensor
from ...vocabulary.findings import Finding, Fix
from ..asking.refusals import list_of
from ..asking.tree import Tree
from ..asking.widths import width_of
from ..telling.found import argument_node, found_at

RULE = "normalize-over-wrong-dim"


def across_samples(lineage: Lineage, op: Op, tree: Tree) -> Finding | None:
    """A `cosine_similarity` along another dim than the last, where that is the width of a linear layer in one of both."""
    pair = [arg for arg in op.args if isinstance(arg, Tensor)]
    if short(op.name) not in ("cosine_similarity", "CosineSimilarity()") or len(pair) != 2:
        return None
    rank = max(len(one.shape) for one in pair)
    dim = _dim(lineage, op, rank) if min(len(one.shape) for one in pair) > 1 else None
    if dim is None or dim == rank - 1 or any(width_of(lineage, one, dim - rank) for one in pair):
        return None
    whole = max(pair, key=lambda one: len(one.shape))
    if all(width_of(lineage, one, -1) is None for one in pair) or 1 in (whole.shape[dim], whole.shape[-1]):
        return None
    return found_at(
        RULE,
        op.span,
        f"cosines along dim {dim} of {list_of(whole.shape)}, and what is compared stands in the last dim, which is as wide "
        "as a layer has it. Take them along dim -1.",
        *_fixes(op, tree),
    )


def _dim(lineage: Lineage, op: Op, rank: int) -> int | None:
    """The dim (from 0) along which it compares: 1 if nobody says so."""
    built = lineage.builder(op.args[0]) if op.name.endswith("()") else None
    asked, at = (built, 0) if built is not None else (op, 2)
    dim = integer(asked.argument("dim", at=at) or Scalar(1))
    return dim % rank if dim is not None and rank else None


def _fixes(op: Op, tree: Tree) -> tuple[Fix, ...]:
    call = tree.at(op.span, ast.Call)
    if call is None or op.name.endswith("()"):
        return ()
    node = argument_node(call, "dim", 2)
    edit = add_keyword(tree.text, call, "dim=-1") if node is None else replace(tree.text, node, "-1")
    return (Fix("along dim -1", "unsafe", (edit,)),)
