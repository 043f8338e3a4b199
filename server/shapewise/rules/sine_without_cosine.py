"""Two parts of an encoding that are the same sine, where a sine and a cosine are meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "sine-without-cosine"
_OTHER = {"sin": "cos", "cos": "sin"}


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each display, and each pair of assignments to the even and the odd columns, of one sine written twice."""
    if "torch" not in tree.text or not any(f"{name}(" in tree.text for name in _OTHER):
        return
    pairs = [
        pair
        for node in tree.course.nodes(ast.List, ast.Tuple)
        if isinstance(node, ast.List | ast.Tuple) and len(node.elts) == 2
        for pair in (tuple(node.elts),)
    ]
    for one, other in [*pairs, *_interleaved(tree)]:
        name = _wave(one)
        if name is None or ast.dump(one) != ast.dump(other):
            continue
        text = source(tree.text, other)
        assert isinstance(other, ast.Call)
        function = source(tree.text, other.func)
        new = function[: -len(name)] + _OTHER[name] + text[len(function) :]
        yield found(
            RULE,
            tree,
            other,
            f"both parts are {text if len(text) < 40 else name}: half of the encoding says what the other half does, and angles that "
            "differ look alike. A sine comes with a cosine.",
            fix(f"take the {'cosine' if name == 'sin' else 'sine'}", replace(tree.text, other, new)),
            related=[Related(tree.span(one), "the same one")],
        )


def _interleaved(tree: Tree) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What two statements in a row write into the even and the odd columns: `pe[:, 0::2] = ...`, `pe[:, 1::2] = ...`."""
    places = tree.course.places
    for node in tree.course.nodes(ast.Assign):
        assert isinstance(node, ast.Assign)
        block = places.block(node)
        after = block[block.index(node) + 1] if node in block[:-1] else None
        if isinstance(after, ast.Assign) and {_parity(node.targets[0]), _parity(after.targets[0])} == {0, 1}:
            yield node.value, after.value


def _parity(target: ast.expr) -> int | None:
    """0 or 1 for what is the even or the odd part of something."""
    if not isinstance(target, ast.Subscript):
        return None
    last = target.slice.elts[-1] if isinstance(target.slice, ast.Tuple) else target.slice
    if not isinstance(last, ast.Slice) or not isinstance(last.step, ast.Constant) or last.step.value != 2:
        return None
    start = "0" if last.lower is None else ast.unparse(last.lower)
    return int(start) if start in ("0", "1") else None


def _wave(node: ast.expr) -> str | None:
    """The name of the sine or cosine that is called."""
    name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
    return name if name in _OTHER else None
