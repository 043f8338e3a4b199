"""Which modules an optimizer is given, and which modules are parts of which."""

from __future__ import annotations

import ast

from .values import Value, options_of, roots, same

_COLLECTIONS = frozenset(
    "list tuple dict listcomp genexp dictcomp + builtins.list builtins.tuple builtins.dict builtins.reversed "
    "collections.OrderedDict".split()
)


def all_given(given: Value) -> list[Value] | None:
    """The modules of which an optimizer gets all parameters; None where it gets anything else too."""
    given = trainable(given)
    if given.by == ".parameters" and given.on is not None:
        return [given.on]
    if given.by == "generator" and given.args:
        over = [one.on for one in options_of(given.args[0]) if one.by == "for"]
        parts = [all_given(one) if one is not None else None for one in over or [None]]
        return None if None in parts else [one for part in parts for one in part or ()]
    if given.by in ("list", "tuple", "+", "*", "builtins.list", "itertools.chain", "dict"):
        inner = given.args if given.by != "*" or given.args else (given.on,) if given.on is not None else ()
        if given.by == "dict":
            inner = tuple(v for k, v in zip(given.keys, given.args) if k == "params")
        parts = [all_given(one) for one in inner]
        if parts and all(part is not None for part in parts):
            return [one for part in parts for one in part or ()]
    return None


def trainable(given: Value) -> Value:
    """What a list, a filter or a comprehension takes every parameter from that requires grad; any other value is itself."""
    for _ in range(4):
        if given.by in ("builtins.list", "builtins.tuple", "builtins.iter") and len(given.args) == 1:
            given = given.args[0]
        elif given.by == "builtins.filter" and len(given.args) == 2 and _asks_for_grad(given.args[0].node):
            given = given.args[1]
        elif given.by in ("listcomp", "genexp") and given.on is not None and _keeps_each(given.node):
            given = given.on
    return given


def _asks_for_grad(function: ast.AST | None) -> bool:
    """Whether it is `lambda p: p.requires_grad`."""
    return isinstance(function, ast.Lambda) and _is_flag(function.body)


def _keeps_each(node: ast.AST | None) -> bool:
    """Whether a comprehension gives what it goes over, all of it or what requires grad."""
    if not isinstance(node, (ast.ListComp, ast.GeneratorExp)) or len(node.generators) != 1:
        return False
    over, kept = node.generators[0], node.elt
    whole = isinstance(kept, ast.Name) and isinstance(over.target, ast.Name) and kept.id == over.target.id
    return whole and all(_is_flag(test) for test in over.ifs)


def _is_flag(test: ast.expr) -> bool:
    return isinstance(test, ast.Attribute) and test.attr == "requires_grad"


def is_in(layer: Value, whole: Value) -> bool:
    """Whether a layer may be a module, or one of its parts."""
    return same(layer, whole) or any(holds(root, one) for root in roots(whole) for one in roots(layer))


def holds(whole: Value, part: Value, depth: int = 0) -> bool:
    """Whether a module has another in its attributes or among its layers. What a function of unknown making
    was given is not in what it gave back: a deep copy holds nothing of its original.
    """
    if whole is part:
        return True
    inner = list(whole.attrs.values())
    if whole.by.startswith("torch.nn.") or whole.by in _COLLECTIONS:
        inner += [*whole.args, *whole.kwargs.values()]
    elif whole.by == "*" and whole.on is not None:
        inner.append(whole.on)
    return depth < 6 and any(holds(root, part, depth + 1) for one in inner for root in roots(one))


def is_surely_in(part: Value, whole: Value) -> bool:
    """Whether a module is the other one, or a part of it, whichever of several it is."""
    mine, others = roots(part), roots(whole)
    return len(others) == 1 and bool(mine) and all(holds(others[0], one) for one in mine)
