"""Products that sum over two dims which are equal by chance: a transpose is missing, and nothing raises."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..queries.lineage import PRODUCTS, lineage_of, tensors
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Fix
from .asking.named_dims import NamedDims
from .asking.refusals import list_of
from .asking.tree import Tree
from .asking.widths import of_one_layer, of_two_layers
from .telling.found import found_at

RULE = "product-over-unlike-dims"
UNCALLED = True


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each product of two tensors whose last two dims have the same two names, in the same order, or of a layer's results."""
    lineage = lineage_of(log)
    named: NamedDims | None = None
    made: set[int] = set()
    for op in ops_of(log, PRODUCTS):
        pair = [arg for arg in op.args if isinstance(arg, Tensor)]
        if len(pair) != 2 or min(len(one.shape) for one in pair) < 2:
            continue
        left, right = pair
        if left.shape[-1] in (None, 1) or left.shape[-2:] != right.shape[-2:]:
            continue
        named = named or NamedDims(log, lineage, tree)
        ours, theirs = named.of(left)[-2:], named.of(right)[-2:]
        rows, columns = (
            sorted(one & other, key=str) for one, other in zip(map(_words, ours), map(_words, theirs))
        )
        told_apart = rows and columns and not _words(ours[0] | theirs[0]) & _words(ours[1] | theirs[1])
        if (
            not told_apart
            and not of_one_layer(lineage, left, right)
            and not of_two_layers(lineage, left, right)
        ):
            continue
        if any(lineage.comes_of(one, made) for one in pair):
            continue  # it follows from another
        if told_apart and (lineage.comes_of(left, {right.id}) or lineage.comes_of(right, {left.id})):
            continue  # powers of a matrix, which is square on purpose
        made.update(one.id for one in tensors(op.result))
        yield found_at(
            RULE,
            op.span,
            f"the product sums over dim -1 of {list_of(left.shape)}, which is {columns[0] if told_apart else 'the width of a layer'}, "
            f"and dim -2 of {list_of(right.shape)}, which is {rows[0] if told_apart else 'not, but dim -1 is'}. They have the "
            "same size only here. Turn one of the two: .mT.",
            *_fixes(op, tree),
        )


def _words(names: frozenset[str]) -> frozenset[str]:
    """The names that are words: a number says nothing of what it counts."""
    return frozenset(name for name in names if not name.isdigit())


def _fixes(op: Op, tree: Tree) -> tuple[Fix, ...]:
    node = tree.at(op.span, ast.expr)
    if isinstance(node, ast.BinOp):
        right: ast.expr | None = node.right
    else:
        right = node.args[-1] if isinstance(node, ast.Call) and node.args else None
    if not isinstance(right, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
        return ()
    return (Fix("turn the second", "unsafe", (replace(tree.text, right, f"{source(tree.text, right)}.mT"),)),)
