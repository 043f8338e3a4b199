"""An index, a token or a class beyond the end, where its value is known."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator

from ...queries.lineage import Lineage, lineage_of, short
from ...queries.ops import ops_of
from ...queries.origins import origin
from ...queries.values import integer
from ...vocabulary.events import Failure, Log, Op, Tensor
from ...vocabulary.findings import Finding, Fix, Related
from ...vocabulary.span import Span
from ..asking.refusals import Refusal, refusals
from ..asking.tree import Tree
from ..mending.widths import KINDS, one_more, other_number, other_source
from ..telling.found import found
from .drawn import drawn_at, drawn_in_text, written

RULE = "index-out-of-range-known"
_PATTERNS = (
    re.compile(r"index out of range in self"),
    re.compile(r"Target -?\d+ is out of bounds"),
    re.compile(r"Class values must be smaller than num_classes"),
    re.compile(r"index -?\d+ is out of bounds for dimension \d+ with size \d+"),
)

_SURELY = 5
"""Numbers beyond the end, on average, that make sure that there is one."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such lookup."""
    for refusal in refusals(log, tree, *_PATTERNS):
        yield refusal.finding(RULE, related=_related(refusal), fixes=_fixes(refusal))
    yield from _drawn(log, tree)


def _drawn(log: Log, tree: Tree) -> Iterator[Finding]:
    """Row numbers or classes drawn at random from more than there are."""
    lineage = lineage_of(log)
    for op, drawn, high in (*_looked_up(log, lineage), *drawn_in_text(log, tree)):
        many = _many(op, lineage)
        node = tree.at(op.span, ast.Call)
        if many is None or high <= many[0] or node is None:
            continue
        rows, what, built = many
        here = built is not None and log.frames[built.frame].file == log.file
        at_random = "randint" in ast.unparse(tree.at(drawn, ast.expr) or node)
        yield found(
            RULE,
            tree,
            node,
            f"the numbers are {'drawn below' if at_random else 'some of those below'} {high}, and {what.format(rows)}: an index out "
            "of range.",
            *_for_all(Refusal(op, Failure("IndexError", ""), log, tree), high),
            severity=None if at_random and _hits(op, rows, high) >= _SURELY else "warning",
            related=[
                Related(drawn, "drawn here" if at_random else "they come from here"),
                *([Related(built.span, "the layer")] if built is not None and here else ()),
            ],
        )


def _looked_up(log: Log, lineage: Lineage) -> Iterator[tuple[Op, Span, int]]:
    """What is given numbers that torch.randint drew."""
    changed = written(log)
    for op in ops_of(log):
        if _many(op, lineage) is None:
            continue
        given = [arg for arg in op.args if isinstance(arg, Tensor)][-1]
        drawn = drawn_at(lineage, given, changed)
        if drawn is not None:
            yield op, *drawn


def _many(op: Op, lineage: Lineage) -> tuple[int, str, Op | None] | None:
    """How many rows or classes there are, what to say of it, and the layer that was built for so many."""
    name, built = short(op.name), lineage.builder(op.args[0]) if op.args else None
    rows: object = None
    what, both = "there are {} classes", [arg for arg in op.args if isinstance(arg, Tensor)]
    if op.name == "nn.Embedding()" and built is not None and built.args and both:
        rows, what = integer(built.args[0]), "the embedding has {} rows"
    elif name in ("cross_entropy", "nll_loss", "CrossEntropyLoss()", "NLLLoss()"):
        options = dict(op.kwargs if built is None else built.kwargs)
        if "ignore_index" in options or len(both) < 2 or len(both[0].shape) < 2 or both[1].dtype != "int64":
            return None
        rows, found = both[0].shape[1], origin(lineage, both[0], 1)
        built = None if found is None else found.built
    elif name == "one_hot" and both:
        rows, built = integer(op.argument("num_classes")), None
    return (rows, what, built) if type(rows) is int and rows > 0 else None


def _hits(op: Op, rows: int, high: int) -> float:
    """How many of the numbers drawn are beyond the end, on average."""
    given = [arg for arg in op.args if isinstance(arg, Tensor)][-1]
    return math.prod(size if isinstance(size, int) else 1 for size in given.shape) * (high - rows) / high


def _for_all(refusal: Refusal, high: int) -> Iterator[Fix]:
    """The layer built for all that are drawn."""
    op = refusal.op
    if op.name == "nn.Embedding()":
        yield from other_number(refusal, refusal.lineage.builder(op.args[0]), "num_embeddings", 0, high)
    elif short(op.name) != "one_hot":
        scores = next(arg for arg in op.args if isinstance(arg, Tensor))
        yield from other_source(refusal, scores, 1, high)


def _related(refusal: Refusal) -> Iterator[Related]:
    built = refusal.lineage.builder(refusal.failure.layer)
    if built is not None and short(built.name) == "Embedding" and refusal.here(built):
        yield Related(built.span, "the layer that is looked up")
    elif refusal.operands and refusal.operands[0].shape:
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
