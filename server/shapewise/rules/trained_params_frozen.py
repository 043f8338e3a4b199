"""An optimizer over parameters that are all frozen."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_before, source
from ..program.events import Event
from ..program.freezing import freezes, is_added_to, parts_added
from ..program.given import all_given, is_surely_in
from ..program.training import is_optimizer
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import argument_node, fix, found

RULE = "trained-params-frozen"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every optimizer given all parameters of a module after all of them were frozen, and none thawed."""
    course = tree.course
    switches = list(freezes(course))
    for event in course.of_kind("call"):
        if not event.name.startswith("torch.optim.") or not is_optimizer(event.value):
            continue
        given = event.argument("params", 0)
        models = None if given is None else all_given(given)
        if not models:
            continue
        frozen = [
            s
            for s in switches
            if s.on is False
            and s.sure
            and _before(s.event, event)
            and all(is_surely_in(model, s.module) for model in models)
        ]
        thawed = any(
            (s.on is not False or not s.sure) and (s.event.root == event.root or event.root) for s in switches
        )
        if (
            not frozen
            or thawed
            or any(is_added_to(part, frozen[0].module) for part in parts_added(course, frozen[0].event))
            or tree.course.calls(".unfreeze", ".apply")
        ):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "all of these parameters are frozen: backward raises, or nothing is learned.",
            *_fixes(tree, event.node),
            related=[Related(tree.span(frozen[0].event.node), "frozen here")],
        )


def _fixes(tree: Tree, made: ast.AST) -> tuple[Fix, ...]:
    """Thaw what the optimizer is given, where that is a module's parameters as they are."""
    given = argument_node(made, "params", 0) if isinstance(made, ast.Call) else None
    statement = tree.course.places.statement(made)
    if not isinstance(given, ast.Call) or not isinstance(given.func, ast.Attribute) or statement is None:
        return ()
    if given.func.attr != "parameters" or given.args or given.keywords:
        return ()
    owner = source(tree.text, given.func.value)
    return (fix(f"thaw {owner}", insert_before(tree.text, statement, f"{owner}.requires_grad_(True)")),)


def _before(one: Event, other: Event) -> bool:
    return one.root == other.root and one.index < other.index
