"""Edits of whole statements, in the style of the text around them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..vocabulary.findings import Edit
from ..vocabulary.span import Span
from .text import text_map


def replace(text: str, node: ast.expr | ast.stmt | ast.keyword | ast.arg, new: str) -> Edit:
    """Write something else in the place of a node."""
    return Edit(text_map(text).span(node), new)


def source(text: str, node: ast.expr | ast.stmt | ast.keyword) -> str:
    """A node as it is written."""
    places = text_map(text)
    return places.slice(places.span(node))


def insert_before(text: str, statement: ast.stmt, new: str) -> Edit:
    """A statement on a line of its own before another, with its indentation."""
    places = text_map(text)
    line = statement.lineno
    for decorator in getattr(statement, "decorator_list", ()):
        line = min(line, decorator.lineno)
    span = places.span(statement)
    column = span.column if line == span.line else len(places.indent(line))
    lead = places.line(line)[:column]
    if lead.strip():  # behind a `;` or on the line of its header
        return Edit(Span(line, column, line, column), f"{new}; ")
    return Edit(
        Span(line, 0, line, 0), "\n".join(lead + row if row else row for row in new.split("\n")) + "\n"
    )


def insert_after(text: str, statement: ast.stmt, new: str) -> Edit:
    """A statement on a line of its own after another, with its indentation."""
    places = text_map(text)
    span = places.span(statement)
    lead = places.line(span.line)[: span.column]
    rest = places.line(span.end_line)[span.end_column :]
    if lead.strip() or rest.lstrip().startswith(";"):
        at = Span(span.end_line, span.end_column, span.end_line, span.end_column)
        return Edit(at, f"; {new}")
    end = len(places.line(span.end_line))
    rows = "".join("\n" + (lead + row if row else row) for row in new.split("\n"))
    return Edit(Span(span.end_line, end, span.end_line, end), rows)


def put_under(text: str, row: Sequence[ast.stmt], header: str, body: str = "") -> Edit | None:
    """Statements of a line each, one below the other, put into a block of their own, `with torch.no_grad():`.

    A single one may be written as `body` there.
    """
    places = text_map(text)
    spans = [places.span(statement) for statement in row]
    first, last = spans[0], spans[-1]
    lead = places.line(first.line)[: first.column]
    ends = [places.line(span.end_line)[span.end_column :].lstrip() for span in spans]
    alone = all(span.line == span.end_line == first.line + at for at, span in enumerate(spans))
    if not alone or lead.strip() or any(rest.startswith(";") for rest in ends):
        return None
    step = "\t" if "\t" in lead else "    "
    whole = Span(first.line, first.column, last.end_line, last.end_column)
    rows = [*(places.line(line)[first.column :] for line in range(first.line, last.line)), places.slice(last)]
    inner = body or f"\n{lead}{step}".join(rows)
    return Edit(whole, f"{header}\n{lead}{step}{inner}")


def unwrap(text: str, block: ast.With) -> Edit | None:
    """The statements of a block without its header, as far out as that stood; None where a string of several lines is among them."""
    places = text_map(text)
    span, first = places.span(block), places.span(block.body[0])
    lead = places.line(span.line)[: span.column]
    strings = any(
        isinstance(one, ast.Constant | ast.JoinedStr) and one.lineno != one.end_lineno
        for one in ast.walk(block)
    )
    if lead.strip() or first.line == span.line or strings:
        return None
    rows = [places.line(line) for line in range(span.line + 1, span.end_line + 1)]
    inner = places.line(first.line)[: first.column]
    if any(row.strip() and not row.startswith(inner) for row in rows):
        return None
    whole = Span(span.line, 0, span.end_line, len(places.line(span.end_line)))
    return Edit(whole, "\n".join(lead + row[len(inner) :] if row.strip() else row for row in rows))


def remove_statement(text: str, statement: ast.stmt, alone: bool) -> Edit:
    """Take a statement away with its line. `alone`: nothing else is in its block, so that `pass` stays."""
    places = text_map(text)
    span = places.span(statement)
    before = places.line(span.line)[: span.column]
    after = places.line(span.end_line)[span.end_column :]
    if alone or before.strip() or (after.strip() and not after.lstrip().startswith("#")):
        return Edit(span, "pass")
    if span.end_line < len(places):
        return Edit(Span(span.line, 0, span.end_line + 1, 0), "")
    return Edit(Span(span.line, 0, span.end_line, len(places.line(span.end_line))), "")


def insert_before_dot(text: str, attribute: ast.Attribute, new: str) -> Edit:
    """Write something before the dot of an attribute, behind whatever parentheses stand there."""
    places = text_map(text)
    _, inner = places.offsets(places.span(attribute.value))
    _, end = places.offsets(places.span(attribute))
    dot = text.rindex(".", inner, end)
    return Edit(places.between(dot, dot), new)
