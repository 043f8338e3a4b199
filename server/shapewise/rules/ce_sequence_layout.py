"""Logits of a sequence with their classes in the last dim, where a cross entropy takes dim 1."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..program.ops import losses
from ..program.ranks import ranks_in
from ..program.values import Value, flows_into, options_of, roots
from ..queries.lineage import lineage_of
from ..queries.ops import ops_of
from ..queries.origins import Origin, origin
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Related
from .asking.refusals import list_of, refusals
from .asking.tree import Tree
from .telling.found import found, found_at

RULE = "ce-sequence-layout"
_WITH_STEPS = 3
_TURNS = frozenset("transpose permute mT T t movedim swapaxes einsum rearrange".split())
_PATTERNS = (
    re.compile(r"Expected target size \["),
    re.compile(r"size mismatch \(got input: "),
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such loss: torch refuses it, unless there are as many classes as steps."""
    yield from _refused(log, tree)
    yield from _silent(log, tree)
    yield from _written(log, tree)


def _written(log: Log, tree: Tree) -> Iterator[Finding]:
    """Where no run comes, or none with known sizes: a linear layer has made the classes, in the last of three dims or more."""
    ran = {op.span for op in log.events if isinstance(op, Op) and not _is_of_any_size(op)}
    for loss in losses(tree.course):
        if loss.name != "cross_entropy" or tree.span(loss.event.node) in ran or not _is_last(loss.input):
            continue
        rank = ranks_in(tree.course).of(loss.input)
        if rank.least < _WITH_STEPS:
            continue
        yield found(
            RULE,
            tree,
            loss.event.node,
            "a linear layer has put the classes into the last dim, and of these logits, which have "
            f"{'' if rank.exact else 'at least '}{rank.least} dims, dim 1 is taken for them. Give the loss "
            ".transpose(1, -1), or logits and target flattened.",
        )


def _is_of_any_size(op: Op) -> bool:
    """Whether data decides a size, so that nothing is refused for certain."""
    return op.failure is None and any(isinstance(arg, Tensor) and None in arg.shape for arg in op.args)


def _is_last(logits: Value) -> bool:
    """Whether a linear layer made them, of what nothing has turned."""
    return all(
        one.by == "()"
        and bool(roots(one.on))
        and all(layer.by == "torch.nn.Linear" for layer in roots(one.on))
        for one in options_of(logits)
    ) and not any(one.short() in _TURNS for one in flows_into(logits, 8))


def _refused(log: Log, tree: Tree) -> Iterator[Finding]:
    for refusal in refusals(log, tree, *_PATTERNS):
        if len(refusal.operands) < 2:
            continue
        logits, target = refusal.operands[:2]
        if logits.shape[:-1] == target.shape:
            shown = [
                f"Of {list_of(logits.shape)} dim 1 is taken for the classes; target {list_of(target.shape)} "
                "says that they are in the last."
            ]
            turn = ".transpose(1, -1)" if len(logits.shape) == 3 else ".movedim(-1, 1)"
            fixes = refusal.behind(logits, turn)
            yield refusal.finding(RULE, shown, refusal.born(logits, len(logits.shape) - 1), fixes)


def _silent(log: Log, tree: Tree) -> Iterator[Finding]:
    """Where both dims are of one size: what comes from a linear layer has its classes in the last."""
    lineage = lineage_of(log)
    for op in ops_of(log, ("cross_entropy", "CrossEntropyLoss()")):
        operands = [arg for arg in op.args if isinstance(arg, Tensor)]
        if len(operands) != 2 or len(operands[0].shape) != 3 or len(operands[1].shape) != 2:
            continue
        logits = operands[0]
        classes, steps = origin(lineage, logits, 2), origin(lineage, logits, 1)
        if not _is_width(classes) or _is_width(steps) or logits.shape[1] in (1, None):
            continue
        assert classes is not None
        yield found_at(
            RULE,
            op.span,
            f"of {list_of(logits.shape)} dim 1 is taken for the classes, and the linear layer put them in the last dim. "
            "Both are of one size, so that nothing raises. Give the loss .transpose(1, -1).",
            related=[Related(classes.op.span, "the classes are made here, in the last dim")],
            severity="warning",
        )


def _is_width(found: Origin | None) -> bool:
    """Whether a size is how many features a linear layer gives."""
    return found is not None and found.op.name == "nn.Linear()" and found.dim == len(found.tensor.shape) - 1
