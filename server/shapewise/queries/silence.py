"""Why nothing is said of a line, in one sentence."""

from __future__ import annotations

import ast

from ..vocabulary.events import Bound, Log, Op, Unknown
from .values import why_unknown

_BINDS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.With, ast.Return, ast.NamedExpr, ast.Expr)


def silence(log: Log, text: str, line: int) -> str | None:
    """Why no tensor is known on a line of the traced file; None where the line has no place for one.

    `text` is the file as it was traced.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not _has_place(tree, line):
        return None
    lost = _lost(log, line)
    if lost is not None:
        return lost
    if any(_at(log, event, line) for event in log.events):
        return None  # it ran, and nothing in it is or may be a tensor
    scope = _scope(tree, line)
    ran = any(frame.scope == scope and frame.file == log.file for frame in log.frames)
    stopped = _stopped(log, line, scope)
    if stopped is not None:
        return stopped
    if log.cut is not None:
        return f"{log.cut[:1].upper()}{log.cut[1:]}."
    if not ran and scope != "<module>":
        return f"Nothing calls {scope}, and no inputs were found that it takes."
    return None


def _has_place(tree: ast.AST, line: int) -> bool:
    return any(
        isinstance(node, _BINDS) and node.lineno <= line <= (node.end_lineno or node.lineno)
        for node in ast.walk(tree)
    )


def _lost(log: Log, line: int) -> str | None:
    """What was lost track of on the line, and where."""
    for event in log.events:
        if not _at(log, event, line):
            continue
        if isinstance(event, Bound):
            why = why_unknown(event.value)
            if why is not None and event.name:
                name = "what is returned" if event.name == "<return>" else event.name
                return f"{name} is not known: {why}."
        elif isinstance(event, Op) and isinstance(event.result, Unknown):
            return f"{event.name} is not known: {event.result.why}."
    return None


def _at(log: Log, event: Bound | Op, line: int) -> bool:
    return event.span.line <= line <= event.span.end_line and log.frames[event.frame].file == log.file


def _stopped(log: Log, line: int, scope: str) -> str | None:
    """The exception before the line that nothing catches, if one ended the run there."""
    for frame in log.frames:
        if not frame.abandoned or frame.scope != scope or frame.file != log.file:
            continue
        for event in reversed(log.events):
            if isinstance(event, Op) and event.failure is not None and not event.failure.caught:
                if event.frame == frame.id and event.span.line < line:
                    return f"Line {event.span.line} raises {event.failure.type}, and this is not reached."
    return None


def _scope(tree: ast.AST, line: int) -> str:
    """The dotted path of the innermost function around a line; a header belongs to what is around it."""
    names: list[str] = []
    inner = "<module>"
    node: ast.AST | None = tree
    while node is not None:
        node = next(
            (
                one
                for one in ast.walk(node)
                if one is not node
                and isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
                and one.body[0].lineno <= line <= (one.end_lineno or line)
            ),
            None,
        )
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.append(node.name)
            if not isinstance(node, ast.ClassDef):
                inner = ".".join(names)
    return inner
