"""What the neighbours of an expression have and it lacks: `q` and `v` are turned, and `k` between them is not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ...edits.calls import append
from ...edits.statements import replace, source
from ...edits.text import text_map
from ...vocabulary.findings import Fix
from ..asking.tree import Tree
from .changes import MODULES

_NEAR = 6
"""Statements before and behind it that are looked at."""
_OF_SHAPES = frozenset("transpose permute swapaxes t T mT unsqueeze squeeze flatten reshape view".split())
_OF_DTYPES = frozenset("float long double half to".split())


class _Link(NamedTuple):
    """One step of a chain `x.view(1).T[0]`: its name, what it is given, and where the part before it ends."""

    name: str
    node: ast.Call | ast.Attribute | ast.Subscript
    inner: ast.expr

    def arguments(self) -> list[ast.expr]:
        return list(self.node.args) if isinstance(self.node, ast.Call) else []


def lacking(node: ast.expr, tree: Tree, of_dtypes: bool) -> Iterator[Fix]:
    """Changes that make a chain of calls what the ones beside it are. `node`: one of its calls, or its beginning.

    `of_dtypes`: those that give another dtype, else those that give another shape.
    """
    whole = _outermost(node, tree)
    mine = _links(whole)
    may_lack = _OF_DTYPES if of_dtypes else _OF_SHAPES
    for other in _beside(whole, tree):
        theirs = _links(other)
        if _begin_alike(mine, whole, theirs, other):
            yield from _as_in(mine, whole, theirs, tree.text, may_lack)


def _begin_alike(mine: list[_Link], whole: ast.expr, theirs: list[_Link], other: ast.expr) -> bool:
    """Whether two chains begin with the same kind of thing: names, or calls of functions of one object."""
    one, another = (links[0].inner if links else node for links, node in ((mine, whole), (theirs, other)))
    if isinstance(one, ast.Call) and isinstance(another, ast.Call):
        return _holder(one.func) == _holder(another.func)
    return type(one) is type(another)


def _holder(func: ast.expr) -> str:
    return ast.unparse(func.value) if isinstance(func, ast.Attribute) else ""


def _outermost(node: ast.expr, tree: Tree) -> ast.expr:
    """The whole chain that an expression begins."""
    above = tree.course.places.parent
    while True:
        parent = above(node)
        if (
            isinstance(parent, (ast.Attribute, ast.Subscript))
            and parent.value is node
            or isinstance(parent, ast.Call)
            and parent.func is node
        ):
            node = parent
        else:
            return node


def _links(node: ast.expr) -> list[_Link]:
    """The steps of a chain from its beginning."""
    found: list[_Link] = []
    while True:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not _begins(node.func):
            found.append(_Link(node.func.attr, node, node.func.value))
            node = node.func.value
        elif isinstance(node, ast.Subscript):
            found.append(_Link("[]", node, node.value))
            node = node.value
        elif isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
            found.append(_Link(node.attr, node, node.value))
            node = node.value
        else:
            return found[::-1]


def _begins(func: ast.Attribute) -> bool:
    """Whether a call begins a chain: of a layer (`self.q(x)`), or of a function (`torch.cat(...)`)."""
    return ast.unparse(func.value) in MODULES | {"self"}


def _beside(whole: ast.expr, tree: Tree) -> Iterator[ast.expr]:
    """What stands where it stands, in the same call or list and in the statements around."""
    places = tree.course.places
    holder = places.parent(whole)
    if isinstance(holder, (ast.List, ast.Tuple)):
        yield from (one for one in holder.elts if one is not whole)
    elif isinstance(holder, ast.Call):
        yield from (one for one in holder.args if one is not whole)
    statement = places.statement(whole)
    if statement is None:
        return
    block = places.block(statement)
    at = block.index(statement)
    place = _place(statement, whole)
    near = [*block[max(at - _NEAR, 0) : at][::-1], *block[at + 1 : at + 1 + _NEAR]]
    for other in near:
        value = getattr(other, "value", None)
        if place is None or not isinstance(value, ast.expr) or type(other) is not type(statement):
            continue
        if place == -1:
            yield value
        elif isinstance(value, ast.Tuple) and place < len(value.elts):
            yield value.elts[place]


def _place(statement: ast.stmt, whole: ast.expr) -> int | None:
    """-1: it is the value of the statement, else its place in the tuple that is; None where it is neither."""
    value = getattr(statement, "value", None)
    if value is whole:
        return -1
    return value.elts.index(whole) if isinstance(value, ast.Tuple) and whole in value.elts else None


def _as_in(
    mine: list[_Link], whole: ast.expr, others: list[_Link], text: str, may_lack: frozenset[str]
) -> Iterator[Fix]:
    names, theirs = [one.name for one in mine], [one.name for one in others]
    if len(others) == len(mine) + 1:
        for at in range(len(others)):
            if theirs[at] in may_lack and names == [*theirs[:at], *theirs[at + 1 :]]:
                if not _is_of_its_own(others[at], others[0].inner):
                    yield _with(others[at], mine[at].inner if at < len(mine) else whole, text)
    elif names == theirs and may_lack is _OF_SHAPES:
        for one, other in zip(mine, others):
            yield from _same_order(one, other, text)


def _is_of_its_own(link: _Link, beginning: ast.expr) -> bool:
    """Whether what is given in a step is about the very thing that its chain begins with."""
    names = {one.id for arg in link.arguments() for one in ast.walk(arg) if isinstance(one, ast.Name)}
    return bool(names & ({one.id for one in ast.walk(beginning) if isinstance(one, ast.Name)} - {"self"}))


def _with(link: _Link, before: ast.expr, text: str) -> Fix:
    places = text_map(text)
    _, start = places.offsets(places.span(link.inner))
    _, end = places.offsets(places.span(link.node))
    written = text[start:end].strip()
    return Fix(f"add {written}, as beside it", "unsafe", (append(text, before, written),))


def _same_order(one: _Link, other: _Link, text: str) -> Iterator[Fix]:
    """The same arguments as beside it, where they only stand in another order."""
    if one.name not in ("view", "reshape", "permute", "transpose"):
        return
    mine, theirs = ([source(text, node) for node in link.arguments()] for link in (one, other))
    if mine != theirs and sorted(mine) == sorted(theirs):
        edits = [
            replace(text, node, new) for node, old, new in zip(one.arguments(), mine, theirs) if old != new
        ]
        yield Fix(f"{one.name}({', '.join(theirs)}), as beside it", "unsafe", tuple(edits))
