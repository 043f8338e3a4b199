"""`d[:, None] * a * d[:, None]`: rows that are scaled twice, where rows and columns are meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.names import last_name
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "scaled-twice-along-one-dim"
_END = re.compile(r"^(row|col|src|dst|source|target|senders?|receivers?|heads?|tails?|i|j|u|v)$")
_OTHER = {
    one: other
    for pair in (("row", "col"), ("src", "dst"), ("senders", "receivers"), ("source", "target"))
    for one, other in (pair, pair[::-1])
}


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each product with the same factor on both sides of another one, each time laid along the same dim."""
    if "torch" not in tree.text:
        return
    for node in tree.course.nodes(ast.BinOp):
        assert isinstance(node, ast.BinOp)
        if not isinstance(node.op, ast.Mult) or not isinstance(node.left, ast.BinOp):
            continue
        if not isinstance(node.left.op, ast.Mult):
            continue
        first, last = node.left.left, node.right
        turned = _laid(first)
        if (
            turned is None
            or ast.dump(first) != ast.dump(last)
            or ast.dump(node.left.right) == ast.dump(first)
            or _is_added_up(tree, node)
        ):
            continue
        text = source(tree.text, last)
        yield found(
            RULE,
            tree,
            node,
            f"{text} stands on both sides, and both times along the same dim: this scales that one twice and the other not at all.",
            *_fixes(tree, last, turned),
            related=[Related(tree.span(first), "the same factor")],
        )


def _is_added_up(tree: Tree, product: ast.BinOp) -> bool:
    """Whether it is a quadratic form, `(d * w * d).sum(-1)`."""
    around = tree.course.places.parent(product)
    return last_name(getattr(around, "func", around)) in ("sum", "mean")


def _fixes(tree: Tree, last: ast.expr, turned: str) -> tuple[Fix, ...]:
    return (fix(turned, replace(tree.text, last, turned)),) if turned else ()


def _laid(node: ast.expr) -> str | None:
    """How a factor is written along the other dim, if it says along which one it lies; "" where nobody can say how."""
    if isinstance(node, ast.Subscript):
        owner, index = ast.unparse(node.value), node.slice
        if isinstance(index, ast.Tuple) and len(index.elts) == 2:
            new = [isinstance(one, ast.Constant) and one.value is None for one in index.elts]
            whole = [isinstance(one, ast.Slice) and one.lower is one.upper is None for one in index.elts]
            if new == [not one for one in whole] and any(new):
                return f"{owner}[None, :]" if new[1] else f"{owner}[:, None]"
        if isinstance(index, ast.Name) and _END.match(index.id):
            return f"{owner}[{_OTHER[index.id]}]" if index.id in _OTHER else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.keywords:
        given = [ast.unparse(one) for one in node.args]
        other = {"1": "0", "0": "1", "-1": "-2", "-2": "-1"}.get(given[0]) if len(given) == 1 else None
        if node.func.attr == "unsqueeze" and other is not None:
            return f"{ast.unparse(node.func)}({other})"
        if node.func.attr in ("view", "reshape") and sorted(given) == ["-1", "1"]:
            return f"{ast.unparse(node.func)}({given[1]}, {given[0]})"
    return None
