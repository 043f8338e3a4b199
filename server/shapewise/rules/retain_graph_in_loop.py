"""A graph that is kept after backward though nothing uses it again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import remove_keyword
from ..program.course import Course
from ..program.events import Loop
from ..program.graphs import is_data
from ..program.modes import no_grad_around
from ..program.ops import PLACING
from ..program.training import Backward
from ..program.values import CLASS, CONST, FUNCTION, INSTANCE, PATH, Value, flows_into
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "retain-graph-in-loop"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every `backward(retain_graph=True)` that is the only use of a graph made in the same round."""
    training, course = tree.training, tree.course
    for back in training.backwards:
        event = back.event
        retain = event.argument("retain_graph", 1)
        create = event.argument("create_graph", 2)
        if retain is None or retain.const is not True or create is not None or not event.loops:
            continue
        loop = event.loops[-1]
        others = [other for other in training.backwards if other is not back and other.event.inside(loop)]
        again = [one for one in course.calls("torch.autograd.grad", ".grad") if one.inside(loop)]
        if again or not _made_within(course, loop, back.loss):
            continue
        if not all(
            _made_within(course, loop, other.loss) and _apart(course, back, other) for other in others
        ):
            continue
        node = event.node
        fixes = []
        if isinstance(node, ast.Call) and any(one.arg == "retain_graph" for one in node.keywords):
            fixes = [fix("free the graph after backward", remove_keyword(tree.text, node, "retain_graph"))]
        yield found(
            RULE,
            tree,
            node,
            "retain_graph=True keeps the graph of every round in memory, and nothing goes backward through it "
            "again. If torch asked for it, a tensor of the round before is still part of the graph: detach that one.",
            *fixes,
        )


def _made_within(course: Course, loop: Loop, loss: Value) -> bool:
    """Whether all that is computed with a graph for the loss is computed in the loop, as far as is seen."""
    inside = {id(event.value) for event in course.in_loop(loop) if event.value is not None}
    computed = [one for one in _flowing(course, loss) if _is_computed(one) and not is_data(one)]
    return bool(computed) and loss.by not in ("given", "") and all(id(one) in inside for one in computed)


def _apart(course: Course, back: Backward, other: Backward) -> bool:
    """Whether two losses have nothing of their graphs in common: a discriminator's, of a detached fake, and a generator's."""
    ours = {id(one) for one in _flowing(course, back.loss)}
    return not any(id(one) in ours and not _is_data(one) for one in _flowing(course, other.loss))


def _is_data(value: Value) -> bool:
    """Whether a value has no graph, or none but that of what it was made of."""
    by = value.by
    if by.startswith(("torch.", "builtins.")):
        return not by.startswith("torch.nn.functional.")
    method = by[1:] if by.startswith(".") else ""
    return method in PLACING or (
        by in (CONST, PATH, INSTANCE, CLASS, FUNCTION, "[]", ".", "item", "for", "tuple", "list", "dict")
    )


def _flowing(course: Course, loss: Value) -> list[Value]:
    """What a loss was computed from, but for what was detached, and for that of which data is an item."""
    without = frozenset(
        id(event.value)
        for event in course.events
        if event.value is not None and (event.name in (".detach", "torch.detach") or no_grad_around(event))
    )
    found = list(flows_into(loss, without=without))
    items = {id(one) for one in found if one.by in ("item", "for")}
    return list(flows_into(loss, without=without | items | {id(one) for one in _places(found)}))


def _places(values: list[Value]) -> Iterator[Value]:
    """Devices and dtypes that were asked for."""
    for value in values:
        if value.by.startswith(".") and value.by[1:] in PLACING:
            yield from value.args
        yield from (value.kwargs[name] for name in ("device", "dtype") if name in value.kwargs)


def _is_computed(value: Value) -> bool:
    by = value.by
    if by == "-" and len(value.args) == 1:
        return False  # what is negated is
    return by in ("()", "def", "+", "-", "*", "/", "@", "+=", "**") or by.startswith("torch.nn.functional.")
