"""A model spread over devices, and then moved."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import remove_statement, replace, source
from ..program.devices import is_device
from ..program.events import Event
from ..program.values import EITHER, Value, constant, roots
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.hugging import is_pretrained
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "hf-device-map-then-to"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every move of a model that was loaded with a device map."""
    for event in tree.course.calls(".to", ".cuda"):
        made = roots(event.on)
        if not is_pretrained(event.on):
            continue
        if any("device_map" not in one.kwargs or constant(one.kwargs["device_map"]) is None for one in made):
            continue
        if any(_is_given_under_a_condition(tree, one) for one in made):
            continue
        if event.name == ".to" and not _is_to_a_device(event):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "device_map has placed the layers, with hooks that move what goes between them; moving the model afterwards raises "
            "or undoes that. Move the inputs to model.device.",
            *_fixes(tree, event.node),
            related=[Related(tree.span(made[0].node), "placed here")] if made[0].node is not None else [],
        )


_DEVICE = re.compile(r"device|cuda|gpu|rank|cpu|mps|xpu", re.IGNORECASE)


def _is_to_a_device(event: Event) -> bool:
    """Whether it says so: what else is given may be a dtype."""
    device = event.argument("device", 0)
    if device is None or device.path.startswith("torch."):
        return False
    said = constant(device)
    return (
        is_device(device) or type(said) is int or bool(_DEVICE.search(f"{device.name} {device.also} {said}"))
    )


def _is_given_under_a_condition(tree: Tree, made: Value) -> bool:
    """Whether the map gets into the arguments only on a way that the load itself is not on: so may be the move, on the other."""
    given, load = made.kwargs["device_map"], made.node
    if given.by == EITHER or given.node is None or load is None:
        return given.by == EITHER
    around = list(tree.course.places.above(load))
    return any(
        isinstance(one, ast.If) and all(one is not other for other in around)
        for one in tree.course.places.above(given.node)
    )


def _fixes(tree: Tree, node: ast.AST) -> tuple[Fix, ...]:
    statement = tree.course.places.statement(node)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or statement is None:
        return ()
    if isinstance(statement, ast.Expr) and statement.value is node:
        alone = len(tree.course.places.block(statement)) == 1
        return (fix("leave it where it is", remove_statement(tree.text, statement, alone), safe=True),)
    return (
        fix("leave it where it is", replace(tree.text, node, source(tree.text, node.func.value)), safe=True),
    )
