"""What an `assert` demands of a shape: `x.shape == (B, 3)`, `x.ndim == 3`, `x.size(1) == D`, `x.shape[-1] == 64`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .places import Function, shaped
from .words import Size, Sizes, index_of


@dataclass(frozen=True, slots=True)
class Demand:
    """One comparison that has to hold. `of`: the tensor; `at`: one dim of it, `rank`: their number, else all."""

    compared: ast.Compare
    of: ast.expr
    wanted: ast.expr
    at: int | None = None
    rank: bool = False

    def found(self, sizes: Sizes) -> tuple[Size, ...] | None:
        """What the tensor has of what is asked for."""
        if self.rank:
            return (len(sizes),)
        if self.at is None:
            return tuple(size if isinstance(size, (int, str)) else None for size in sizes)
        if not -len(sizes) <= self.at < len(sizes):
            return None
        size = sizes[self.at]
        return (size if isinstance(size, (int, str)) else None,)

    def elements(self) -> list[ast.expr] | None:
        """What is asked for, number by number."""
        wanted = self.wanted
        if self.rank or self.at is not None:
            return [wanted]
        if (
            isinstance(wanted, ast.Call)
            and ast.unparse(wanted.func).endswith("Size")
            and len(wanted.args) == 1
        ):
            wanted = wanted.args[0]
        return wanted.elts if isinstance(wanted, (ast.Tuple, ast.List)) else None


def demands(tree: ast.Module) -> Iterator[tuple[Demand, Function | None]]:
    """Each demand that ends the program if it does not hold, and the function that it stands in."""
    yield from _in(tree.body, None)


def _in(body: list[ast.stmt], within: Function | None) -> Iterator[tuple[Demand, Function | None]]:
    for node in body:
        if isinstance(node, ast.Assert):
            for demand in _of(node.test):
                yield demand, within
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _in(node.body, node)
        elif isinstance(node, (ast.Try, ast.With, ast.AsyncWith)):
            if isinstance(node, ast.Try) or any(
                "raises" in ast.unparse(one.context_expr) for one in node.items
            ):
                continue  # that it fails may be what is wanted
            yield from _in(node.body, within)
        else:
            for name in ("body", "orelse"):
                yield from _in(getattr(node, name, []), within)


def _of(test: ast.expr) -> Iterator[Demand]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for one in test.values:
            yield from _of(one)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
        left, right = test.left, test.comparators[0]
        yield from _demand(test, left, right) or _demand(test, right, left)


def _demand(test: ast.Compare, side: ast.expr, wanted: ast.expr) -> list[Demand]:
    inner = shaped(side)
    if inner is not None:
        return [Demand(test, inner, wanted)]
    if isinstance(side, ast.Attribute) and side.attr == "ndim":
        return [Demand(test, side.value, wanted, rank=True)]
    if (
        isinstance(side, ast.Subscript)
        and isinstance(side.value, ast.Attribute)
        and side.value.attr == "shape"
    ):
        at = index_of(side.slice)
        return [] if at is None else [Demand(test, side.value.value, wanted, at)]
    if isinstance(side, ast.Call) and isinstance(side.func, ast.Attribute) and not side.keywords:
        if side.func.attr == "dim" and not side.args:
            return [Demand(test, side.func.value, wanted, rank=True)]
        if side.func.attr == "size" and len(side.args) == 1:
            at = index_of(side.args[0])
            return [] if at is None else [Demand(test, side.func.value, wanted, at)]
    if isinstance(side, ast.Call) and isinstance(side.func, ast.Name) and side.func.id == "len":
        counted = shaped(side.args[0]) if len(side.args) == 1 else None
        return [] if counted is None else [Demand(test, counted, wanted, rank=True)]
    return []


def failing(
    demand: Demand, sizes: Sizes, evaluated: Callable[[ast.expr], Size]
) -> tuple[tuple[Size, ...], tuple[Size, ...]] | None:
    """What is asked for and what there is, if the one cannot be the other."""
    elements, found = demand.elements(), demand.found(sizes)
    if elements is None or found is None or any(isinstance(one, ast.Starred) for one in elements):
        return None
    wanted = tuple(evaluated(one) for one in elements)
    if len(wanted) != len(found):
        return wanted, found
    if any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in zip(wanted, found)):
        return wanted, found
    return None
