"""Scores of attention that are multiplied by the root of their width, by which they are to be divided."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import NamedTuple

from ..edits.statements import replace, source
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..queries.origins import equation
from ..vocabulary.events import Log, Op, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Fix, Related
from .asking.refusals import list_of
from .asking.tree import Tree
from .asking.weights import PRODUCTS, SCORES, SOFTMAX
from .telling.found import found_at

RULE = "scores-scaled-up"
UNCALLED = True
_TIMES = frozenset("* mul *= mul_".split())
_BY = frozenset("/ div /= div_ true_divide".split())
_UNIT = frozenset("normalize norm vector_norm rsqrt RMSNorm() rms_norm cosine_similarity".split())
"""Ops that make vectors one long: their products are small, and a factor makes them larger on purpose."""
_STEPS = 8


class _Scaling(NamedTuple):
    op: Op
    number: Value
    is_up: bool


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each softmax of products of queries and keys whose factors make the root of the dim that was summed over."""
    lineage = lineage_of(log)
    for softmax in ops_of(log, SOFTMAX):
        scores = next((arg for arg in softmax.args if isinstance(arg, Tensor)), None)
        made = None if scores is None else _made(lineage, scores)
        if made is None:
            continue
        product, scalings = made
        width = _summed_over(product)
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


def _made(lineage: Lineage, scores: Tensor) -> tuple[Op, list[_Scaling]] | None:
    """The product that scores come from, and all numbers that they, or what was multiplied, are scaled by."""
    scalings: list[_Scaling] = []
    for _ in range(_STEPS):
        op = lineage.maker(scores)
        if op is None:
            return None
        if short(op.name) in PRODUCTS:
            for operand in (arg for arg in op.args if isinstance(arg, Tensor)):
                scalings += _scaled_before(lineage, operand)
            return op, scalings
        scaling = _scaling(op)
        if scaling is not None:
            scalings.append(scaling)
        elif short(op.name) not in SCORES or short(op.name) in _TIMES | _BY:
            return None
        inner = [
            arg
            for arg in op.args
            if isinstance(arg, Tensor) and arg.shape == scores.shape and arg.dtype != "bool"
        ]
        if not inner:
            return None
        scores = next((one for one in inner if lineage.maker(one) is not None), inner[0])
    return None


def _scaling(op: Op) -> _Scaling | None:
    """Of a product, or a quotient, of a tensor and a number."""
    name = short(op.name)
    if name not in _TIMES | _BY or len(op.args) != 2:
        return None
    given = [arg for arg in op.args if isinstance(arg, Tensor)]
    number = next((arg for arg in op.args if not isinstance(arg, Tensor)), None)
    if len(given) != 1 or number is None or (name in _BY and isinstance(op.args[1], Tensor)):
        return None
    return _Scaling(op, number, name in _TIMES)


def _scaled_before(lineage: Lineage, operand: Tensor) -> Iterator[_Scaling]:
    """What queries, or keys, were scaled by before the product, as they were turned in between."""
    for _ in range(_STEPS):
        op = lineage.maker(operand)
        inner = next((arg for arg in op.args if isinstance(arg, Tensor)), None) if op is not None else None
        if op is None or inner is None:
            return
        scaling = _scaling(op)
        if scaling is not None:
            yield scaling
        elif short(op.name) not in ("transpose", "permute", "mT", "view", "reshape", "contiguous"):
            return
        operand = inner


def _summed_over(product: Op) -> int | str | None:
    """The size of the one dim that a product sums over."""
    if short(product.name) != "einsum":
        first = product.args[0] if product.args else None
        return first.shape[-1] if isinstance(first, Tensor) and first.shape else None
    found = equation(product)
    if found is None or len(found.operands) != 2:
        return None
    gone = [
        at for at, word in enumerate(found.terms[0]) if word not in found.output and word in found.terms[1]
    ]
    return found.operands[0].shape[gone[0]] if len(gone) == 1 else None


def _up(scalings: list[_Scaling], width: int | str, tree: Tree) -> _Scaling | None:
    """The one that multiplies by the root, if it is not taken back."""
    numbers = [one.number.value if isinstance(one.number, Scalar) else None for one in scalings]
    if not scalings or not any(one.is_up for one in scalings):
        return None
    if isinstance(width, int) and all(isinstance(one, int | float) for one in numbers):
        whole = 1.0
        for one, number in zip(scalings, numbers):
            assert isinstance(number, int | float)
            if number == 0:
                return None
            whole *= number if one.is_up else 1 / number
        if width < 2 or not math.isclose(whole, math.sqrt(width), rel_tol=1e-4):
            return None
        return next((one for one in scalings if one.is_up), None)
    is_root = len(scalings) == 1 and scalings[0].is_up and _is_written_as_root(scalings[0], tree)
    return scalings[0] if is_root else None


def _is_written_as_root(scaling: _Scaling, tree: Tree) -> bool:
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


def _fixes(scaling: _Scaling, tree: Tree) -> tuple[Fix, ...]:
    node = tree.at(scaling.op.span, ast.BinOp)
    if node is None or not isinstance(node.op, ast.Mult) or not isinstance(scaling.op.args[0], Tensor):
        return ()
    whole = source(tree.text, node)
    star = whole.rfind("*", 0, whole.rfind(source(tree.text, node.right)))
    text = f"{whole[:star]}/{whole[star + 1 :]}"
    return (Fix("divide by it", "unsafe", (replace(tree.text, node, text),)),)
