"""Losses summed or collected with their graphs: memory grows with every batch."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import append
from ..program.events import Event, common_loop
from ..program.graphs import is_cut
from ..program.training import Backward
from ..program.values import CONST, DISPLAYS, EITHER, Value, flows_into, number, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found, text_of

RULE = "graph-kept-alive"
_ARITHMETIC = ("+", "-", "*", "/")
_COLLECT = (".append", ".extend", ".add", ".insert", ".appendleft")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every loss that is differentiated in a loop and kept beyond its round as it is."""
    training, course = tree.training, tree.course
    for back in training.backwards:
        if not back.event.loops:
            yield from _on_self(tree, back)
            continue
        for event in course.events:
            if event.root != back.event.root:
                continue
            if event.kind == "bind" and _collected(event, back):
                yield _comprehension(tree, event, back)
            if common_loop(event, back.event) is None:
                continue
            kept = _kept(event)
            if kept is None or _needed(event, training.backwards):
                continue
            if not any(_holds(kept, term) for term in _terms(back.loss)):
                continue
            if back.loss.by in ("given", "") or not _goes_on(event, back) or _let_go(tree, event, back):
                continue
            if _of_one_step(tree, event, back):
                continue
            node = _loss_node(event, back.loss)
            fixes = []
            if node is not None:
                fixes = [
                    fix("keep the number only: .detach()", append(tree.text, node, ".detach()"), safe=True)
                ]
            name = text_of(tree, node) or "the loss"
            yield found(
                RULE,
                tree,
                event.node,
                f"{name} is kept with the graph that made it, and with it every tensor of that graph that is not "
                "freed: memory grows each round. Keep its number (.item()) or a copy without graph (.detach()).",
                *fixes,
                related=[Related(tree.span(back.event.node), "differentiated here")],
            )


def _let_go(tree: Tree, event: Event, back: Backward) -> bool:
    """Whether the way that goes backward gives the name of the loss to something else before it is kept."""
    ways = [way for way in back.event.branches_in(None) if all(one is not way for one in event.where)]
    return any(
        one.kind == "bind" and one.name == back.loss.name and any(way is around for around in one.where)
        for one in tree.course.events[back.event.index : event.index]
        for way in ways[-1:]
    )


def _of_one_step(tree: Tree, event: Event, back: Backward) -> bool:
    """Whether what is summed are the batches of one step of the optimizer, whose graphs are freed by then.

    The step follows behind the loop, or where it is made the sum begins anew.
    """
    loop = common_loop(event, back.event)
    target = event.node.target if isinstance(event.node, ast.AugAssign) else None
    if not isinstance(target, ast.Name) or loop is None:
        return False
    training = tree.training
    made = [one.event for one in training.steps] + [one for one, _ in training.zeroings]
    made = [one for one in made if one.root == event.root]
    within_it = [one for one in made if any(around is loop for around in one.loops)]
    if not within_it:
        return any(one.index > event.index and one.function is event.function for one in made)
    branches = [way for one in within_it for way in one.branches_in(loop)]
    return any(
        one.name == target.id and any(way is branch for way in one.branches_in(loop) for branch in branches)
        for one in tree.course.of_kind("bind")
        if any(around is loop for around in one.loops)
    )


def _collected(event: Event, back: Backward) -> bool:
    """Whether a list of losses is bound, of a comprehension in whose rounds they were differentiated."""
    made = event.args[0]
    rounds = any(loop.node is made.node for loop in back.event.loops)
    return (
        made.by == "listcomp"
        and rounds
        and back.loss.by not in ("given", "")
        and _holds(list(made.args), back.loss)
    )


def _comprehension(tree: Tree, event: Event, back: Backward) -> Finding:
    made = event.args[0].node
    assert isinstance(made, (ast.ListComp, ast.SetComp))
    return found(
        RULE,
        tree,
        made,
        "each loss is kept with the graph that made it, and with it every tensor of that graph that is not freed: "
        "memory grows each round. Keep its number (.item()) or a copy without graph (.detach()).",
        fix("keep the number only: .detach()", append(tree.text, made.elt, ".detach()"), safe=True),
        related=[Related(tree.span(back.event.node), "differentiated here")],
    )


def _on_self(tree: Tree, back: Backward) -> Iterator[Finding]:
    """Every loss that a method differentiates and then adds to what its object holds."""
    function = back.event.function
    if function is None or function.cls is None or back.loss.by in ("given", "", "either"):
        return
    renewed = {
        event.name
        for event in tree.course.of_kind("set")
        if event.function is function and event.root == back.event.root
    }
    for event in tree.course.events:
        if event.function is not function or event.index < back.event.index or event.root != back.event.root:
            continue
        node: ast.expr | None = event.node.target if isinstance(event.node, ast.AugAssign) else None
        if isinstance(event.node, ast.Call) and isinstance(event.node.func, ast.Attribute):
            node = event.node.func.value if event.name in _COLLECT else None
        holder = node.value if isinstance(node, ast.Attribute) else None
        if not isinstance(node, ast.Attribute) or not isinstance(holder, ast.Name) or holder.id != "self":
            continue
        kept = _kept(event)
        if node.attr in renewed or kept is None or not _holds(kept, back.loss):
            continue
        if _needed(event, tree.training.backwards):
            continue
        given = _loss_node(event, back.loss)
        yield found(
            RULE,
            tree,
            event.node,
            f"{text_of(tree, given) or 'the loss'} is kept with the graph that made it beyond this call: memory grows with "
            "each. Keep its number (.item()) or a copy without graph (.detach()).",
            *(
                [fix("keep the number only: .detach()", append(tree.text, given, ".detach()"), safe=True)]
                if given
                else []
            ),
            related=[Related(tree.span(back.event.node), "differentiated here")],
        )


def _kept(event: Event) -> list[Value] | None:
    """What an event keeps beyond the round."""
    if event.kind == "augmented" and event.name == "+=" and event.on is not None:
        return [inner for arg in event.args for inner in _held(arg)]
    if event.kind == "call" and event.name in _COLLECT:
        return [inner for arg in event.args for inner in _held(arg)]
    if event.kind in ("bind", "set") and event.args and event.args[0].by == "+":
        sides = event.args[0].args
        mine = [side for side in sides if _is_called(side, event.name)]
        return [side for side in sides if side not in mine] if len(mine) == 1 else None
    return None


def _held(value: Value) -> Iterator[Value]:
    """It and what displays hold. What is either a loss or its copy is what the way asks for that it went."""
    yield value
    for item in value.args if value.by in DISPLAYS else ():
        yield from _held(item)
    if value.by == EITHER and not any(one.by == CONST or is_cut(one) for one in value.options):
        yield from value.options  # one loss after the other


def _is_called(value: Value, name: str) -> bool:
    """Whether it is what was so called before, or a multiple of it: `0.9 * smooth`."""
    if value.by == "*":
        return any(_is_called(one, name) for one in value.args)
    return any(one.name == name for one in (value, *value.options))


def _holds(values: list[Value], loss: Value) -> bool:
    waiting = list(values)
    for _ in range(50):
        if not waiting:
            return False
        one = waiting.pop()
        if one is loss:
            return True
        if one.by in _ARITHMETIC:
            waiting += one.args
    return False


def _terms(loss: Value, depth: int = 4) -> Iterator[Value]:
    """A loss, and the losses that it is a sum of: `sum(losses.values())` too, multiples as they are."""
    yield loss
    held = (
        loss.args[0].on if loss.by == "builtins.sum" and loss.args and loss.args[0].by == ".values" else None
    )
    parts = (
        loss.args if loss.by in ("+", "-") else held.args if held is not None and held.by == "dict" else ()
    )
    if loss.by == "*":
        parts = tuple(one for one in loss.args if number(one) is None)
        parts = parts if len(parts) == 1 else ()  # a weight is no loss
    for part in parts if depth else ():
        if part.by and part.by not in (CONST, "given", "path") and not is_cut(part) and _has_graph(part):
            yield from _terms(part, depth - 1)


def _has_graph(value: Value) -> bool:
    """Whether what a layer gave is in it."""
    return any(one.by == "()" for one in flows_into(value))


def _needed(event: Event, backwards: list[Backward]) -> bool:
    """Whether what is kept is differentiated itself."""
    kept = event.value if event.kind == "augmented" else event.on if event.kind == "call" else event.args[0]
    if kept is None:
        return True
    return any(any(one is kept for one in within(back.loss)) for back in backwards)


def _goes_on(event: Event, back: Backward) -> bool:
    """Whether what it is kept in lives longer than a round."""
    loop = common_loop(event, back.event)
    if event.kind == "augmented" and event.on is not None:
        if loop is None:
            return False
        if event.on.by != "list":
            return all(one is not back.loss for one in within(event.on, 4))
    held_in = event.on
    while held_in is not None and held_in.by == "[]":  # `log[name].append(loss)`
        held_in = held_in.on
    if held_in is not None and held_in.node is not None and loop is not None:
        made = held_in.node
        inside = loop.node.lineno <= getattr(made, "lineno", 0) <= (loop.node.end_lineno or 0)  # type: ignore[attr-defined]
        return not inside or len(back.event.loops) > 1 and loop is not back.event.loops[-1]
    return True


def _loss_node(event: Event, loss: Value) -> ast.expr | None:
    """The name of the loss where it is kept."""
    node = event.node
    given = (
        node.value
        if isinstance(node, ast.AugAssign)
        else node.args[0]
        if isinstance(node, ast.Call) and node.args
        else None
    )
    if given is None:
        return None
    names = [one for one in ast.walk(given) if isinstance(one, ast.Name) and one.id == loss.name]
    return names[0] if len(names) == 1 else given if isinstance(given, (ast.Name, ast.Attribute)) else None
