"""Scores of attention that are divided by the root of another width than the one that was summed over."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.names import last_name
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Size, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.refusals import list_of
from .asking.scalings import Scaling, factor_of, made_of, summed_over, written_root
from .asking.tree import Tree
from .asking.weights import SOFTMAX
from .telling.found import fix, found_at

RULE = "scores-scaled-by-another-width"
UNCALLED = True
_NEAR = 12


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each softmax of products of queries and keys that are divided by the root of what they were projected from, and not of what
    each head has.
    """
    lineage = lineage_of(log)
    for softmax in ops_of(log, SOFTMAX):
        scores = next((arg for arg in softmax.args if isinstance(arg, Tensor)), None)
        made = None if scores is None else made_of(lineage, scores)
        if scores is None or made is None or not made[1]:
            continue
        product, scalings = made
        width, whole = summed_over(product), _projected_from(log, lineage, product)
        if width is None or whole is None or width == whole:
            continue
        for scaling in scalings:
            root = written_root(scaling, tree)
            if root is None or not _is_of(root, scalings, width, whole):
                continue
            yield found_at(
                RULE,
                scaling.op.span,
                f"each score is a sum over {width} numbers, and so as large as the root of {width}; it is divided by the root of "
                f"{whole}, which is what the queries are projected from. The weights are more alike than they are meant to be.",
                *_fixes(tree, root, product, width),
                related=[
                    Related(product.span, f"scores {list_of(scores.shape)}, summed over {width}"),
                    Related(tree.span(root), f"the root of {whole}"),
                ],
            )
            break


def _projected_from(log: Log, lineage: Lineage, product: Op) -> Size:
    """How many features the layer was given that made what is multiplied."""
    tensor = next((arg for arg in product.args if isinstance(arg, Tensor)), None)
    for _ in range(_NEAR):
        op = None if tensor is None else lineage.maker(tensor) or _of_its_memory(log, tensor)
        if op is None:
            return None
        tensor = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
        if op.name == "nn.Linear()" and tensor is not None:
            return tensor.shape[-1]
    return None


def _of_its_memory(log: Log, tensor: Tensor) -> Op | None:
    """The op that gave what a tensor is a part of: `q, k, v = qkv` is no call."""
    for op in reversed(ops_of(log, ("permute", "view", "reshape", "chunk", "Linear()"))):
        if isinstance(op.result, Tensor) and op.result.storage == tensor.storage is not None:
            return op
    return None


def _is_of(root: ast.expr, scalings: list[Scaling], width: Size, whole: Size) -> bool:
    """Whether it is the root of the whole, of which the width is a part: by the numbers, or where sizes have words by these."""
    if isinstance(width, int) and isinstance(whole, int):
        factor = factor_of(scalings)
        is_part = width > 1 and whole % width == 0
        return is_part and factor is not None and math.isclose(factor, whole**-0.5, rel_tol=1e-4)
    return isinstance(whole, str) and last_name(root) == whole and len(scalings) == 1


def _fixes(tree: Tree, root: ast.expr, product: Op, width: Size) -> list[Fix]:
    """The root of the width, as it is named where the number is set, or read from what is multiplied."""
    function = tree.course.places.function(root)
    if isinstance(width, str):
        names = {arg.arg for arg in function.args.args} if isinstance(function, ast.FunctionDef) else set()
        return [fix(f"the root of {width}", replace(tree.text, root, width))] if width in names else []
    node = tree.at(product.span, ast.BinOp)
    if node is None or short(product.name) != "@" or not isinstance(node.left, ast.Name):
        return []
    if tree.course.places.function(node) is not function:
        return []
    return [
        fix("the root of that width", replace(tree.text, root, f"{source(tree.text, node.left)}.size(-1)"))
    ]
