"""The dim that an op goes along: as it was called, and another one written in its place."""

from __future__ import annotations

import ast
from dataclasses import replace as replace_op

from ...edits.statements import replace
from ...queries.lineage import Lineage, short
from ...queries.values import integer
from ...vocabulary.events import Op
from ...vocabulary.findings import Fix
from ..telling.found import argument_node
from .tree import Tree

_MODULES = frozenset("torch th F functional nn.functional torch.nn.functional torch.special".split())


def dim_of(lineage: Lineage, op: Op, rank: int) -> int | None:
    """The one dim (from 0) that an op goes along, as it was called or its layer was made; None if it is not one number."""
    built = lineage.builder(op.args[0]) if op.name.endswith("()") else None
    if built is not None:
        op = replace_op(built, args=(built.result, *built.args))
    is_topk = short(op.name) == "topk"
    given = op.argument("dim", "axis", at=2 if is_topk else 1)
    if given is None and is_topk:
        return rank - 1
    dim = integer(given)
    return dim % rank if dim is not None and rank else None


def another_dim(tree: Tree, op: Op, dim: int | tuple[int, ...], title: str | None = None) -> tuple[Fix, ...]:
    """The repair that writes another dim where a function of torch's, or a method, is given one; none where that is not seen."""
    call = tree.at(op.span, ast.Call)
    if call is None or op.name.endswith("()"):
        return ()
    is_method = isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) not in _MODULES
    node = argument_node(call, "dim", 0 if is_method else 1)
    if node is None:
        return ()
    return (Fix(title or f"over dim {dim}", "unsafe", (replace(tree.text, node, str(dim)),)),)
