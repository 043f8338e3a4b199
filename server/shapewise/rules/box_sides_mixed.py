"""The area of boxes whose two sides share a corner's number: `(x2 - x1) * (y2 - x1)`; an overlap whose two corners are both the larger."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..edits.calls import replace_attribute
from ..edits.statements import replace, source
from ..program.names import last_name
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Tensor, Value
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import found, found_at

RULE = "box-sides-mixed"
UNCALLED = True
_CORNER = re.compile(r"(?P<axis>[xy])_?(?P<which>[12]|min|max)", re.IGNORECASE)


class _Corner(NamedTuple):
    """A number of a box: of which boxes, along which axis, and of which corner (0 or 1)."""

    of: str
    axis: int
    which: int
    node: ast.expr


_LARGER, _SMALLER = frozenset("max maximum".split()), frozenset("min minimum".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each product of two differences of corners, one of which is between two axes; each overlap of corners that were chosen alike."""
    yield from _overlaps(log, tree)
    yield from _squares(tree)
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


_AREA = re.compile(r"area|inter|iou|overlap|union", re.IGNORECASE)
_SIZES = re.compile(r"^(wh|hw|sizes?|sides?|dims?|extents?|inter|whs)$", re.IGNORECASE)


def _squares(tree: Tree) -> Iterator[Finding]:
    """`wh[..., 0] * wh[..., 0]`: one of both sides twice, where no sum of squares is meant."""
    for node in tree.course.places.nodes:
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
            continue
        side, again = _corner(node.left), node.right
        if side is None or not isinstance(node.left, ast.Subscript) or ast.dump(node.left) != ast.dump(again):
            continue
        around = tree.course.places.statement(node)
        if not _SIZES.match(last_name(node.left.value)) or around is None:
            continue
        if any(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add) for one in ast.walk(around)):
            continue
        scope = tree.course.places.function(node)
        said = (
            ast.unparse(around.targets[0])
            if isinstance(around, ast.Assign)
            else ""
            if scope is None
            else scope.name
        )
        if not _AREA.search(said):
            continue
        if isinstance(again, ast.Subscript) and isinstance(again.slice, ast.Tuple):
            number = side.axis + 2 * side.which
            other = str(number + 1 - 2 * side.axis)
            yield found(
                RULE,
                tree,
                node,
                f"both factors are side {number}: this is its square, not the area of a box. The other side is in column {other}.",
                Fix(f"column {other}", "unsafe", (replace(tree.text, again.slice.elts[1], other),)),
            )


def _overlaps(log: Log, tree: Tree) -> Iterator[Finding]:
    """`(max(a[:, 2:], b[:, 2:]) - max(a[:, :2], b[:, :2])).clamp(min=0)`: the smaller of the far corners is where both boxes end."""
    lineage = lineage_of(log)
    for op in ops_of(log, ("clamp", "clamp_", "clamp_min", "relu")):
        less = lineage.maker(op.args[0]) if op.args else None
        if less is None or short(less.name) not in ("-", "sub") or len(less.args) != 2:
            continue
        far, near = (lineage.maker(one) for one in less.args)
        if far is None or near is None or far is near:
            continue
        kind = next((one for one in (_LARGER, _SMALLER) if {short(far.name), short(near.name)} <= one), None)
        pairs = [[_boxes(lineage, arg) for arg in one.args] for one in (far, near)]
        if kind is None or pairs[0] != pairs[1] or len({*pairs[0]} - {None}) != 2:
            continue
        wrong, said = (far, "max") if kind is _LARGER else (near, "min")
        where = "ends, which is the smaller" if kind is _LARGER else "begins, which is the larger"
        yield found_at(
            RULE,
            wrong.span,
            f"both corners of this overlap are taken by {said}: it is not what two boxes share. Both are left where the first of them {where}.",
            *_the_other(wrong, tree),
            related=[Related(less.span, "the sides of the overlap")],
        )


def _boxes(lineage: Lineage, corners: Value) -> int | None:
    """The tensor of boxes that corners were cut out of."""
    found = None
    for _ in range(4):
        op = lineage.maker(corners)
        if op is None or short(op.name) not in ("[]", "unsqueeze") or not isinstance(op.args[0], Tensor):
            break
        found = op.args[0].id
        corners = op.args[0]
    return found


def _the_other(op: Op, tree: Tree) -> tuple[Fix, ...]:
    call = tree.at(op.span, ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute):
        return ()
    name = {"max": "min", "min": "max", "maximum": "minimum", "minimum": "maximum"}.get(call.func.attr)
    if name is None:
        return ()
    return (Fix(f"take it by {name}", "unsafe", (replace_attribute(tree.text, call.func, name),)),)


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
