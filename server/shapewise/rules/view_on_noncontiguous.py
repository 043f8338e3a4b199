"""A view that memory laid out like this cannot give: torch raises, reshape would copy."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.edits import replace_attribute
from ..queries.lineage import Lineage, short
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .tree import Tree

RULE = "view-on-noncontiguous"
_TORCH = "view size is not compatible with input tensor's size and stride"
_INSTEAD = {"view": "reshape", "view_as": "reshape_as"}


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every view that torch refuses for its strides."""
    lineage = Lineage(log)
    for op in log.events:
        if not isinstance(op, Op) or op.failure is None or op.failure.caught:
            continue
        if not op.failure.message.startswith(_TORCH) or not op.args or not isinstance(op.args[0], Tensor):
            continue
        tensor = op.args[0]
        culprit = _made_noncontiguous(tensor, lineage)
        shown = f"Here: shape {list(tensor.shape)}, stride {tensor.stride}"
        related: tuple[Related, ...] = ()
        if culprit is not None:
            shown += f", not contiguous since {short(culprit.name)}"
            related = (
                Related(
                    culprit.span, f"{short(culprit.name)} makes it non-contiguous, stride {tensor.stride}"
                ),
            )
        yield Finding(
            RULE,
            op.span,
            "error",
            f"{op.failure.message}\n{shown}.",
            op.failure.message,
            related,
            _fixes(op, tree),
        )


def _made_noncontiguous(tensor: Tensor, lineage: Lineage) -> Op | None:
    """The op that turned contiguous memory into this layout."""
    seen: set[int] = set()
    while tensor.id not in seen:
        seen.add(tensor.id)
        op = lineage.maker(tensor)
        if op is None:
            return None
        source = next(
            (arg for arg in op.args if isinstance(arg, Tensor) and arg.storage == tensor.storage), None
        )
        if source is None or source.contiguous:
            return op
        tensor = source
    return None


def _fixes(op: Op, tree: Tree) -> tuple[Fix, ...]:
    call = tree.at(op.span, ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr not in _INSTEAD:
        return ()
    instead = _INSTEAD[call.func.attr]
    return (Fix(f"use {instead}", "safe", (replace_attribute(tree.text, call.func, instead),)),)
