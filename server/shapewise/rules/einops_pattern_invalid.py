"""A pattern that einops refuses: by its text, or for the tensor that it is given."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from ..edits.statements import replace
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.refusals import Refusal, refusals
from .asking.tree import Tree
from .telling.found import argument_node, fix, found

RULE = "einops-pattern-invalid"
_FUNCTIONS = {"rearrange": 1, "reduce": 1, "repeat": 1, "Rearrange": 0, "Reduce": 0}
"""Where each takes its pattern."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """What fails where it runs, and what can never be right."""
    told: set[object] = set()
    for refusal in refusals(log, tree):
        if refusal.op.name.startswith("einops."):
            told.add(refusal.op.span)
            yield refusal.finding(RULE, fixes=list(_of_refused(tree, refusal)))
    names = [f"einops.{name}" for name in _FUNCTIONS] + [f"einops.layers.torch.{name}" for name in _FUNCTIONS]
    for event in tree.course.calls(*names):
        call = event.node
        if not isinstance(call, ast.Call) or tree.span(call) in told or "**" in event.kwargs:
            continue
        kind = event.name.rsplit(".", 1)[-1]
        pattern = argument_node(call, "pattern", _FUNCTIONS[kind])
        if isinstance(pattern, ast.Constant) and isinstance(pattern.value, str):
            does = kind.lower()
            if does == "reduce":
                does = _reduction(argument_node(call, "reduction", _FUNCTIONS[kind] + 1))
            wrong = _wrong(pattern.value, does) or _unsized(pattern.value, does, set(event.kwargs))
            if wrong is None and kind.lower() == "reduce":
                wrong = _unknown(argument_node(call, "reduction", _FUNCTIONS[kind] + 1))
            if wrong is not None:
                renamed = _renamed(pattern.value)
                fixes = [
                    fix(f"{name!r} on both sides", replace(tree.text, pattern, f'"{text}"'))
                    for name, text in renamed
                ]
                yield found(RULE, tree, call, f"einops refuses this pattern: {wrong}.", *fixes)


def _of_refused(tree: Tree, refusal: Refusal) -> Iterator[Fix]:
    call = tree.at(refusal.op.span, ast.Call)
    at = _FUNCTIONS.get(refusal.op.name.removeprefix("einops."))
    pattern = argument_node(call, "pattern", at) if call is not None and at is not None else None
    if isinstance(pattern, ast.Constant) and isinstance(pattern.value, str):
        for name, text in _renamed(pattern.value):
            yield fix(f"{name!r} on both sides", replace(tree.text, pattern, f'"{text}"'))


def _renamed(pattern: str) -> Iterator[tuple[str, str]]:
    """A name, and the pattern with it on the right, where one name is only on the left, and another one only on the right."""
    left, arrow, right = pattern.partition("->")
    names, others = _names(left), _names(right)
    if arrow and isinstance(names, list) and isinstance(others, list):
        lost, new = set(names) - set(others), set(others) - set(names)
        if len(lost) == len(new) == 1:
            (name,), (other,) = lost, new
            yield name, left + arrow + re.sub(rf"\b{re.escape(other)}\b", name, right)


def _reduction(given: ast.expr | None) -> str:
    """What a reduction does with names: a layer takes "repeat" for one as well; empty if that is not known."""
    if not isinstance(given, ast.Constant) or not isinstance(given.value, str):
        return ""
    return given.value if given.value in ("rearrange", "repeat") else "reduce"


def _wrong(pattern: str, kind: str) -> str | None:
    """What is wrong with the text of a pattern, whatever the tensor. `kind`: rearrange, reduce, repeat or empty."""
    if pattern.count("->") != 1:
        return "it needs one ->"
    left, right = (_names(side) for side in pattern.split("->"))
    for side in (left, right):
        if isinstance(side, str):
            return side
    assert not isinstance(left, str) and not isinstance(right, str)
    twice = next((name for side in (left, right) for name, n in Counter(side).items() if n > 1), None)
    if twice is not None:
        return f"{twice} stands twice on one side"
    lost, new = set(left) - set(right), set(right) - set(left)
    if kind in ("rearrange", "repeat") and lost:
        return f"{_list(lost)} is only on the left"
    if kind in ("rearrange", "reduce") and new:
        return f"{_list(new)} is only on the right"
    return None


def _unsized(pattern: str, kind: str, given: set[str]) -> str | None:
    """What is wrong with the sizes that are given beside a right pattern."""
    left, right = pattern.split("->")
    if kind == "repeat":
        new = {name for name in {*_names(right)} - {*_names(left)} - given if name.isidentifier()}
        if new:
            return f"the size of {_list(new)} is not given"
    for group in re.findall(r"\(([^()]*)\)", left):
        open_ones = {name for name in group.split() if name.isidentifier()} - given
        if len(open_ones) > 1:
            return f"of {_list(open_ones)} all but one size have to be given"
    return None


def _unknown(given: ast.expr | None) -> str | None:
    """What is wrong with the text of a reduction."""
    if isinstance(given, ast.Constant) and isinstance(given.value, str) and given.value not in _REDUCTIONS:
        return f"{given.value!r} is none of {', '.join(_REDUCTIONS)}"
    return None


_REDUCTIONS = ("min", "max", "sum", "mean", "prod", "any", "all", "repeat", "rearrange")


def _names(side: str) -> list[str] | str:
    """The names of one side, or what is wrong with its brackets."""
    names, inside = [], False
    for word in side.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            if inside:
                return "brackets stand in brackets"
            inside = True
        elif word == ")":
            if not inside:
                return "a bracket is closed that was not opened"
            inside = False
        elif not word.isdigit() and word != "_":
            names.append(word)
    return "a bracket is not closed" if inside else names


def _list(names: set[str]) -> str:
    return ", ".join(sorted(names))
