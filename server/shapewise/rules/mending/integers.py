"""A number that has to be an integer and is computed by `/`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...edits.statements import replace, source
from ...vocabulary.findings import Fix

if TYPE_CHECKING:
    from ..asking.refusals import Refusal

_WANTED = re.compile(
    r"slice indices must be integers|'float' object cannot be interpreted as an integer|must be (?:tuple of )?ints?, "
    r"(?:not float|but found element of type float)|got \(.*\bfloat\b|not float$"
)
_FAR = 3
"""Names that are followed from one to another."""


def whole_division(refusal: Refusal) -> Iterator[Fix]:
    """`//` for the `/` in what the refused call is given, or in what its names are bound to."""
    if not _WANTED.search(refusal.message):
        return
    text = refusal.tree.text
    node = refusal.tree.at(refusal.op.span, ast.expr)
    waiting, seen = [node] if node is not None else [], set[str]()
    for _ in range(_FAR):
        following: list[ast.expr] = []
        for one in (inner for whole in waiting for inner in ast.walk(whole)):
            if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div):
                new = f"{source(text, one.left)} // {source(text, one.right)}"
                yield Fix(f"{new}, an integer", "unsafe", (replace(text, one, new),))
            elif isinstance(one, (ast.Name, ast.Attribute)) and ast.unparse(one) not in seen:
                seen.add(ast.unparse(one))
                following += _bound_to(one, refusal)
        waiting = following


def _bound_to(node: ast.Name | ast.Attribute, refusal: Refusal) -> Iterator[ast.expr]:
    """What assignments of the file give this name, or attribute."""
    name = ast.unparse(node)
    for one in ast.walk(refusal.tree.course.tree):
        if isinstance(one, ast.Assign) and any(ast.unparse(target) == name for target in one.targets):
            yield one.value
