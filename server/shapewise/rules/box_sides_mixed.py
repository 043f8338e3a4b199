"""The area of boxes whose two sides share a corner's number: `(x2 - x1) * (y2 - x1)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..edits.statements import replace, source
from ..program.names import last_name
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import found

RULE = "box-sides-mixed"
_CORNER = re.compile(r"(?P<axis>[xy])_?(?P<which>[12]|min|max)", re.IGNORECASE)


class _Corner(NamedTuple):
    """A number of a box: of which boxes, along which axis, and of which corner (0 or 1)."""

    of: str
    axis: int
    which: int
    node: ast.expr


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each product of two differences of corners, one of which is between two axes."""
    for node in tree.course.places.nodes:
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
            continue
        sides = [_side(node.left), _side(node.right)]
        if sides[0] is None or sides[1] is None:
            continue
        (right, left), (lower, upper) = sides[0], sides[1]
        corners = (right, left, lower, upper)
        if len({one.of for one in corners}) != 1:
            continue
        straight = [one for one in (sides[0], sides[1]) if one[0].axis == one[1].axis]
        if len(straight) != 1 or any(one[0].which == one[1].which for one in sides if one is not None):
            continue
        crossed = sides[1] if straight[0] is sides[0] else sides[0]
        if crossed is None or crossed[0].axis == straight[0][0].axis:
            continue
        yield found(
            RULE,
            tree,
            node,
            f"one side is {_said(tree, straight[0])}, and the other {_said(tree, crossed)} is between two axes: this is not the area of a "
            "box.",
            *_fixes(tree, crossed, straight[0]),
        )


def _side(node: ast.expr) -> tuple[_Corner, _Corner] | None:
    """A difference of two corners, as it is or clamped, one added or not."""
    for _ in range(3):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_function = ast.unparse(node.func.value) == "torch"
            if is_function and not node.args:
                return None
            node = node.args[0] if is_function else node.func.value
        elif (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Add)
            and isinstance(node.right, ast.Constant)
        ):
            node = node.left
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
        return None
    pair = _corner(node.left), _corner(node.right)
    return None if pair[0] is None or pair[1] is None else (pair[0], pair[1])


def _corner(node: ast.expr) -> _Corner | None:
    """`boxes[:, 2]`, `boxes[..., 3]`; `x1`, `a_x2`, `box.ymin`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:
        rows, column = node.slice.elts
        whole = isinstance(rows, ast.Slice) and rows.lower is None and rows.upper is None
        dots = isinstance(rows, ast.Constant) and rows.value is ...
        number = column.value if isinstance(column, ast.Constant) else None
        if (whole or dots) and isinstance(number, int) and 0 <= number < 4:
            return _Corner(ast.unparse(node.value), number % 2, number // 2, node)
    name = last_name(node)
    match = next((one for one in (_CORNER.search(name),) if one is not None), None)
    if match is None:
        return None
    rest = name[: match.start()] + "|" + name[match.end() :]
    owner = ast.unparse(node.value) if isinstance(node, ast.Attribute) else ""
    which = match["which"].lower() in ("2", "max")
    return _Corner(f"{owner}.{rest}", match["axis"].lower() == "y", int(which), node)


def _said(tree: Tree, side: tuple[_Corner, _Corner]) -> str:
    return f"{source(tree.text, side[0].node)} - {source(tree.text, side[1].node)}"


def _fixes(
    tree: Tree, crossed: tuple[_Corner, _Corner], straight: tuple[_Corner, _Corner]
) -> tuple[Fix, ...]:
    """The number of the other axis, written as its neighbour is."""
    axis = 1 - straight[0].axis
    wrong = next((one for one in crossed if one.axis != axis), None)
    if wrong is None:
        return ()
    written = source(tree.text, wrong.node)
    if isinstance(wrong.node, ast.Subscript) and isinstance(wrong.node.slice, ast.Tuple):
        text = str(wrong.which * 2 + axis)
        edit = replace(tree.text, wrong.node.slice.elts[1], text)
        return (Fix(f"column {text}", "unsafe", (edit,)),)
    letters = ("x", "y") if wrong.axis == 0 else ("y", "x")
    match = _CORNER.search(written)
    if match is None:
        return ()
    letter = letters[1].upper() if match["axis"].isupper() else letters[1]
    text = written[: match.start("axis")] + letter + written[match.end("axis") :]
    return (Fix(text, "unsafe", (replace(tree.text, wrong.node, text),)),)
