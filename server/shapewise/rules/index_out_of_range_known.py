"""An index, a token or a class beyond the end, where its value is known."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..queries.lineage import lineage_of, short
from ..queries.origins import origin
from ..vocabulary.events import Log, Op, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Fix, Related
from .found import found
from .mending.widths import KINDS, one_more, other_source
from .refusals import Refusal, refusals
from .tree import Tree

RULE = "index-out-of-range-known"
_PATTERNS = (
    re.compile(r"index out of range in self"),
    re.compile(r"Target -?\d+ is out of bounds"),
    re.compile(r"Class values must be smaller than num_classes"),
    re.compile(r"index -?\d+ is out of bounds for dimension \d+ with size \d+"),
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such lookup."""
    for refusal in refusals(log, tree, *_PATTERNS):
        yield refusal.finding(RULE, related=_related(refusal), fixes=_fixes(refusal))
    yield from _drawn(log, tree)


def _drawn(log: Log, tree: Tree) -> Iterator[Finding]:
    """Row numbers or classes drawn by torch.randint from more than there are."""
    lineage = lineage_of(log)
    for op in log.events:
        if not isinstance(op, Op) or op.failure is not None or len(op.args) < 2:
            continue
        name, built = short(op.name), lineage.builder(op.args[0])
        rows: object = None
        if op.name == "nn.Embedding()" and built is not None and built.args:
            rows, given, what = _number(built.args[0]), op.args[1], "the embedding has {} rows"
        elif name in ("cross_entropy", "nll_loss", "CrossEntropyLoss()", "NLLLoss()"):
            both = [arg for arg in op.args if isinstance(arg, Tensor)]
            if len(both) < 2 or len(both[0].shape) < 2 or both[1].dtype != "int64":
                continue
            rows, given, what = both[0].shape[1], both[1], "there are {} classes"
        else:
            continue
        drawn = lineage.maker(given)
        if drawn is None or drawn.name != "torch.randint":
            continue
        numbers = [_number(arg) for arg in drawn.args[:2]]
        high = numbers[1] if len(numbers) > 1 and numbers[1] is not None else next(iter(numbers), None)
        node = tree.at(op.span, ast.Call)
        if not isinstance(rows, int) or high is None or high <= rows or node is None:
            continue
        yield found(
            RULE,
            tree,
            node,
            f"the numbers are drawn below {high}, and {what.format(rows)}: an index out of range.",
            related=[
                Related(drawn.span, "drawn here"),
                *([Related(built.span, "the layer")] if built is not None else ()),
            ],
        )


def _number(value: Value) -> int | None:
    return value.value if isinstance(value, Scalar) and type(value.value) is int else None


def _related(refusal: Refusal) -> Iterator[Related]:
    built = refusal.lineage.builder(refusal.failure.layer)
    if built is not None and short(built.name) == "Embedding" and refusal.here(built):
        yield Related(built.span, "the layer that is looked up")
    elif refusal.operands:
        scores = refusal.operands[0]
        yield from refusal.born(
            scores, min(1, len(scores.shape) - 1) if _CLASSES.match(refusal.message) else 0
        )


_CLASSES = re.compile(r"Target (?P<last>\d+) is out of bounds")


def _fixes(refusal: Refusal) -> Iterator[Fix]:
    """A layer of one row or class more: off by one is the commonest."""
    built, target = refusal.lineage.builder(refusal.failure.layer), _CLASSES.match(refusal.message)
    if built is not None and short(built.name) == "Embedding":
        yield from one_more(refusal, built, "num_embeddings", 0)
    elif target is not None and refusal.operands and len(refusal.operands[0].shape) > 1:
        found = origin(refusal.lineage, refusal.operands[0], 1)
        if found is not None and found.built is not None and (kind := KINDS.get(short(found.built.name))):
            if kind.gives is not None:
                yield from one_more(refusal, found.built, kind.gives, 1)
        yield from other_source(refusal, refusal.operands[0], 1, int(target["last"]) + 1)
