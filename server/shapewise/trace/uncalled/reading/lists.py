"""Whether a function takes a parameter for a list: how many items it asks for, by what numbers, and what else it does with it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ..inputs.sizes import Free
from .reads import is_attribute, is_name, kept_as, walked


def is_listed(use: ast.AST, name: str) -> bool:
    """Whether a parameter is used as a list here."""
    if isinstance(use, (ast.For, ast.comprehension)):
        return is_name(use.iter, name)
    if isinstance(use, ast.Subscript):
        return is_name(use.value, name)
    if isinstance(use, ast.Starred):
        return is_name(use.value, name)
    return (
        isinstance(use, ast.Call)
        and isinstance(use.func, ast.Name)
        and use.func.id in ("len", "zip", "enumerate", "list", "tuple", "sum", "reversed")
        and any(is_name(arg, name) for arg in use.args)
    )


def counts(free: Free) -> bool:
    """Whether a parameter may say how many items a list has, as its name has it: no width, nothing of a window."""
    words = set((free.label or "").lower().split("_"))
    return not words & _NO_COUNTS


_NO_COUNTS = frozenset(
    "kernel stride padding pad dilation width size dim dims channels features planes units ratio eps".split()
)


def is_only_listed(node: Any, name: str) -> bool:
    """Whether a parameter is used as a list is, and as nothing else: its length is asked for, or it is read as no tensor is."""
    uses = list(walked(node))
    named = [use for use in uses if isinstance(use, ast.Name) and use.id == name]
    listed = [use for use in uses if is_listed(use, name) and not _is_cut(use)]
    asked = any(isinstance(use, ast.Call) and is_name(use.func, "len") for use in listed)
    asked = asked or any(_is_turned_around(use, name) or _is_beside_layers(use, name) for use in uses)
    return asked and len(named) == len(listed)


def _is_turned_around(use: ast.AST, name: str) -> bool:
    """Whether a parameter, or a part of it, is read from its end, as torch reads no tensor: `maps[:-1][::-1]`."""
    if not isinstance(use, ast.Subscript) or not isinstance(use.slice, ast.Slice):
        return False
    of = use.value
    while isinstance(of, ast.Subscript):
        of = of.value
    return is_name(of, name) and isinstance(use.slice.step, ast.UnaryOp)


def _is_beside_layers(use: ast.AST, name: str) -> bool:
    """Whether each item of a parameter has a layer of its own: `zip(maps, self.convs)`, `self.scales[level](map)`."""
    if not isinstance(use, (ast.For, ast.comprehension)) or not isinstance(use.iter, ast.Call):
        return False
    called, given = use.iter.func, use.iter.args
    if is_name(called, "zip"):
        return any(is_name(arg, name) for arg in given) and any(map(_is_kept, given))
    if not (is_name(called, "enumerate") and given and is_name(given[0], name)):
        return False
    number = use.target.elts[0] if isinstance(use.target, ast.Tuple) else None
    return isinstance(number, ast.Name) and any(
        isinstance(one, ast.Subscript) and is_name(one.slice, number.id) and _is_kept(one.value)
        for part in (use.body if isinstance(use, ast.For) else ())
        for one in ast.walk(part)
    )


def _is_kept(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and is_name(node.value, "self")


def is_only_looped(node: Any, name: str) -> bool:
    """Whether a parameter is looped over, and nothing else is done with it."""
    uses = list(walked(node))
    named = [use for use in uses if isinstance(use, ast.Name) and use.id == name]
    looped = [
        use for use in uses if isinstance(use, (ast.For, ast.comprehension)) and is_name(use.iter, name)
    ]
    return bool(looped) and len(named) == len(looped)


def is_only_taken_apart(node: Any, name: str) -> bool:
    """Whether a parameter is asked for several of its items, by their numbers, and for nothing else: `x[0]`, `x[1]`."""
    uses = list(walked(node))
    named = [use for use in uses if isinstance(use, ast.Name) and use.id == name]
    asked = [use.slice for use in uses if isinstance(use, ast.Subscript) and is_name(use.value, name)]
    numbers = {one.value for one in asked if isinstance(one, ast.Constant) and type(one.value) is int}
    return len(numbers) > 1 and len(named) == len(asked) == sum(
        isinstance(one, ast.Constant) for one in asked
    )


def items_of_a_state(node: Any, name: str) -> int:
    """How many parts a state has of which several are asked for by their numbers, and nothing else until the name is bound anew; 0 if it is none.

    `lstm_state[0] * keep, lstm_state[1] * keep`, then `out, lstm_state = self.lstm(...)`.
    """
    uses = [use for use in walked(node) if isinstance(use, ast.Name) and use.id == name]
    anew = min((use.lineno for use in uses if isinstance(use.ctx, ast.Store)), default=None)
    asked = [
        use
        for use in walked(node)
        if isinstance(use, ast.Subscript)
        and is_name(use.value, name)
        and isinstance(use.slice, ast.Constant)
        and type(use.slice.value) is int
    ]
    numbers = {use.slice.value for use in asked}  # type: ignore[attr-defined]
    parts = {id(use.value) for use in asked}
    others = [use for use in uses if isinstance(use.ctx, ast.Load) and id(use) not in parts]
    if len(numbers) < 2 or any(anew is None or use.lineno <= anew for use in others):
        return 0
    return int(max(numbers)) + 1


Parts = tuple["str | Parts", ...]


def only_unpacked(node: Any, name: str) -> Parts:
    """The names that a parameter is unpacked into (`h, c = state`), if before that no more is done than to ask for None.

    Where each way of a condition does so, those of the last one. What is a tuple itself has names within:
    `(sin, cos), mask = positions`.
    """
    found: list[Parts] = []
    others = 0
    tests = {
        id(use.left)
        for use in walked(node)
        if isinstance(use, ast.Compare) and isinstance(use.comparators[0], ast.Constant)
    }
    for use in walked(node):
        if isinstance(use, ast.Assign) and is_name(use.value, name) and len(use.targets) == 1:
            target = use.targets[0]
            if isinstance(target, ast.Tuple) and (parts := _parts(target)):
                found.append(parts)
                continue
        if isinstance(use, ast.Name) and use.id == name and isinstance(use.ctx, ast.Load):
            others += id(use) not in tests
    return found[-1] if others == len(found) and len(set(map(len, found))) == 1 else ()


def _parts(target: ast.Tuple) -> Parts:
    """The names in what is unpacked into; none where something else is bound."""
    parts = [
        one.id if isinstance(one, ast.Name) else _parts(one) if isinstance(one, ast.Tuple) else ()
        for one in target.elts
    ]
    return tuple(parts) if all(parts) else ()


def numbers_unpacked(node: Any, name: str, nodes: Sequence[Any]) -> int:
    """How many names a constructor's parameter is unpacked into, here or as it is kept: `h, w = self.size`; 0 if it is not.

    A shape of a tensor is unpacked as well: one that is asked for anything else is none.
    """
    kept = kept_as(node, name)
    counts = {
        len(target.elts)
        for one in (node, *nodes)
        for use in walked(one)
        if isinstance(use, ast.Assign)
        and ((one is node and is_name(use.value, name)) or any(is_attribute(use.value, at) for at in kept))
        for target in use.targets
        if isinstance(target, ast.Tuple)
        and all(isinstance(part, (ast.Name, ast.Attribute)) for part in target.elts)
    }
    return counts.pop() if len(counts) == 1 else 0


def _is_cut(use: ast.AST) -> bool:
    """Whether this is an index that a list does not take."""
    return isinstance(use, ast.Subscript) and isinstance(use.slice, ast.Tuple)


def most_indices(name: str, node: Any) -> int:
    """The most dims that an index names: two in `boxes[:, None, :2]`, one in `t[:, None]`; 0 if it is never indexed so."""
    counts = [0]
    for use in walked(node):
        if isinstance(use, ast.Subscript) and is_name(use.value, name) and isinstance(use.slice, ast.Tuple):
            one_each = [
                one for one in use.slice.elts if not (isinstance(one, ast.Constant) and one.value is None)
            ]
            if not any(isinstance(one, ast.Constant) and one.value is ... for one in one_each):
                counts.append(len(one_each))
    return max(counts)


def most_items(name: str, node: Any, apart: bool = False) -> int:
    """How many items a list has to have, as the numbers say that it is indexed with: four in `layers[3]` and `layers[-4]`.

    `apart`: what is told from its end is another item than what is told from its beginning: `maps[2]`, `maps[-1]`.
    """
    asked = [use.slice for use in walked(node) if isinstance(use, ast.Subscript) and is_name(use.value, name)]
    ahead = [one.value + 1 for one in asked if isinstance(one, ast.Constant) and type(one.value) is int]
    behind = [
        one.operand.value
        for one in asked
        if isinstance(one, ast.UnaryOp)
        and isinstance(one.op, ast.USub)
        and isinstance(one.operand, ast.Constant)
    ]
    ends = [one for one in behind if type(one) is int]
    together = max(ahead, default=0) + max(ends, default=0)
    return together if apart else max([*ahead, *ends], default=0)


def is_told_from_its_end(node: Any, name: str) -> bool:
    """Whether items of a list are asked for by their numbers from its end, or parts of it: `maps[-1]`, `maps[2:]`."""
    return any(
        isinstance(use, ast.Subscript)
        and is_name(use.value, name)
        and isinstance(use.slice, (ast.UnaryOp, ast.Slice))
        for use in walked(node)
    )
