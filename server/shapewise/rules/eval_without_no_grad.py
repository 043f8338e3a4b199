"""Evaluation that records a graph which nobody will go backward through."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import insert_before
from ..program.definitions import Function
from ..program.events import Event, Loop
from ..program.modes import may_have_grad_off, mode_calls
from ..program.training import is_module
from ..program.values import same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found, name_for

RULE = "eval-without-no-grad"
_GRADIENTS = re.compile(
    r"\bgrad\b|backward|requires_grad|hook|\badv_|_adv\b|adversar|saliency|attack|set_grad_enabled|generate"
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every function that evaluates in a loop, and in which nothing needs gradients."""
    told: set[ast.AST] = set()
    for switch, mode in mode_calls(tree.course):
        function = switch.function
        if mode is not False or function is None or function.node in told or switch.on is None:
            continue
        if not (is_module(switch.on) or _is_called(tree, switch)) or _GRADIENTS.search(_text(tree, function)):
            continue
        call = _evaluates(tree, function, switch)
        if call is not None:
            told.add(function.node)
            yield found(
                RULE,
                tree,
                call.node,
                "this is evaluation, and a graph is recorded all the same: memory for a backward that never "
                "comes. Put it under torch.no_grad() or torch.inference_mode().",
                *_fixes(tree, function),
                related=[Related(tree.span(switch.node), "in eval mode from here")],
            )


def _is_called(tree: Tree, switch: Event) -> bool:
    """Whether what was switched to evaluation is called like a layer: then it is one, whatever it is named."""
    return any(event.index > switch.index and same(event.on, switch.on) for event in tree.course.calls("()"))


def _text(tree: Tree, function: Function) -> str:
    return ast.unparse(function.node)


def _evaluates(tree: Tree, function: Function, switch: Event) -> Event | None:
    for event in tree.course.calls("()"):
        if event.function is not function or event.index < switch.index or event.root != switch.root:
            continue
        if _is_repeated(event) and same(event.on, switch.on) and event.on is not None:
            return None if may_have_grad_off(event) or _may_be_learned_from(tree, event) else event
    return None


def _may_be_learned_from(tree: Tree, call: Event) -> bool:
    """Whether what it gives is handed on as it is, in a file that learns: an agent acts in eval mode, and its words are kept."""
    return bool(tree.training.backwards) and call.value is not None and tree.course.escapes(call.value)


def _is_repeated(event: Event) -> bool:
    """Whether it is in a loop or a comprehension."""
    return any(isinstance(one, Loop) for one in event.where)


def _fixes(tree: Tree, function: Function) -> tuple[Fix, ...]:
    name = name_for(tree, "torch.no_grad")
    if name is None or not isinstance(function.node, ast.stmt):
        return ()
    return (fix(f"decorate with @{name}()", insert_before(tree.text, function.node, f"@{name}()")),)
