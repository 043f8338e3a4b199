"""Scores of attention that are multiplied by the root of their width, by which they are to be divided."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Scalar, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.refusals import list_of
from .asking.scalings import Scaling, factor_of, made_of, summed_over
from .asking.tree import Tree
from .asking.weights import SOFTMAX
from .telling.found import found_at

RULE = "scores-scaled-up"
UNCALLED = True
_UNIT = frozenset("normalize norm vector_norm rsqrt RMSNorm() rms_norm cosine_similarity".split())
"""Ops that make vectors one long: their products are small, and a factor makes them larger on purpose."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each softmax of products of queries and keys whose factors make the root of the dim that was summed over."""
    lineage = lineage_of(log)
    for softmax in ops_of(log, SOFTMAX):
        scores = next((arg for arg in softmax.args if isinstance(arg, Tensor)), None)
        made = None if scores is None else made_of(lineage, scores)
        if made is None:
            continue
        product, scalings = made
        width = summed_over(product)
        scaling = None if width is None else _up(scalings, width, tree)
        if scaling is None or width is None or _are_unit(lineage, product):
            continue
        yield found_at(
            RULE,
            scaling.op.span,
            f"products over {width} numbers grow with the root of {width}, by which attention divides them. Multiplied by it, they "
            "are so far apart that the softmax picks one, and lets hardly any gradient through.",
            *_fixes(scaling, tree),
            related=[
                Related(product.span, f"scores {list_of(scores.shape)}" if scores is not None else "scores"),
                Related(softmax.span, "the softmax"),
            ],
        )


def _up(scalings: list[Scaling], width: int | str, tree: Tree) -> Scaling | None:
    """The one that multiplies by the root, if it is not taken back."""
    if not scalings or not any(one.is_up for one in scalings):
        return None
    if isinstance(width, int) and all(isinstance(one.number, Scalar) for one in scalings):
        whole = factor_of(scalings)
        if whole is None or width < 2 or not math.isclose(whole, math.sqrt(width), rel_tol=1e-4):
            return None
        return next((one for one in scalings if one.is_up), None)
    is_root = len(scalings) == 1 and scalings[0].is_up and _is_written_as_root(scalings[0], tree)
    return scalings[0] if is_root else None


def _is_written_as_root(scaling: Scaling, tree: Tree) -> bool:
    """`math.sqrt(d)` and `d ** 0.5`, as the factor itself."""
    node = tree.at(scaling.op.span, ast.BinOp)
    for one in () if node is None else (node.left, node.right):
        if isinstance(one, ast.Call) and ast.unparse(one.func).rsplit(".", 1)[-1] == "sqrt":
            return True
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Pow):
            if isinstance(one.right, ast.Constant) and one.right.value == 0.5:
                return True
    return False


def _are_unit(lineage: Lineage, product: Op) -> bool:
    """Whether what is multiplied was made one long."""
    waiting, seen = [arg for arg in product.args if isinstance(arg, Tensor)], 0
    while waiting and seen < 24:
        op = lineage.maker(waiting.pop(0))
        seen += 1
        if op is None:
            continue
        if short(op.name) in _UNIT or op.name.endswith("Norm()"):
            return True
        waiting += [arg for arg in op.args if isinstance(arg, Tensor)]
    return False


def _fixes(scaling: Scaling, tree: Tree) -> tuple[Fix, ...]:
    node = tree.at(scaling.op.span, ast.BinOp)
    if node is None or not isinstance(node.op, ast.Mult) or not isinstance(scaling.op.args[0], Tensor):
        return ()
    whole = source(tree.text, node)
    star = whole.rfind("*", 0, whole.rfind(source(tree.text, node.right)))
    text = f"{whole[:star]}/{whole[star + 1 :]}"
    return (Fix("divide by it", "unsafe", (replace(tree.text, node, text),)),)
