"""torch.Tensor(...), which means two things."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..edits.statements import replace
from ..program.values import Value
from ..vocabulary.events import Log
from ..vocabulary.findings import Edit, Finding, Fix
from .asking.tree import Tree
from .telling.found import fix, found, name_for

RULE = "torch-Tensor-ctor"
_FILLS = frozenset(
    "normal_ uniform_ fill_ zero_ copy_ random_ bernoulli_ exponential_ geometric_ log_normal_ cauchy_".split()
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every call of it with arguments. One number is more than a hint: a tensor that holds it may be meant.

    What can be taken for nothing else, a list of floats or the memory of a parameter, is told and repaired once a file.
    """
    learned = {id(arg) for event in tree.course.calls("torch.nn.Parameter") for arg in _arguments(event.node)}
    of_style: dict[int, tuple[ast.Call, str, list[Edit]]] = {}
    for event in tree.course.calls("torch.Tensor"):
        node = event.node
        if not isinstance(node, ast.Call) or not event.args or _is_filled(tree, node):
            continue
        several = len(event.args) > 1
        sizes = several or isinstance(event.args[0].const, int)
        data = not several and event.args[0].by in ("list", "tuple", "listcomp")
        floats = data and _are_floats(event.args[0])
        if sizes:
            message = "torch.Tensor of numbers takes them for sizes, and gives memory as it is, with whatever was in it."
        elif data:
            message = "torch.Tensor makes float32 of any list. torch.tensor keeps its type, or takes dtype=."
        else:
            message = (
                "torch.Tensor makes float32 of a list, and of a number memory of that size, with whatever was in it. "
                "torch.tensor and torch.empty say which is meant."
            )
        edits = _edits(tree, node, sizes, floats) if sizes or data else []
        if floats or (several and id(node) in learned):
            of_style[id(node)] = node, message, edits
            continue
        severity = None if sizes and not several and id(node) not in learned else "hint"
        yield found(RULE, tree, node, message, *_fixes(_meant(sizes), edits), severity=severity)
    if of_style:
        first, message, _ = next(iter(of_style.values()))
        every = [edit for _, _, edits in of_style.values() for edit in edits]
        yield found(
            RULE, tree, first, message, *_fixes("torch.tensor and torch.empty", every), severity="hint"
        )


def _is_filled(tree: Tree, node: ast.Call) -> bool:
    """Whether it is written to in the same breath: `torch.Tensor(3, 4).uniform_(-1, 1)` is memory, and nobody reads what
    was in it."""
    attribute = tree.course.places.parent(node)
    return isinstance(attribute, ast.Attribute) and attribute.attr in _FILLS


def _are_floats(value: Value) -> bool:
    """Whether all that a list holds is surely a float, or it holds nothing: torch.tensor makes the same of it."""
    if value.by in ("list", "tuple"):
        return all(map(_are_floats, value.args))
    return isinstance(value.const, float) or value.annotation == "builtins.float"


def _arguments(node: ast.AST) -> list[ast.expr]:
    return [*node.args, *(one.value for one in node.keywords)] if isinstance(node, ast.Call) else []


def _meant(sizes: bool) -> str:
    return "torch.empty" if sizes else "torch.tensor"


def _edits(tree: Tree, node: ast.Call, sizes: bool, floats: bool) -> list[Edit]:
    name = name_for(tree, _meant(sizes))
    if name is None:
        return []
    edits = [replace(tree.text, node.func, name)]
    if not sizes and not floats:
        edits.append(add_keyword(tree.text, node, f"dtype={name_for(tree, 'torch.float32')}"))
    return edits


def _fixes(meant: str, edits: list[Edit]) -> tuple[Fix, ...]:
    return (fix(f"use {meant}", *edits),) if edits else ()
