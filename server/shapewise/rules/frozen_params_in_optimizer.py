"""Frozen parameters handed to an optimizer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.course import Course
from ..program.events import Event
from ..program.freezing import Freeze, freezes, is_added_to, parts_added
from ..program.training import is_optimizer
from ..program.values import Value, roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "frozen-params-in-optimizer"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every optimizer given all parameters of a model of which a part was frozen before."""
    course = tree.course
    switches = list(freezes(course))
    if any(switch.on is not False for switch in switches):
        return
    for event in course.of_kind("call"):
        if not event.name.startswith("torch.optim.") or not is_optimizer(event.value):
            continue
        given = event.argument("params", 0)
        if (
            given is None
            or given.by != ".parameters"
            or given.on is None
            or not isinstance(given.node, ast.expr)
        ):
            continue
        for switch in switches:
            if switch.sure and switch.event.root == event.root and switch.event.index < event.index:
                if _inside(switch.module, given.on) or _all_but_a_new_part(course, switch, event, given.on):
                    text = f"filter(lambda p: p.requires_grad, {source(tree.text, given.node)})"
                    yield found(
                        RULE,
                        tree,
                        event.node,
                        "a part of these parameters is frozen: the optimizer carries them along, and with weight "
                        "decay or momentum may still move them once they have had a gradient.",
                        fix("leave the frozen ones out", replace(tree.text, given.node, text)),
                        related=[Related(tree.span(switch.event.node), "frozen here")],
                    )
                    break


def _all_but_a_new_part(course: Course, switch: Freeze, maker: Event, whole: Value) -> bool:
    """Whether all of the model was frozen, and then got a new layer before the optimizer was made."""
    return same(switch.module, whole) and any(
        event.root == maker.root and event.index < maker.index and is_added_to(event, whole)
        for event in parts_added(course, switch.event)
    )


def _inside(part: Value, whole: Value) -> bool:
    """Whether a module is an attribute of another, at whatever depth."""
    one: Value | None = part.on if part.by in (".", "[]") else None
    for _ in range(8):
        if one is None:
            break
        if same(one, whole):
            return True
        one = one.on if one.by in (".", "[]") else None
    return any(
        root is mine
        for owner in roots(whole)
        for attribute in owner.attrs.values()
        for root in roots(attribute)
        for mine in roots(part)
    )
