"""Classifier-free guidance that leads away from the condition."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.names import last_name
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "guidance-reversed"
_WITHOUT = re.compile(r"uncond|(^|_)(null|free)(_|$)|without", re.IGNORECASE)
_WITH = re.compile(r"cond|(^|_)(text|prompt|class|label)(_|$)|cls|guided", re.IGNORECASE)
_OTHER = re.compile(r"(^|_)neg|emb|token|loss|image|latent", re.IGNORECASE)
"""What guidance goes away from, and what is mixed without being predicted."""
_SCALE = re.compile(r"guid|cfg|^scale$", re.IGNORECASE)
_WEIGHT = re.compile(r"guid|cfg|scale|strength|^(w|s|omega|gamma)$", re.IGNORECASE)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each `cond + scale * (uncond - cond)`, each `uncond + scale * (uncond - cond)`, and each `(1 + scale) * uncond - scale * cond`."""
    if "cond" not in tree.text:
        return
    for node in tree.course.nodes(ast.BinOp):
        assert isinstance(node, ast.BinOp)
        pair = _away(node, tree) or _beyond(node)
        if pair is None:
            continue
        cond, uncond = (source(tree.text, one) for one in pair)
        yield found(
            RULE,
            tree,
            node,
            f"from {cond} this goes towards {uncond}, and with a scale above 1 beyond it: away from the condition. Guidance goes from "
            f"what is predicted without the condition to what is with it: {uncond} + scale * ({cond} - {uncond}).",
            *_exchanged(node, pair, tree),
        )


def _away(node: ast.BinOp, tree: Tree) -> tuple[ast.expr, ast.expr] | None:
    """`cond + scale * (uncond - cond)`, or `uncond + scale * (uncond - cond)`, in either order."""
    if not isinstance(node.op, ast.Add):
        return None
    for base, step in ((node.left, node.right), (node.right, node.left)):
        for scale, way in _factors(step):
            if _is_scale(scale, tree) and isinstance(way, ast.BinOp) and isinstance(way.op, ast.Sub):
                if ast.dump(way.right) == ast.dump(base) and _is_with(base) and _is_without(way.left):
                    return base, way.left
                if ast.dump(way.left) == ast.dump(base) and _is_without(base) and _is_with(way.right):
                    return way.right, base
    return None


def _beyond(node: ast.BinOp) -> tuple[ast.expr, ast.expr] | None:
    """`(1 + scale) * uncond - scale * cond`"""
    if not isinstance(node.op, ast.Sub):
        return None
    for more, uncond in _factors(node.left):
        for scale, cond in _factors(node.right):
            if (
                not isinstance(more, ast.BinOp)
                or not isinstance(more.op, ast.Add)
                or not _called(_WEIGHT, scale)
            ):
                continue
            both = [ast.dump(more.left), ast.dump(more.right)]
            if both.count(ast.dump(scale)) == 1 and _is_with(cond) and _is_without(uncond):
                return cond, uncond
    return None


def _factors(node: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield node.left, node.right
        yield node.right, node.left


def _is_scale(node: ast.expr, tree: Tree) -> bool:
    """Whether it is a number above 1, or called as what guides is and nowhere given less."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and node.value > 1
    return _called(_SCALE, node) and not re.search(
        rf"\b{last_name(node)}\b\s*(:\s*\w+\s*)?=\s*(0?\.\d|1(\.0?)?\s*-)", tree.text
    )


def _called(words: re.Pattern[str], node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and words.search(last_name(node)) is not None


def _is_with(node: ast.expr) -> bool:
    name = last_name(node)
    return _WITH.search(name) is not None and not _WITHOUT.search(name) and not _OTHER.search(name)


def _is_without(node: ast.expr) -> bool:
    return _WITHOUT.search(last_name(node)) is not None


def _exchanged(node: ast.BinOp, pair: tuple[ast.expr, ast.expr], tree: Tree) -> Iterator[Fix]:
    cond, uncond = (source(tree.text, one) for one in pair)
    edits = [
        replace(tree.text, one, uncond if ast.dump(one) == ast.dump(pair[0]) else cond)
        for one in ast.walk(node)
        if isinstance(one, ast.expr) and ast.dump(one) in {ast.dump(each) for each in pair}
    ]
    yield fix("towards the condition", *edits)
