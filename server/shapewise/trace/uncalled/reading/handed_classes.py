"""Classes of the file that its own functions hand to a constructor, which calls them: `ResNet(BasicBlock, [2, 2, 2, 2])`."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from .reads import calls, parameters_of

_DEPTH = 3
"""Functions that one is handed on through: `resnet18()` to `_resnet(block, layers)` to `ResNet`."""


class HandedClasses:
    """What the functions of a file hand to its classes, and to each other."""

    def __init__(self, nodes: Sequence[tuple[str, Any]], classes: Mapping[str, Any]) -> None:
        """`nodes`: the functions, by their names."""
        self._nodes, self._classes = nodes, classes

    def of(self, callee: str, places: Sequence[str], name: str, depth: int = _DEPTH) -> list[Any]:
        """The classes that a parameter is given, in the order of the calls. `places`: the parameters, in their order."""
        found: dict[Any, None] = {}
        for own, node in self._nodes if name in places else ():
            for called, use in calls(node):
                value = _argument(use, places.index(name), name) if called == callee else None
                if isinstance(value, ast.Name) and value.id in self._classes:
                    found[self._classes[value.id]] = None
                elif isinstance(value, ast.Name) and depth:
                    found.update(dict.fromkeys(self.of(own, parameters_of(node), value.id, depth - 1)))
        return list(found)


def _argument(call: ast.Call, place: int, name: str) -> ast.expr | None:
    """What a call gives for a parameter."""
    if any(isinstance(one, ast.Starred) for one in call.args[: place + 1]):
        return None
    if place < len(call.args):
        return call.args[place]
    return next((one.value for one in call.keywords if one.arg == name), None)
