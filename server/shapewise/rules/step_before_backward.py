"""A step of an optimizer that comes before another backward which still needs the weights as they were."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_after, remove_statement, replace, source
from ..queries.lineage import lineage_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.stale_graphs import CHANGED, Stale, stale
from .asking.tree import Tree
from .telling.found import failures, fix, found_at

RULE = "step-before-backward"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each backward that torch refuses because a step changed the weights since the forward."""
    for op, failure in failures(log, CHANGED):
        found = stale(log, lineage_of(log), op, failure.message)
        if found is None:
            continue
        yield found_at(
            RULE,
            op.span,
            f"{failure.message}\nThe step changed the weights that this graph was made with.",
            *_fixes(found, tree, tree.at(op.span, ast.Call)),
            torch_error=failure.message,
            related=[
                Related(found.step.span, "the step that changed them"),
                Related(found.made.span, "made with the weights of before"),
            ],
        )


def _fixes(found: Stale, tree: Tree, backward: ast.Call | None) -> Iterator[Fix]:
    places = tree.course.places
    if found.used is not None:
        made, used = tree.at(found.made.span, ast.expr), tree.at(found.used.span, ast.Call)
        bound = None if made is None else places.statement(made)
        if isinstance(bound, ast.Assign) and bound.value is made and isinstance(bound.targets[0], ast.Name):
            name, text = bound.targets[0].id, source(tree.text, bound.value)
            for arg in used.args if used is not None and len(bound.targets) == 1 else ():
                if isinstance(arg, ast.Name) and arg.id == name and "\n" not in text:
                    yield fix(f"compute {name} anew: {text}", replace(tree.text, arg, text))
    step = tree.at(found.step.span, ast.Call)
    if step is None or backward is None:
        return
    first, then = places.statement(step), places.statement(backward)
    if not isinstance(first, ast.Expr) or not isinstance(then, ast.Expr) or first is then:
        return
    rows = (body for node in ast.walk(tree.course.tree) for body in _bodies(node))
    row = next((body for body in rows if first in body), ())
    if then in row and row.index(first) < row.index(then):
        text = source(tree.text, first)
        yield fix(
            "step after this backward",
            remove_statement(tree.text, first, alone=False),
            insert_after(tree.text, then, text),
        )


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        body = getattr(node, name, None)
        if isinstance(body, list):
            yield body
