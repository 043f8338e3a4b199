"""torch.Tensor(...), which means two things."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.edits import add_keyword
from ..fixes.statements import replace
from ..program.values import Value
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .found import fix, found, name_for
from .tree import Tree

RULE = "torch-Tensor-ctor"
_FILLS = frozenset(
    "normal_ uniform_ fill_ zero_ copy_ random_ bernoulli_ exponential_ geometric_ log_normal_ cauchy_".split()
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every call of it with arguments. One number is more than a hint: a tensor that holds it may be meant.

    What can be taken for nothing else, a list of floats or the memory of a parameter, is told once a file.
    """
    learned = {id(arg) for event in tree.course.calls("torch.nn.Parameter") for arg in _arguments(event.node)}
    told = False
    for event in tree.course.calls("torch.Tensor"):
        node = event.node
        if not isinstance(node, ast.Call) or not event.args or _is_filled(tree, node):
            continue
        sizes = all(isinstance(arg.const, int) for arg in event.args)
        data = len(event.args) == 1 and event.args[0].by in ("list", "tuple", "listcomp")
        floats = data and _are_floats(event.args[0])
        of_style = floats or (len(event.args) > 1 and id(node) in learned)
        if of_style and told:
            continue
        told |= of_style
        if sizes or len(event.args) > 1:
            message = "torch.Tensor of numbers takes them for sizes, and gives memory as it is, with whatever was in it."
        elif data:
            message = "torch.Tensor of a list makes float32 of whatever is in it. torch.tensor keeps the type, or is told."
        else:
            message = (
                "torch.Tensor makes float32 of a list, and of a number memory of that size, with whatever was in it. "
                "torch.tensor and torch.empty say which is meant."
            )
        yield found(
            RULE,
            tree,
            node,
            message,
            *_fixes(tree, node, sizes, data, floats),
            severity=None if sizes and len(event.args) == 1 and id(node) not in learned else "hint",
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


def _fixes(tree: Tree, node: ast.Call, sizes: bool, data: bool, floats: bool) -> tuple[Fix, ...]:
    name = name_for(tree, "torch.empty" if sizes else "torch.tensor")
    if name is None or not (sizes or data) or not isinstance(node.func, ast.expr):
        return ()
    if sizes:
        return (fix("use torch.empty", replace(tree.text, node.func, name)),)
    edits = [replace(tree.text, node.func, name)]
    if not floats:
        edits.append(add_keyword(tree.text, node, f"dtype={name_for(tree, 'torch.float32')}"))
    return (fix("use torch.tensor", *edits),)
