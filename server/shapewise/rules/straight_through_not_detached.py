"""`z + (q - z)`: a straight-through estimate whose difference keeps its graph."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import source
from ..program.names import last_name
from ..vocabulary.events import Log
from ..vocabulary.findings import Edit, Finding
from ..vocabulary.span import Span
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "straight-through-not-detached"
_RANGE = re.compile(
    r"start|stop|begin|end|low|high|^lo$|^hi$|min|max|left|right|top|bottom|center|origin", re.IGNORECASE
)
"""What is no estimate of anything: the sum is written so as to be read."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each sum of a thing and of what another one is more than it: nothing but that other one."""
    if "torch" not in tree.text:
        return
    for node in tree.course.nodes(ast.BinOp):
        assert isinstance(node, ast.BinOp)
        if not isinstance(node.op, ast.Add):
            continue
        for base, less in ((node.left, node.right), (node.right, node.left)):
            if (
                isinstance(base, ast.Name | ast.Attribute)
                and isinstance(less, ast.BinOp)
                and isinstance(less.op, ast.Sub)
                and isinstance(less.left, ast.Name | ast.Attribute | ast.Call)
                and ast.dump(less.right) == ast.dump(base)
                and not _RANGE.search(last_name(base))
                and (after := _after_its_bracket(tree, less)) is not None
            ):
                kept, given = source(tree.text, less.left), source(tree.text, base)
                yield found(
                    RULE,
                    tree,
                    node,
                    f"this is {kept}, and so is its gradient: {given} comes and goes. A straight-through estimate has the numbers of "
                    f"{kept} and the gradient of {given}, and detaches the difference: {given} + ({kept} - {given}).detach().",
                    fix("detach the difference", Edit(after, ".detach()")),
                )


def _after_its_bracket(tree: Tree, less: ast.BinOp) -> Span | None:
    """The place behind the bracket that a difference stands in; None for `q - z + z`, which does not say what belongs together."""
    at, lines = tree.span(less), tree.text.splitlines()
    before, after = lines[at.line - 1][: at.column], lines[at.end_line - 1][at.end_column :]
    if not before.rstrip().endswith("(") or not after.lstrip().startswith(")"):
        return None
    column = at.end_column + after.index(")") + 1
    return Span(at.end_line, column, at.end_line, column)
