"""A table of positions that is indexed with the number of steps, where it was to be cut there: all steps get one and the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.names import last_name
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Tensor, Value
from ..vocabulary.findings import Finding
from ..vocabulary.span import Span
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "one-position-for-all"
UNCALLED = True
_POSITIONS = re.compile(
    r"(^|_)(pe|wpe|pos|position|positional)(_|s?$|\d)|pos(ition(al)?)?_?(emb|enc)", re.IGNORECASE
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each sum of steps with `positions[:, x.shape[1]]`: the one row behind the last step."""
    sums = dict[Span, tuple[ast.expr, ast.expr]]()
    for node in tree.course.nodes(ast.BinOp, ast.AugAssign):
        assert isinstance(node, (ast.BinOp, ast.AugAssign))
        for one in (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,):
            index = _index(tree, one) if isinstance(node.op, ast.Add) else None
            if index is not None:
                sums[tree.span(node)] = one, index
    for op in ops_of(log, ("+", "+=")) if sums else ():
        if op.span not in sums or not any(_has_steps(arg) for arg in op.args):
            continue
        one, index = sums[op.span]
        written = source(tree.text, index)
        yield found(
            RULE,
            tree,
            one,
            f"{ast.unparse(one)} is one row, number {written}, and all steps get it. To have a position for each, cut the table there: "
            f"write :{written}.",
            fix("cut the table", replace(tree.text, index, f": {written}")),
        )


def _has_steps(value: Value) -> bool:
    """Whether it has several steps: one alone may well be told its number."""
    return isinstance(value, Tensor) and len(value.shape) > 2 and 1 not in value.shape[-2:]


def _index(tree: Tree, node: ast.expr) -> ast.expr | None:
    """The number of steps, where a table of positions is indexed with it."""
    if not isinstance(node, ast.Subscript) or not _POSITIONS.search(last_name(node.value)):
        return None
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return next((one for one in items if _is_a_size(tree, one)), None)


def _is_a_size(tree: Tree, node: ast.expr) -> bool:
    if isinstance(node, ast.Name):
        scope = tree.course.places.function(node)
        made = [one for one in ast.walk(scope) if isinstance(one, ast.Assign)] if scope is not None else []
        given = [value for one in made for value in _given(one, node.id)]
        return len(given) == 1 and given[0] is not None and _is_a_size(tree, given[0])
    if isinstance(node, ast.Subscript):
        return last_name(node.value) == "shape"
    if isinstance(node, ast.Call):
        method = isinstance(node.func, ast.Attribute) and node.func.attr == "size"
        return method and len(node.args) == 1 and not node.keywords
    return False


def _given(one: ast.Assign, name: str) -> Iterator[ast.expr | None]:
    """What a statement gives a variable: of `B, T = x.shape` the size of a dim; None if that is not seen."""
    for target in one.targets:
        if isinstance(target, ast.Name) and target.id == name:
            yield one.value
        elif isinstance(target, ast.Tuple) and any(
            isinstance(e, ast.Name) and e.id == name for e in target.elts
        ):
            value = one.value
            if isinstance(value, ast.Attribute) and value.attr == "shape":
                yield ast.Subscript(value, ast.Constant(0), ast.Load())
            elif isinstance(value, ast.Call) and last_name(value.func) == "size" and not value.args:
                yield ast.Call(value.func, [ast.Constant(0)], [])
            else:
                yield None
