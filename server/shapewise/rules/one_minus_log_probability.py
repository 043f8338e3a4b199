"""What is left of one, taken of the logarithm of a probability: `1 - log_p`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import append
from ..program.ops import numbers_of, op_of
from ..program.values import Value, number
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "one-minus-log-probability"
_LOGS = frozenset(("log_softmax", "logsigmoid", "log_sigmoid", "log_prob"))
_PICKS = frozenset(("gather", "index_select", "take_along_dim", "masked_select"))


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every `1 - x` of what surely is such a logarithm."""
    told: set[ast.AST] = set()
    for event in tree.course.of_kind("op"):
        node = event.node
        if event.name != "-" or len(event.args) != 2 or number(event.args[0]) != 1:
            continue
        made = _logs(event.args[1])
        if not made or not isinstance(node, ast.BinOp) or node in told:
            continue
        told.add(node)
        yield found(
            RULE,
            tree,
            node,
            "this takes the logarithm of a probability for the probability: the logarithm is below 0, so that what is left of one is "
            "always more than one. Take exp() of it first.",
            fix("take exp()", append(tree.text, node.right, ".exp()")),
            related=[
                Related(tree.span(one.node), "a logarithm since here") for one in made if one.node is not None
            ],
        )


def _logs(value: Value, depth: int = 0) -> list[Value]:
    """The logarithms of probabilities whose numbers these are, as they are or picked out; none if they may be anything else."""
    found: list[Value] = []
    for one in numbers_of(value):
        op = op_of(one)
        if op is not None and (op.name in _LOGS or _is_log_of_shares(op.name, op.operand)):
            found.append(one)
            continue
        inner = one.on if one.by == "[]" else op.operand if op is not None and op.name in _PICKS else None
        of = _logs(inner, depth + 1) if inner is not None and depth < 4 else []
        if not of:
            return []
        found += of
    return found


def _is_log_of_shares(name: str, operand: Value | None) -> bool:
    """Whether it is `log(softmax(x))` or `log(sigmoid(x))`."""
    inner = op_of(operand) if name == "log" and operand is not None else None
    return inner is not None and inner.name in ("softmax", "sigmoid")
