"""An optimizer that is built and never steps: the loss is differentiated and nothing learns."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_after
from ..program.training import Backward, is_optimizer
from ..program.values import Value, roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found, text_of

RULE = "optimizer-step-missing"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every optimizer of torch's without a step, in a file with a loop of backward calls."""
    course, training = tree.course, tree.training
    yield from _taken_by_hand(tree)
    if not course.whole or training.managed or _by_hand(tree):
        return
    for event in course.events:
        if event.kind != "call" or not event.name.startswith("torch.optim."):
            continue
        made = course.made_at(event)
        if (
            made is None
            or not is_optimizer(made)
            or any(same(step.optimizer, made) for step in training.steps)
        ):
            continue
        if _steps_somehow(tree) or course.escapes(made):
            continue
        backs = [back for back in training.backwards if back.event.loops and back.event.root == event.root]
        if not backs or any(step.event.root == event.root for step in training.steps):
            backs = _after_clearing(tree, made)
        if not backs:
            continue
        node = backs[0].event.node
        statement = course.places.statement(node)
        fixes = []
        name = made.name if backs[0].event.function is event.function else _name_beside(tree, backs[0], made)
        if name and statement is not None:
            fixes = [
                fix(
                    f"step after backward: {name}.step()",
                    insert_after(tree.text, statement, f"{name}.step()"),
                )
            ]
        yield found(
            RULE,
            tree,
            node,
            f"the gradients are computed here, but {made.name or 'the optimizer'}.step() is never called: "
            "no parameter ever changes.",
            *fixes,
            related=[Related(tree.span(event.node), "the optimizer is built here")],
        )


def _taken_by_hand(tree: Tree) -> Iterator[Finding]:
    """Each of several `self.optimizers()` of a Lightning module that is cleared before a `manual_backward` and never steps."""
    for one in tree.course.nodes(ast.Assign) if "manual_backward" in tree.text else ():
        assert isinstance(one, ast.Assign)
        value, target = one.value, one.targets[0]
        function = tree.course.places.function(one)
        if (
            not isinstance(value, ast.Call)
            or ast.unparse(value.func) != "self.optimizers"
            or function is None
        ):
            continue
        names = [part.id for part in getattr(target, "elts", [target]) if isinstance(part, ast.Name)]
        asked = {name: _methods(function, name) for name in names}
        stepped = [name for name, methods in asked.items() if methods is not None and "step" in methods]
        for name, methods in asked.items():
            back = (
                None
                if not methods or "step" in methods
                else _backward_after(function, methods.get("zero_grad"))
            )
            if back is not None and stepped:
                yield found(
                    RULE,
                    tree,
                    back.value,
                    f"the gradients are computed here, but {name}.step() is never called, as {stepped[0]}.step() is: its parameters never "
                    "change.",
                    fix(
                        f"step after backward: {name}.step()", insert_after(tree.text, back, f"{name}.step()")
                    ),
                    related=[Related(tree.span(value), "the optimizers")],
                )


def _methods(function: ast.AST, name: str) -> dict[str, ast.Call] | None:
    """The methods of a variable that are called, each where it comes first; None if it goes elsewhere, where it may step."""
    calls = {
        id(one.func.value): one
        for one in ast.walk(function)
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)
    }
    methods: dict[str, ast.Call] = {}
    for one in ast.walk(function):
        if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load):
            call = calls.get(id(one))
            if call is None or not isinstance(call.func, ast.Attribute):
                return None
            methods.setdefault(call.func.attr, call)
    return methods


def _backward_after(function: ast.AST, cleared: ast.Call | None) -> ast.Expr | None:
    """The `manual_backward` that comes next, as a statement."""
    after = [
        one
        for one in ast.walk(function)
        if isinstance(one, ast.Expr)
        and isinstance(one.value, ast.Call)
        and ast.unparse(one.value.func) == "self.manual_backward"
        and cleared is not None
        and one.lineno > cleared.lineno
    ]
    return min(after, key=lambda one: one.lineno, default=None)


def _name_beside(tree: Tree, back: Backward, optimizer: Value) -> str:
    """What the function that differentiates calls the optimizer where it clears its gradients."""
    for event, target in tree.training.zeroings:
        node = event.node
        if event.function is back.event.function and same(target, optimizer) and isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and is_optimizer(target):
                return text_of(tree, node.func.value)
    return ""


def _after_clearing(tree: Tree, optimizer: Value) -> list[Backward]:
    """The backward calls that come after its own `zero_grad` in a loop, which only it can be meant to use: that of an
    object which others may hold does not count."""
    for event, target in tree.training.zeroings:
        if (
            event.name != ".zero_grad"
            or target is None
            or roots(target) != roots(optimizer)
            or not event.loops
        ):
            continue
        loop = event.loops[-1]
        backs = [
            back
            for back in tree.training.backwards
            if back.event.inside(loop) and back.event.index > event.index
        ]
        if backs:
            return backs[:1]
    return []


def _steps_somehow(tree: Tree) -> bool:
    """Whether a step is called on what nobody knows: it may be this optimizer's."""
    for event in tree.course.calls(".step"):
        if event.on is not None and not is_optimizer(event.on):
            if any(not root.by.startswith("torch.optim.lr_scheduler") for root in roots(event.on)):
                return True
    return False


def _by_hand(tree: Tree) -> bool:
    """Whether parameters are updated by hand: a gradient is part of a write in place, or taken off something."""
    places = tree.course.places
    for node in tree.course.nodes(ast.Attribute):
        if not isinstance(node, ast.Attribute) or node.attr != "grad" or not isinstance(node.ctx, ast.Load):
            continue
        statement = places.statement(node)
        if isinstance(statement, ast.AugAssign) and isinstance(statement.op, (ast.Sub, ast.Add)):
            return True
        if isinstance(statement, (ast.Assign, ast.Return)) and isinstance(statement.value, ast.BinOp):
            if isinstance(statement.value.op, (ast.Sub, ast.Add)):
                return True
        for call in places.above(node):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                name = call.func.attr
                if name.endswith("_") and name not in ("zero_", "detach_", "requires_grad_"):
                    return True
    return bool(tree.course.calls("torch._foreach_add_", "torch._foreach_sub_"))
