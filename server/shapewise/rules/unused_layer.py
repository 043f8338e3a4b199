"""A layer that is made, moved, saved, given to the optimizer, and never used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..program.events import Event
from ..program.training import is_module
from ..program.values import INSTANCE, roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import found

RULE = "unused-layer"
_WITHOUT_PARAMETERS = re.compile(
    r"torch\.nn\.((?!PReLU)\w*ReLU6?|\w*ELU|SiLU|Mish|\w*Tanh|\w*[Ss]igmoid|\w*[Ss]oft\w+|\w*Dropout\w*|\w*Pool\dd|\w*Pad\dd|"
    r"Flatten|Unflatten|Identity|Upsample|\w*Loss|CosineSimilarity|PairwiseDistance|Pixel\w+|Fold|Unfold)$"
)
_BY_NAME = (
    "getattr",
    "children",
    "named_children",
    "modules",
    "named_modules",
    "_modules",
    "get_submodule",
    "__dict__",
    "vars",
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every layer set in `__init__` of a module with a forward of its own, whose name nothing reads."""
    course = tree.course
    read = {
        node.attr
        for node in course.nodes(ast.Attribute)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    words = {
        str(node.value)
        for node in course.nodes(ast.Constant)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    names = {node.id for node in course.nodes(ast.Name) if isinstance(node, ast.Name)}
    by_name = (read | names) & set(_BY_NAME)
    asked = list(_asked_for(tree)) if by_name == {"getattr"} else []
    if by_name and None in (asked or [None]):
        return
    for event in course.of_kind("set"):
        owner, function = event.on, event.function
        if owner is None or owner.by != INSTANCE or owner.cls is None or function is None:
            continue
        cls = owner.cls
        if function.name != "__init__" or function.cls is not cls or not cls.is_only_module:
            continue
        if "forward" not in cls.methods or event.name in read or any(event.name in word for word in words):
            continue
        if any(one is not None and event.name.startswith(one) for one in asked):
            continue
        if _has_another_name(tree, event):
            continue
        if is_module(event.args[0], surely=True):
            learns = not all(_WITHOUT_PARAMETERS.match(one.by) for one in roots(event.args[0]))
            consequence = ": its parameters get no gradient, and DDP complains of that" if learns else ""
            yield found(RULE, tree, event.node, f"{event.name} is never used{consequence}.")


def _has_another_name(tree: Tree, event: Event) -> bool:
    """Whether the same layer is an attribute of another name too."""
    return any(
        other.kind == "set" and other.name != event.name and same(other.args[0], event.args[0])
        for other in tree.course.uses(event.args[0])
    )


def _asked_for(tree: Tree) -> Iterator[str | None]:
    """How the names begin that `getattr` is asked for; None where that is not written."""
    calls = {id(node.func): node for node in tree.course.nodes(ast.Call) if isinstance(node, ast.Call)}
    for name in tree.course.nodes(ast.Name):
        if isinstance(name, ast.Name) and name.id == "getattr":
            call = calls.get(id(name))
            key = call.args[1] if call is not None and len(call.args) > 1 else None
            key = key.values[0] if isinstance(key, ast.JoinedStr) and key.values else key
            yield (
                key.value
                if isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value
                else None
            )
