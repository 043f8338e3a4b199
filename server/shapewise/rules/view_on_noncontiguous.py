"""A view that memory laid out like this cannot give: torch raises, reshape would copy."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import replace_attribute
from ..program.ranks import Ranks, ranks_in
from ..program.values import Value, number
from ..queries.lineage import Lineage, short, told
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import found

RULE = "view-on-noncontiguous"
_TORCH = "view size is not compatible with input tensor's size and stride"
_INSTEAD = {"view": "reshape", "view_as": "reshape_as"}


_HEADS = 4
_SWAPPED = ((0, 2, 1, 3), (1, 2), (2, 1))


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every view that torch refuses for its strides, also where no run comes and the text says it."""
    yield from _refused(log, tree)
    ran = {op.span for op in log.events if isinstance(op, Op)}
    for event in tree.course.calls(".view"):
        if tree.span(event.node) in ran or event.value is None or event.on is None:
            continue
        ranks = ranks_in(tree.course)
        asked = ranks.asked_of(event.value)
        if asked is not None and asked < _HEADS and _is_swapped_product(event.on, ranks):
            yield found(
                RULE,
                tree,
                event.node,
                f"view cannot join dims that {event.on.short()} has moved: they do not lie one behind the other in memory. "
                "Write reshape, which copies then.",
                *_fixes(event.node, tree),
            )


def _is_swapped_product(value: Value, ranks: Ranks) -> bool:
    """Whether it is a product of matrices, which is new memory, with its two middle dims swapped: heads and steps."""
    if (
        value.by not in (".permute", ".transpose")
        or value.on is None
        or value.on.by not in ("@", "torch.matmul", ".matmul")
    ):
        return False
    dims = value.args[0].args if len(value.args) == 1 and value.args[0].by == "tuple" else value.args
    return tuple(map(number, dims)) in _SWAPPED and (
        len(dims) == _HEADS or ranks.of(value.on).least >= _HEADS
    )


def _refused(log: Log, tree: Tree) -> Iterator[Finding]:
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
            shown += f", not contiguous since {told(culprit.name)}"
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
            _fixes(tree.at(op.span, ast.Call), tree),
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


def _fixes(call: ast.AST | None, tree: Tree) -> tuple[Fix, ...]:
    if (
        not isinstance(call, ast.Call)
        or not isinstance(call.func, ast.Attribute)
        or call.func.attr not in _INSTEAD
    ):
        return ()
    instead = _INSTEAD[call.func.attr]
    return (Fix(f"use {instead}", "safe", (replace_attribute(tree.text, call.func, instead),)),)
