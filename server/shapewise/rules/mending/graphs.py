"""Where a graph that two backwards go through may be cut: what is handed on is detached."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...edits.calls import append
from ...edits.statements import insert_after, remove_statement, replace, source
from ...program.graphs import backward_through
from ...program.training import Backward
from ...vocabulary.findings import Fix
from ..asking.tree import Tree


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


def added_up(tree: Tree, first: Backward, second: Backward) -> Iterator[Fix]:
    """One backward of both losses, where nothing stands between the two but the first step, or a clearing."""
    places, calls = tree.course.places, [first.event.node, second.event.node]
    funcs = [
        call.func for call in calls if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    ]
    losses = [func.value for func in funcs if isinstance(func.value, ast.Name)]
    statements = [places.statement(call) for call in calls]
    if len(losses) != 2 or statements[0] is None or statements[1] is None:
        return
    block = places.block(statements[0])
    if statements[1] not in block:
        return
    begin, end = block.index(statements[0]), block.index(statements[1])
    between = block[begin + 1 : end]
    if not all(_is_of_an_optimizer(one) for one in between):
        return
    both = f"({source(tree.text, losses[0])} + {source(tree.text, losses[1])})"
    edits = [remove_statement(tree.text, one, alone=False) for one in (statements[0], *between)]
    title = f"one backward for both: {both}.backward()"
    yield Fix(title, "unsafe", (*edits, replace(tree.text, losses[1], both)))


def _is_of_an_optimizer(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    func = call.func if isinstance(call, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr in ("step", "zero_grad")


def carried(second: Backward, tree: Tree) -> list[ast.Name]:
    """What a round of the loop around a backward hands a call that gives it anew: `y, h = net(x, h)`."""
    loop = second.event.loops[-1].node if second.event.loops else None
    found: dict[str, ast.Name] = {}
    for statement in ast.walk(loop) if isinstance(loop, (ast.For, ast.While)) else ():
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            continue
        bound = {
            one.id for target in statement.targets for one in ast.walk(target) if isinstance(one, ast.Name)
        }
        given = [*statement.value.args, *(keyword.value for keyword in statement.value.keywords)]
        parts = [part for arg in given for part in (arg.elts if isinstance(arg, ast.Tuple) else [arg])]
        for part in parts:
            if isinstance(part, ast.Name) and part.id in bound:
                found.setdefault(part.id, part)
    return [*found.values()]


def of_this_round(second: Backward, tree: Tree) -> Iterator[Fix]:
    """`loss.backward()` for `total.backward()` where each round adds its loss to the total."""
    loop = second.event.loops[-1].node if second.event.loops else None
    func = second.event.node.func if isinstance(second.event.node, ast.Call) else None
    total = func.value if isinstance(func, ast.Attribute) else None
    if not isinstance(loop, (ast.For, ast.While)) or not isinstance(total, ast.Name):
        return
    for one in ast.walk(loop):
        if isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Add) and isinstance(one.value, ast.Name):
            if isinstance(one.target, ast.Name) and one.target.id == total.id:
                title = f"backward of this round's: {one.value.id}.backward(), and its number added up"
                edits = append(tree.text, one.value, ".item()"), replace(tree.text, total, one.value.id)
                yield Fix(title, "unsafe", edits)


def detached(tree: Tree, nodes: list[ast.expr]) -> Iterator[Fix]:
    """Each of them without its graph."""
    for node in nodes:
        yield Fix("add .detach()", "unsafe", (append(tree.text, node, ".detach()"),))


def ended(second: Backward, tree: Tree, names: list[ast.Name]) -> Iterator[Fix]:
    """What a round carries over without its graph, once its backward is through: what the first one is given may be None.

    A tensor each, or several, as the state of an LSTM.
    """
    loop = second.event.loops[-1].node if second.event.loops else None
    if not isinstance(loop, (ast.For, ast.While)):
        return
    backward = tree.course.places.statement(second.event.node)
    last = backward if isinstance(backward, ast.Expr) and backward in ast.walk(loop) else loop.body[-1]
    every = [one.id for one in names]
    for row in [every] if len(every) == 1 else [every, *([one] for one in every)]:
        named = ", ".join(row)
        for title, new in (
            (f"detach {named} after the backward", "{0}.detach()"),
            (f"detach each of {named} after the backward", "tuple(one.detach() for one in {0})"),
        ):
            text = f"{named} = {', '.join(new.format(one) for one in row)}"
            yield Fix(title, "unsafe", (insert_after(tree.text, last, text),))
