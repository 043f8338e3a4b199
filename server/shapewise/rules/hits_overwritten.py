"""Hits of a batch that are written over those of the batches before, where all are divided by how many items there were."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.names import last_name
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "hits-overwritten"
_SUMS = ("sum", "count_nonzero")
_COMPARES = ("eq", "ne", "isclose")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each variable that is 0 before a loop, set anew to the hits of a batch in it, and divided by one that counts in it."""
    for loop in tree.course.nodes(ast.For):
        assert isinstance(loop, ast.For)
        for statement in _statements(loop.body):
            name = _set(statement)
            weighted = _is_weighted(statement.value)
            hits = not weighted and _is_of_a_batch(statement.value, loop)
            mean = not weighted and not hits and ast.unparse(statement.value).endswith(".item()")
            if name is None or not (weighted or hits or mean):
                continue
            around = tree.course.places.function(loop)
            own = [one for one in tree.course.places.nodes if tree.course.places.function(one) is around]
            before = [one for one in own if isinstance(one, ast.Assign) and one.lineno < loop.lineno]
            if not any(name in _zeroed(one) for one in before) or _used(loop, name) != 1:
                continue
            counted = {
                one.target.id
                for one in ast.walk(loop)
                if isinstance(one, ast.AugAssign)
                and isinstance(one.op, ast.Add)
                and isinstance(one.target, ast.Name)
            }
            share = _over_the_rounds(own, loop, name) if mean else _divided(own, loop, name, counted)
            if share is None:
                continue
            added = f"{name} += {source(tree.text, statement.value)}"
            yield found(
                RULE,
                tree,
                statement,
                f"{name} is set anew in each round: after the loop it has the {'hits' if hits else 'loss'} of the last batch only, and "
                f"is divided by {'how many there are' if mean else 'the items of all'}. Add them up.",
                fix("add them up", replace(tree.text, statement, added)),
                related=[Related(tree.span(share), "divided here")],
            )


def _statements(body: list[ast.stmt]) -> Iterator[ast.Assign]:
    """The assignments that each round makes."""
    for one in body:
        if isinstance(one, ast.Assign):
            yield one
        elif isinstance(one, ast.With):
            yield from _statements(one.body)


def _set(statement: ast.Assign) -> str | None:
    target = statement.targets[0] if len(statement.targets) == 1 else None
    return target.id if isinstance(target, ast.Name) else None


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _is_of_a_batch(value: ast.expr, loop: ast.For) -> bool:
    """Whether it is the sum of a comparison of what each round makes anew: of nothing that grows in the loop."""
    calls = [
        one for one in ast.walk(value) if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)
    ]
    words = {one.func.attr for one in calls if isinstance(one.func, ast.Attribute)}
    compared = any(isinstance(one, ast.Compare) for one in ast.walk(value)) or words & set(_COMPARES)
    if not compared or not words & set(_SUMS):
        return False
    made = _names(loop.target)
    for one in ast.walk(loop):
        if isinstance(one, ast.Assign) and not (_names_set(one) & _names(one.value)):
            made |= _names_set(one)
    grown = {
        one.func.value.id
        for one in ast.walk(loop)
        if isinstance(one, ast.Call)
        and isinstance(one.func, ast.Attribute)
        and one.func.attr in ("append", "extend", "update", "add")
        and isinstance(one.func.value, ast.Name)
    }
    compares: list[ast.expr] = [one for one in ast.walk(value) if isinstance(one, ast.Compare)]
    compares += [one for one in calls if isinstance(one.func, ast.Attribute) and one.func.attr in _COMPARES]
    inside = {name for one in compares for name in _names(one)}
    behind = {
        name
        for one in ast.walk(loop)
        if isinstance(one, ast.Assign) and _names_set(one) & inside
        for name in _names(one.value)
    }
    return len(inside & made) >= 2 and not (inside | behind) & grown


def _is_weighted(value: ast.expr) -> bool:
    """Whether it is `loss.item() * len(x)`: the sum over a batch, of its mean."""
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Mult):
        return False
    sides = [ast.unparse(one) for one in (value.left, value.right)]
    return any(one.endswith(".item()") for one in sides) and any(
        one.startswith("len(") or one.endswith((".size(0)", ".shape[0]")) for one in sides
    )


def _names_set(statement: ast.Assign) -> set[str]:
    return {one.id for target in statement.targets for one in ast.walk(target) if isinstance(one, ast.Name)}


def _zeroed(statement: ast.Assign) -> set[str]:
    """The names that a statement sets to 0."""
    found_names: set[str] = set()
    for target in statement.targets:
        pairs: list[tuple[ast.expr, ast.expr]] = [(target, statement.value)]
        if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            pairs = list(zip(target.elts, statement.value.elts))
        found_names |= {
            name.id
            for name, value in pairs
            if isinstance(name, ast.Name) and isinstance(value, ast.Constant) and value.value == 0
        }
    return found_names


def _used(loop: ast.For, name: str) -> int:
    return sum(isinstance(one, ast.Name) and one.id == name for one in ast.walk(loop))


def _divided(own: list[ast.AST], loop: ast.For, name: str, counted: set[str]) -> ast.BinOp | None:
    """Where that name, or a multiple of it, is divided after the loop by one that was counted up, or by the length of what
    was there before."""
    made = _names(loop.target).union(
        *(_names_set(one) for one in ast.walk(loop) if isinstance(one, ast.Assign))
    )
    for one in own:
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) and name in _names(one.left):
            after = one.lineno > (loop.end_lineno or loop.lineno)
            right = one.right
            of_all = (
                isinstance(right, ast.Call) and last_name(right.func) == "len" and not _names(right) & made
            )
            if after and (of_all or (isinstance(right, ast.Name) and right.id in counted)):
                return one
    return None


def _over_the_rounds(own: list[ast.AST], loop: ast.For, name: str) -> ast.BinOp | ast.AugAssign | None:
    """Where that name is divided after the loop by how many rounds it had: by the length of what it went over."""
    for one in own:
        if not isinstance(one, (ast.BinOp, ast.AugAssign)) or not isinstance(one.op, ast.Div):
            continue
        above, below = (one.left, one.right) if isinstance(one, ast.BinOp) else (one.target, one.value)
        if ast.unparse(above) == name and ast.unparse(below) == f"len({ast.unparse(loop.iter)})":
            if one.lineno > (loop.end_lineno or loop.lineno):
                return one
    return None
