"""CUBLAS_WORKSPACE_CONFIG set when cuBLAS has already read it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_before, remove_statement, source
from ..program.course import Course
from ..program.events import Event
from ..program.values import PATH, constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.loaders import is_cuda
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "cublas-workspace-too-late"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every setting of it after something was moved to a GPU."""
    course = tree.course
    for event in (
        *course.of_kind("store"),
        *course.calls("os.environ.setdefault", "os.environ.update", "os.putenv"),
    ):
        if event.kind == "store" and not (
            event.on is not None and event.on.by == PATH and event.on.path == "os.environ"
        ):
            continue
        if "CUBLAS_WORKSPACE_CONFIG" not in event.kwargs and (
            not event.args or constant(event.args[0]) != "CUBLAS_WORKSPACE_CONFIG"
        ):
            continue
        for used in (*course.calls(".cuda", ".to"), *_made_there(course)):
            if used.root != event.root or used.index > event.index:
                continue
            if used.name != ".to" or any(is_cuda(arg) for arg in used.args[:1]):
                node = course.places.statement(event.node) or event.node
                yield found(
                    RULE,
                    tree,
                    node,
                    "cuBLAS reads this when CUDA is first used, which has happened already. Set it at the top, or outside.",
                    *_moved_up(tree, node, used),
                    related=[Related(tree.span(used.node), "CUDA is used here")],
                )
                break


def _moved_up(tree: Tree, statement: ast.AST, used: Event) -> list[Fix]:
    """The statement before the one of its block in which CUDA is first used."""
    if not isinstance(statement, ast.Assign | ast.Expr) or statement.lineno != statement.end_lineno:
        return []
    block = tree.course.places.block(statement)
    first = next((one for one in block if any(inner is used.node for inner in ast.walk(one))), None)
    if first is None or first is statement:
        return []
    edits = (
        remove_statement(tree.text, statement, alone=False),
        insert_before(tree.text, first, source(tree.text, statement)),
    )
    return [fix("set it before CUDA is used", *edits)]


def _made_there(course: Course) -> list[Event]:
    """The calls of torch's that make a tensor on a GPU."""
    return [
        event
        for event in course.of_kind("call")
        if event.name.startswith("torch.") and event.name.count(".") == 1
        if "device" in event.kwargs and is_cuda(event.kwargs["device"])
    ]
