"""A loss that is given the labels as its predictions, and the predictions as its labels."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Tensor, Value
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import found_at

RULE = "loss-arguments-swapped"
_UNEVEN = frozenset(
    "binary_cross_entropy BCELoss() binary_cross_entropy_with_logits BCEWithLogitsLoss() poisson_nll_loss PoissonNLLLoss()".split()
)
"""Losses that mean something else with their arguments swapped, and of constant predictions nothing at all."""
_OF_CLASSES = frozenset("cross_entropy CrossEntropyLoss()".split())
_CAST = frozenset("float to type double half type_as".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each loss whose target requires a gradient, and its input none."""
    lineage = lineage_of(log)
    for op in ops_of(log, _UNEVEN | _OF_CLASSES):
        given, target = _arguments(op)
        if not isinstance(given, Tensor) or not isinstance(target, Tensor):
            continue
        if given.requires_grad is not False or target.requires_grad is not True:
            continue
        if short(op.name) in _OF_CLASSES and not _is_one_hot(lineage, given):
            continue
        made = lineage.maker(target)
        yield found_at(
            RULE,
            op.span,
            "the first argument is the prediction and the second the target: here the target is what the model computed, and the "
            "prediction is data. With the two swapped the loss is another one, and does not pull the one towards the other.",
            *_fixes(op, tree),
            related=[] if made is None else [Related(made.span, "computed by the model here")],
        )


def _arguments(op: Op) -> tuple[Value | None, Value | None]:
    given = op.args[1:] if op.name.endswith("()") else op.args
    by_name = dict(op.kwargs)
    return (
        given[0] if given else by_name.get("input"),
        given[1] if len(given) > 1 else by_name.get("target"),
    )


def _is_one_hot(lineage: Lineage, given: Tensor) -> bool:
    for _ in range(4):
        made = lineage.maker(given)
        if made is None:
            return False
        if short(made.name) == "one_hot":
            return True
        inner = made.args[0] if made.args else None
        if short(made.name) not in _CAST or not isinstance(inner, Tensor):
            return False
        given = inner
    return False


def _fixes(op: Op, tree: Tree) -> Iterator[Fix]:
    call = tree.at(op.span, ast.Call)
    if (
        call is not None
        and len(call.args) >= 2
        and not any(isinstance(arg, ast.Starred) for arg in call.args)
    ):
        first, second = call.args[:2]
        edits = (
            replace(tree.text, first, source(tree.text, second)),
            replace(tree.text, second, source(tree.text, first)),
        )
        yield Fix("the prediction first", "unsafe", edits)
