"""Shapes in annotations: jaxtyping's `Float[Tensor, "b t d"]`, `Annotated[Tensor, "b t d"]`, `TensorType["b", 3]`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..vocabulary.span import Span
from .shapes import Shape, bracketed, of_words

if TYPE_CHECKING:
    from .places import Places

_TYPES = frozenset(
    "Float Float16 Float32 Float64 BFloat16 Int Int8 Int16 Int32 Int64 UInt UInt8 Integer Num Real Inexact Complex Bool "
    "Shaped".split()
)


def shape_in(annotation: ast.expr | None, places: Places) -> tuple[Shape, Span] | None:
    """The shape that an annotation states, and where its dims are written."""
    if annotation is None:
        return None
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return _quoted(annotation, places)
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        sides = [
            one
            for one in (annotation.left, annotation.right)
            if not (isinstance(one, ast.Constant) and one.value is None)
        ]
        return shape_in(sides[0], places) if len(sides) == 1 else None
    if not isinstance(annotation, ast.Subscript):
        return None
    name = ast.unparse(annotation.value).rsplit(".", 1)[-1]
    given = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
    if name == "Optional" and len(given) == 1:
        return shape_in(given[0], places)
    if name in _TYPES and len(given) == 2:
        return _words(given[1], places)
    if name == "Annotated" and len(given) == 2 and "Tensor" in ast.unparse(given[0]):
        return _words(given[1], places)
    if name in ("TensorType", "TT") and isinstance(annotation.slice, ast.Tuple):
        return _listed(given, places)
    return None


def _words(node: ast.expr, places: Places) -> tuple[Shape, Span] | None:
    """The dims in a string, as jaxtyping writes them, or in brackets within it."""
    span = places.span(node)
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or span.line != span.end_line:
        return None
    written = places.lines[span.line - 1][span.column : span.end_column]
    at = written.find(node.value) if node.value else -1
    if at < 0:
        return None
    text = node.value
    stripped = text.strip()
    if stripped.startswith(("(", "[")):
        start = text.index(stripped[0])
        shape = bracketed(text, start, start + len(stripped))
    else:
        start = len(text) - len(text.lstrip())
        shape = of_words(text.split(), start, start + len(stripped), " ", typed=True)
    if shape is None:
        return None
    column = span.column + at
    return shape, Span(span.line, column + shape.start, span.line, column + shape.end)


def _listed(nodes: list[ast.expr], places: Places) -> tuple[Shape, Span] | None:
    """`TensorType["batch", "time", 3]`, with types and the like behind."""
    words = []
    for node in nodes:
        if isinstance(node, ast.Constant) and (type(node.value) is int or isinstance(node.value, str)):
            words.append(str(node.value))
        elif isinstance(node, ast.Constant) and node.value is ...:
            words.append("...")
        else:
            break
    shape = of_words(words, 0, 0, ", ", typed=True) if words else None
    if shape is None:
        return None
    first, last = places.span(nodes[0]), places.span(nodes[len(words) - 1])
    return shape, Span(first.line, first.column, last.end_line, last.end_column)


def _quoted(node: ast.Constant, places: Places) -> tuple[Shape, Span] | None:
    """An annotation that is a string: its dims stand where the string has them."""
    try:
        inner = ast.parse(str(node.value), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    within = type(places)(str(node.value))
    found = shape_in(inner, within)
    span = places.span(node)
    if found is None or span.line != span.end_line:
        return None
    shape, _ = found
    return shape, span
