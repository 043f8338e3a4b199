"""What a file compiles: functions, and models with the layers that they hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...program.course import Course
from ...program.definitions import Class, Function
from ...program.events import Entered
from ...program.values import FUNCTION, INSTANCE, Value, roots

_DEEP = 6
"""Modules in modules that are looked into."""


def compiled(course: Course) -> list[Function]:
    """The functions, and the forwards of models and of their layers, that torch.compile is given or decorates."""
    found: dict[ast.AST, Function] = {}
    for event in course.calls("torch.compile"):
        for root in roots(event.argument("model", 0)):
            for function in _functions(root):
                found.setdefault(function.node, function)
    for around in {id(event.where[-1]): event.where for event in course.events if event.where}.values():
        inside = False
        for function in (one.function for one in around if isinstance(one, Entered)):
            inside = inside or function.node in found or any(map(_compiles, function.decorators))
            if inside:  # what it calls is compiled with it
                found.setdefault(function.node, function)
    return list(found.values())


def _functions(value: Value) -> Iterator[Function]:
    if value.by == FUNCTION and value.function is not None:
        yield value.function
    elif value.by == INSTANCE or value.by.startswith("torch.nn."):
        for cls in _classes(value, _DEEP):
            forward = cls.method("forward")
            if forward is not None:
                yield forward


def _classes(value: Value, depth: int) -> Iterator[Class]:
    """The modules of the file that one is, or holds: in attributes, lists and torch's containers."""
    if value.cls is not None and value.by == INSTANCE:
        if not value.cls.is_module:
            return
        yield value.cls
    held = value.attrs.values() if value.by == INSTANCE else value.made_of()
    for one in held if depth else ():
        for root in roots(one):
            yield from _classes(root, depth - 1)


def _compiles(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called) == "torch.compile"
