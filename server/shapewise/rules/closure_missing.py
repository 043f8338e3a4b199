"""An optimizer that evaluates the loss itself, several times a step, and is not given the function for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_before, source
from ..program.events import Event
from ..program.names import last_name
from ..program.values import FUNCTION, function_of, open_ended, roots
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "closure-missing"
_LBFGS = "torch.optim.LBFGS"
_CLEARS = (".zero_grad(", ".grad = None", ".grad=None", "grad.zero_(", "autograd.grad(")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each step of LBFGS without a closure, and each closure of one that adds to the gradients of its last evaluation."""
    told: set[ast.AST] = set()
    for event in tree.course.calls(".step"):
        made = roots(event.on)
        if not made or any(one.by != _LBFGS for one in made) or _is_for_others(event):
            continue
        given = event.argument("closure", 0)
        if given is None:
            if not event.args and "**" not in event.kwargs and event.node not in told:
                told.add(event.node)
                error = "LBFGS.step() missing 1 required positional argument: 'closure'"
                yield found(
                    RULE,
                    tree,
                    event.node,
                    f"{error}. It evaluates the loss several times a step: put zero_grad, the loss and backward into a function that returns "
                    "the loss, and call step with it.",
                    torch_error=error,
                    related=[Related(tree.span(made[0].node), "made here")]
                    if made[0].node is not None
                    else [],
                )
            continue
        function = function_of(given)
        node = function.node if function is not None else None
        if node is None or given.by != FUNCTION or open_ended(given):
            continue
        text = _text(tree, node)
        backs = [
            one
            for one in ast.walk(node)
            if isinstance(one, ast.Call)
            and isinstance(one.func, ast.Attribute)
            and one.func.attr == "backward"
        ]
        if len(backs) != 1 or any(word in text for word in _CLEARS) or node in told:
            continue
        told.add(node)
        yield found(
            RULE,
            tree,
            backs[0],
            "LBFGS evaluates this function several times a step, and backward adds to the gradients of the evaluation before. Clear them in "
            "the function, before backward.",
            *_clearing(tree, event, backs[0]),
            severity="warning",
            related=[Related(tree.span(event.node), "evaluated here")],
        )


def _clearing(tree: Tree, step: Event, backward: ast.Call) -> Iterator[Fix]:
    """The gradients cleared before `backward`, by the optimizer as it is called where it steps."""
    func = step.node.func if isinstance(step.node, ast.Call) else None
    statement = tree.course.places.statement(backward)
    if (
        isinstance(func, ast.Attribute)
        and isinstance(func.value, ast.Name | ast.Attribute)
        and statement is not None
    ):
        line = f"{source(tree.text, func.value)}.zero_grad()"
        yield fix("clear the gradients", insert_before(tree.text, statement, line))


def _is_for_others(step: Event) -> bool:
    """Whether it stands on a way that another optimizer takes: one not taken here, or beside a way for LBFGS."""
    tests = [one.test for one in step.branches_in(None) if one.test is not None]
    return step.passed_over or any("lbfgs" in ast.unparse(test).lower() for test in tests)


def _text(tree: Tree, function: ast.AST) -> str:
    """The text of a function, and of those of the file that it calls by name."""
    called = {last_name(one.func) for one in ast.walk(function) if isinstance(one, ast.Call)}
    helpers = [one for one in tree.course.nodes(ast.FunctionDef) if getattr(one, "name", "") in called]
    return "\n".join(map(ast.unparse, (function, *helpers)))
