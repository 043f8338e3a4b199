"""A list of tensors where one tensor is wanted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...edits.statements import replace, source
from ...queries.lineage import short
from ...vocabulary.events import Group, Tensor
from ...vocabulary.findings import Fix
from ..telling.found import name_for

if TYPE_CHECKING:
    from ..asking.refusals import Refusal

_TAKE_LISTS = frozenset("cat concat concatenate stack hstack vstack dstack block_diag pad_sequence".split())
_MAKE_TENSORS = frozenset("tensor as_tensor FloatTensor Tensor".split())


def stacked(refusal: Refusal) -> Iterator[Fix]:
    """The tensors of a list, all of one shape, as one tensor; in the place of `torch.tensor(list)` too."""
    stack = name_for(refusal.tree, "torch.stack")
    if stack is None or short(refusal.op.name) in _TAKE_LISTS:
        return
    text = refusal.tree.text
    for arg, node in zip(refusal.op.args, refusal.written):
        if (
            not isinstance(arg, Group)
            or arg.kind != "list"
            or not isinstance(node, (ast.Name, ast.Attribute, ast.Call))
        ):
            continue
        parts = [one for one in arg.items if isinstance(one, Tensor)]
        if not parts or len(parts) != len(arg.items) or len({one.shape for one in parts}) > 1:
            continue
        call = refusal.tree.at(refusal.op.span, ast.Call)
        if call is not None and short(refusal.op.name) in _MAKE_TENSORS:
            whole: ast.expr = call if len(call.args) == 1 and not call.keywords else node
        else:
            whole = node
        new = f"{stack}({source(text, node)})"
        yield Fix(f"stack the list: {new}", "unsafe", (replace(text, whole, new),))
        if whole is node and len(parts[0].shape) > 1:
            joined = f"{stack.removesuffix('stack')}cat({source(text, node)}, dim=-1)"
            yield Fix(f"join the list: {joined}", "unsafe", (replace(text, whole, joined),))
