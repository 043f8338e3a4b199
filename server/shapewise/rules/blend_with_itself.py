"""Two shares that make up one, of the very same thing: `lam * loss(out, y) + (1 - lam) * loss(out, y)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import source
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import found

RULE = "blend-with-itself"
_DRAWN = re.compile(r"rand|sample|noise|normal|drop|next\(|draw|augment|mask", re.IGNORECASE)
"""What may be another thing each time."""
_LOSS = re.compile(r"loss|criteri|crit$|entropy|^(mse|mae|bce|ce|nll|kl)$|^kl_", re.IGNORECASE)
_SAME = frozenset(
    "mean sum float long double to detach view reshape flatten unsqueeze squeeze expand size item exp log abs clone".split()
)
"""Methods that give the same each time."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each sum of `a * x` and `(1 - a) * x` whose x is written twice alike."""
    if not any(words in tree.text for words in ("(1 -", "(1-", "(1.")):
        return
    for node in tree.course.places.nodes:
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
            continue
        what = _shared(node)
        if what is None:
            continue
        whole = source(tree.text, what)
        if _DRAWN.search(whole) or not _is_the_same_each_time(what):
            continue
        yield found(
            RULE,
            tree,
            node,
            f"both shares are of the same {whole}: together they are that, whatever the share. What it is to be blended with is missing.",
        )


def _shared(total: ast.BinOp) -> ast.expr | None:
    """What both shares are of, if it is one thing."""
    for share, what in _shares(total.left):
        for rest, other in _shares(total.right):
            if (_is_rest(share, rest) or _is_rest(rest, share)) and ast.dump(what) == ast.dump(other):
                return None if isinstance(what, ast.Constant) else what
    return None


def _is_the_same_each_time(what: ast.AST) -> bool:
    """Whether nothing is called but a loss and what gives the same of the same: a layer may drop, a loader goes on."""
    if not isinstance(what, ast.Call):
        return all(map(_is_the_same_each_time, ast.iter_child_nodes(what)))
    if isinstance(what.func, ast.Attribute):
        if _LOSS.search(what.func.attr):
            return True
        return what.func.attr in _SAME and all(map(_is_the_same_each_time, (what.func.value, *what.args)))
    return isinstance(what.func, ast.Name) and _LOSS.search(what.func.id) is not None


def _shares(side: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """A share and what it is of, either way round: `lam * x`, `x * lam`."""
    if isinstance(side, ast.BinOp) and isinstance(side.op, ast.Mult):
        yield side.left, side.right
        yield side.right, side.left


def _is_rest(share: ast.expr, rest: ast.expr) -> bool:
    return (
        isinstance(rest, ast.BinOp)
        and isinstance(rest.op, ast.Sub)
        and isinstance(rest.left, ast.Constant)
        and rest.left.value == 1
        and ast.dump(rest.right) == ast.dump(share)
    )
