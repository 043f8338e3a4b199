"""An advantage that weighs log probabilities and keeps the graph of the critic."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import found_at

RULE = "advantage-keeps-graph"
_TURNED = frozenset(
    "unsqueeze squeeze view reshape flatten [] sum mean - neg exp sub stack cat gather to float".split()
)
_TURNED_VALUE = frozenset("unsqueeze squeeze view reshape flatten [] to float / div".split())
_OF_CLASSES = frozenset("log_softmax LogSoftmax()".split())
_NEAR = 10


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each product of log probabilities and of `returns - values`, of which both take part in the gradient."""
    lineage = lineage_of(log)
    for op in ops_of(log, ("*", "mul")):
        given = [arg for arg in op.args if isinstance(arg, Tensor)]
        if len(given) != 2 or not all(one.requires_grad is True for one in given):
            continue
        for at, (likely, advantage) in enumerate((given, given[::-1])):
            less = _difference(lineage, advantage)
            if less is None or not _is_log_probability(lineage, likely):
                continue
            yield found_at(
                RULE,
                op.span,
                "the advantage keeps the graph of the values that it is made of: the loss of the policy trains the critic, too, to "
                "make its advantages what suits the policy. Detach it here.",
                *_fixes(op, 1 - at, tree),
                related=[Related(less.span, "the advantage, with its graph")],
            )
            break


def _difference(lineage: Lineage, advantage: Tensor) -> Op | None:
    """`returns - values`, where the returns have no gradient, and the values come from a network."""
    for _ in range(_NEAR):
        op = lineage.maker(advantage)
        if op is None:
            return None
        given = [arg for arg in op.args if isinstance(arg, Tensor)]
        if short(op.name) in ("-", "sub") and len(given) == 2:
            is_of_values = given[0].requires_grad is False and given[1].requires_grad is True
            return op if is_of_values and _is_of_a_network(lineage, given[1]) else None
        if short(op.name) not in _TURNED_VALUE or not given or len(given) > 1:
            return None
        advantage = given[0]
    return None


def _is_of_a_network(lineage: Lineage, values: Tensor) -> bool:
    for _ in range(_NEAR):
        op = lineage.maker(values)
        if op is None:
            return False
        if op.name.endswith("()"):
            return True
        given = [arg for arg in op.args if isinstance(arg, Tensor)]
        if short(op.name) not in _TURNED_VALUE or len(given) != 1:
            return False
        values = given[0]
    return False


def _is_log_probability(lineage: Lineage, likely: Tensor) -> bool:
    """Whether it is `log_prob` of a distribution, or a ratio of two, or what was picked of a log_softmax."""
    picked = False
    for _ in range(_NEAR):
        op = lineage.maker(likely)
        if op is None:
            return False
        name = short(op.name)
        if name == "log_prob":
            return True
        if name in _OF_CLASSES:
            return picked
        given = [arg for arg in op.args if isinstance(arg, Tensor) and arg.requires_grad]
        if name not in _TURNED or len(given) != 1:
            return False
        picked = picked or name in ("gather", "[]")
        likely = given[0]
    return False


def _fixes(op: Op, place: int, tree: Tree) -> Iterator[Fix]:
    node = tree.at(op.span, ast.BinOp)
    if node is not None and isinstance(node.op, ast.Mult):
        side = node.right if place == 1 else node.left
        if isinstance(side, ast.UnaryOp):
            side = side.operand
        text = source(tree.text, side)
        if isinstance(side, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
            yield Fix("detach the advantage", "unsafe", (replace(tree.text, side, f"{text}.detach()"),))
