"""Methods that have to run before others do: `fit` before `transform`, which reads what is None, or not there, until then."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .reads import walked

_MISSING = re.compile(r"object has no attribute '(\w+)'")


def preparing(functions: Mapping[str, Any], method: str, refused: str) -> Iterator[str]:
    """Those of a class's methods, each with its text, that give a value to what another one lacks where it was `refused`."""
    lacking = set(_left_open(functions.get("__init__")))
    missing = _MISSING.search(refused)
    lacking |= {missing[1]} if missing is not None else set()
    lacking &= _read(functions, method)
    for name in functions:
        is_asked = name not in (method, "__init__") and not name.startswith("_")
        if (
            is_asked
            and not lacking.isdisjoint(_assigned(functions, name))
            and method not in _reached(functions, name)
        ):
            yield name


def _left_open(init: Any) -> Iterator[str]:
    """The attributes that a constructor leaves None: `self.mean = None`, `self.register_buffer("mean", None)`."""
    for use in walked(init) if init is not None else ():
        if isinstance(use, (ast.Assign, ast.AnnAssign)) and _is_none(use.value):
            targets = use.targets if isinstance(use, ast.Assign) else [use.target]
            yield from (one.attr for target in targets for one in _own(target))
        elif (
            isinstance(use, ast.Call)
            and ast.unparse(use.func).startswith("self.register_")
            and len(use.args) > 1
        ):
            if isinstance(use.args[0], ast.Constant) and _is_none(use.args[1]):
                yield str(use.args[0].value)


def _assigned(functions: Mapping[str, Any], method: str) -> set[str]:
    """The attributes that a method gives a value, or another one that it calls."""
    reached = _reached(functions, method)
    return {one.attr for name in reached for one in _own(functions[name]) if isinstance(one.ctx, ast.Store)}


def _read(functions: Mapping[str, Any], method: str) -> set[str]:
    """The attributes that a method reads, or another one that it calls, properties among them."""
    return {one.attr for name in _reached(functions, method) for one in _own(functions[name])}


def _reached(functions: Mapping[str, Any], method: str) -> set[str]:
    found: set[str] = set()
    waiting = [method]
    while waiting:
        name = waiting.pop()
        if name in functions and name not in found:
            found.add(name)
            waiting += [one.attr for one in _own(functions[name])]
    return found


def _own(node: Any) -> Iterator[ast.Attribute]:
    """The attributes of `self` that a text names, or of which it is one."""
    for use in walked(node):
        if isinstance(use, ast.Attribute) and isinstance(use.value, ast.Name) and use.value.id == "self":
            yield use


def _is_none(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
