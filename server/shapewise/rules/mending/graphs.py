"""Where a graph that two backwards go through may be cut: what is handed on is detached."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...fixes.edits import append
from ...fixes.statements import replace
from ...program.graphs import backward_through
from ...program.training import Backward
from ...vocabulary.findings import Fix
from ..tree import Tree


def shared(tree: Tree, first: Backward, second: Backward) -> list[ast.expr]:
    """What only the first loss is computed of further, and the second one is computed of too: `fake` in `D(fake)`."""
    through = {id(one) for one in backward_through(first.loss)}
    both = through & {id(one) for one in backward_through(second.loss) if one.by == "()"}
    found: list[ast.expr] = []
    for event in tree.course.calls("()") if both else ():
        if (
            event.value is None
            or id(event.value) not in through - both
            or not isinstance(event.node, ast.Call)
        ):
            continue
        if len(event.args) == len(event.node.args):
            found += [node for node, given in zip(event.node.args, event.args) if id(given) in both]
    return found


def carried(second: Backward, tree: Tree) -> list[ast.Name]:
    """What a round of the loop around a backward hands a call that gives it anew: `y, h = net(x, h)`."""
    loop = second.event.loops[-1].node if second.event.loops else None
    found: list[ast.Name] = []
    for statement in ast.walk(loop) if isinstance(loop, (ast.For, ast.While)) else ():
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            continue
        bound = {
            one.id for target in statement.targets for one in ast.walk(target) if isinstance(one, ast.Name)
        }
        found += [arg for arg in statement.value.args if isinstance(arg, ast.Name) and arg.id in bound]
    return found


def detached(tree: Tree, nodes: list[ast.expr]) -> Iterator[Fix]:
    """Each of them without its graph."""
    for node in nodes:
        yield Fix("add .detach()", "unsafe", (append(tree.text, node, ".detach()"),))


def all_detached(tree: Tree, nodes: list[ast.Name]) -> Iterator[Fix]:
    """The same of a state that is several tensors, as that of an LSTM."""
    for node in nodes:
        new = f"tuple(one.detach() for one in {node.id})"
        yield Fix(f"detach each of {node.id}", "unsafe", (replace(tree.text, node, new),))
