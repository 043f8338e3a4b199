"""Logits of a sequence with their classes in the last dim, where a cross entropy takes dim 1."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..queries.lineage import lineage_of, short
from ..queries.origins import Origin, origin
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Related
from .refusals import list_of, refusals
from .tree import Tree

RULE = "ce-sequence-layout"
_PATTERNS = (
    re.compile(r"Expected target size \["),
    re.compile(r"size mismatch \(got input: "),
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such loss: torch refuses it, unless there are as many classes as steps."""
    yield from _refused(log, tree)
    yield from _silent(log, tree)


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
    for op in log.events:
        if not isinstance(op, Op) or op.failure is not None:
            continue
        if short(op.name) not in ("cross_entropy", "CrossEntropyLoss()"):
            continue
        operands = [arg for arg in op.args if isinstance(arg, Tensor)]
        if len(operands) != 2 or len(operands[0].shape) != 3 or len(operands[1].shape) != 2:
            continue
        logits = operands[0]
        classes, steps = origin(lineage, logits, 2), origin(lineage, logits, 1)
        if not _is_width(classes) or _is_width(steps) or logits.shape[1] in (1, None):
            continue
        assert classes is not None
        yield Finding(
            RULE,
            op.span,
            "warning",
            f"of {list_of(logits.shape)} dim 1 is taken for the classes, and the linear layer put them in the last dim. "
            "Both are of one size, so that nothing raises. Give the loss .transpose(1, -1).",
            None,
            (Related(classes.op.span, "the classes are made here, in the last dim"),),
        )


def _is_width(found: Origin | None) -> bool:
    """Whether a size is how many features a linear layer gives."""
    return found is not None and found.op.name == "nn.Linear()" and found.dim == len(found.tensor.shape) - 1
