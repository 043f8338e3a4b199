"""Numbers that are scaled by the mean and deviation of all items, and cut into training and test after that."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..program.names import last_name
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found

RULE = "scaled-before-split"
_SCALERS = ("StandardScaler", "MinMaxScaler", "RobustScaler", "MaxAbsScaler")
_TRAIN, _TEST = (
    re.compile(r"(^|_)(train|tr)(_|\d|$)|^train", re.I),
    re.compile(r"(^|_)(test|te|val|valid)(_|\d|$)|^(test|val)", re.I),
)
_Scope = list[ast.stmt]


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each scaling by statistics of all rows of what is then split, in one block of statements."""
    if not any(word in tree.text for word in (".std(", "Scaler", "np.std", "torch.std")):
        return
    for scope in _scopes(tree):
        scaled: dict[str, ast.stmt] = {}
        statistics: dict[str, tuple[str, str]] = {}
        for statement in scope:
            split = _split(statement, scope, scaled)
            if split is not None:
                name, place = split
                yield found(
                    RULE,
                    tree,
                    scaled.pop(name),
                    "this scales by the statistics of all items, those of the test too, and only then cuts the test off: what is measured there "
                    "is a little too good. Take the statistics of the training items alone.",
                    related=[Related(tree.span(place), "cut into training and test here")],
                )
            if not isinstance(statement, ast.Assign):
                continue
            statistics.update(_statistic(statement))
            target = _target(statement)
            if target is None:
                continue
            scaled.pop(target, None)
            if _is_scaled(statement.value, scope, statistics):
                scaled[target] = statement


def _scopes(tree: Tree) -> Iterator[_Scope]:
    yield from (one.body for one in tree.course.nodes(ast.Module) if isinstance(one, ast.Module))
    yield from (one.body for one in tree.course.nodes(ast.FunctionDef) if isinstance(one, ast.FunctionDef))


def _target(statement: ast.stmt) -> str | None:
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    return target.id if isinstance(target, ast.Name) else None


def _of_rows(call: ast.AST, *words: str) -> str | None:
    """The name whose mean, or deviation, over all rows a call takes: `x.mean(0)`, `np.std(x, axis=0)`, `x.std()`."""
    if (
        not isinstance(call, ast.Call)
        or not isinstance(call.func, ast.Attribute)
        or call.func.attr not in words
    ):
        return None
    of = call.func.value
    dims = list(call.args)
    if isinstance(of, ast.Name) and of.id in ("np", "numpy", "torch", "jnp"):
        of = dims.pop(0) if dims else of
    dims += [one.value for one in call.keywords if one.arg in ("dim", "axis")]
    first = (
        dims[0].elts[0]
        if dims and isinstance(dims[0], ast.Tuple) and dims[0].elts
        else next(iter(dims), None)
    )
    over_rows = first is None or (isinstance(first, ast.Constant) and first.value == 0)
    return of.id if isinstance(of, ast.Name) and over_rows else None


def _statistic(statement: ast.Assign) -> dict[str, tuple[str, str]]:
    """Names that a statement sets to a mean or a deviation: which of both, and of what."""
    pairs: list[tuple[ast.expr, ast.expr]] = [(statement.targets[0], statement.value)]
    target, value = pairs[0]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = list(zip(target.elts, value.elts))
    found_names: dict[str, tuple[str, str]] = {}
    for name, given in pairs:
        for word in ("mean", "std"):
            of = next((one for node in ast.walk(given) if (one := _of_rows(node, word)) is not None), None)
            if isinstance(name, ast.Name) and of is not None:
                found_names[name.id] = (word, of)
    return found_names


def _is_scaled(value: ast.expr, scope: _Scope, statistics: dict[str, tuple[str, str]]) -> bool:
    """Whether a value is something less its mean, by its deviation; or what a scaler made of it that was fitted on it."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div):
        of: dict[str, str] = {}
        for side, word in ((value.left, "mean"), (value.right, "std")):
            for node in ast.walk(side):
                name = _of_rows(node, word)
                if name is None and isinstance(node, ast.Name) and statistics.get(node.id, ("",))[0] == word:
                    name = statistics[node.id][1]
                if name is not None:
                    of[word] = name
        minus = isinstance(value.left, ast.BinOp) and isinstance(value.left.op, ast.Sub)
        own = value.left.left if isinstance(value.left, ast.BinOp) else None
        whole = isinstance(own, ast.Name) and of.get("mean") == of.get("std") == own.id
        return minus and whole and not _TRAIN.search(of["mean"])
    if (
        not isinstance(value, ast.Call)
        or not isinstance(value.func, ast.Attribute)
        or value.func.attr != "fit_transform"
    ):
        return False
    scaler, given = value.func.value, value.args[0] if value.args else None
    if isinstance(scaler, ast.Name):
        made = [one.value for one in scope if isinstance(one, ast.Assign) and _target(one) == scaler.id]
        scaler = made[0] if len(made) == 1 else scaler
    train = isinstance(given, ast.Name) and _TRAIN.search(given.id)
    return _called(scaler) in _SCALERS and given is not None and not train


def _called(node: ast.expr) -> str:
    """The last word of what is called: `preprocessing.StandardScaler()`."""
    return last_name(node.func) if isinstance(node, ast.Call) else ""


def _split(statement: ast.stmt, scope: _Scope, scaled: dict[str, ast.stmt]) -> tuple[str, ast.stmt] | None:
    """The name of what was scaled that a statement cuts into training and test, by a function or by a pair of slices."""
    if not scaled or not isinstance(statement, ast.Assign):
        return None
    value, target = statement.value, statement.targets[0]
    if isinstance(value, ast.Call) and _called(value) == "train_test_split":
        return next(
            ((one.id, statement) for one in value.args if isinstance(one, ast.Name) and one.id in scaled),
            None,
        )
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for one in [statement, *scope[scope.index(statement) + 1 :][:3]]:
        to = one.targets[0] if isinstance(one, ast.Assign) else None
        if isinstance(one, ast.Assign) and isinstance(to, ast.Tuple) and isinstance(one.value, ast.Tuple):
            pairs += zip(to.elts, one.value.elts)
        elif isinstance(one, ast.Assign) and to is not None:
            pairs.append((to, one.value))
    for of in scaled:
        parts = [to.id for to, part in pairs if isinstance(to, ast.Name) and _is_slice(part, of)]
        if (
            any(map(_TRAIN.search, parts))
            and any(map(_TEST.search, parts))
            and _is_slice_of(target, value, of)
        ):
            return of, statement
    return None


def _is_slice(part: ast.expr, of: str) -> bool:
    cut = part.slice if isinstance(part, ast.Subscript) else None
    cut = cut.elts[0] if isinstance(cut, ast.Tuple) and cut.elts else cut
    named = isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name) and part.value.id == of
    return named and isinstance(cut, ast.Slice | ast.Name)


def _is_slice_of(target: ast.expr, value: ast.expr, of: str) -> bool:
    parts = value.elts if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) else [value]
    return any(_is_slice(part, of) for part in parts)
