"""What scores of attention are scaled by: the numbers between a product of queries and keys and its softmax, and before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ...program.names import last_name
from ...queries.lineage import Lineage, short
from ...queries.origins import equation
from ...vocabulary.events import Op, Scalar, Tensor, Value
from .tree import Tree
from .weights import PRODUCTS, SCORES

_TIMES = frozenset("* mul *= mul_".split())
_BY = frozenset("/ div /= div_ true_divide".split())
_STEPS = 8


class Scaling(NamedTuple):
    """A product, or a quotient, of a tensor and a number."""

    op: Op
    number: Value
    is_up: bool


def made_of(lineage: Lineage, scores: Tensor) -> tuple[Op, list[Scaling]] | None:
    """The product that scores come from, and all numbers that they, or what was multiplied, are scaled by."""
    scalings: list[Scaling] = []
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


def _scaling(op: Op) -> Scaling | None:
    """Of a product, or a quotient, of a tensor and a number."""
    name = short(op.name)
    if name not in _TIMES | _BY or len(op.args) != 2:
        return None
    given = [arg for arg in op.args if isinstance(arg, Tensor)]
    number = next((arg for arg in op.args if not isinstance(arg, Tensor)), None)
    if len(given) != 1 or number is None or (name in _BY and isinstance(op.args[1], Tensor)):
        return None
    return Scaling(op, number, name in _TIMES)


def _scaled_before(lineage: Lineage, operand: Tensor) -> Iterator[Scaling]:
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


def summed_over(product: Op) -> int | str | None:
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


def factor_of(scalings: list[Scaling]) -> float | None:
    """What they come to, all together; None where one is not known."""
    whole = 1.0
    for one in scalings:
        number = one.number.value if isinstance(one.number, Scalar) else None
        if not isinstance(number, int | float) or not number:
            return None
        whole *= number if one.is_up else 1 / number
    return whole


def root_in(node: ast.expr | None) -> ast.expr | None:
    """What the first root in an expression is taken of: `d` of `math.sqrt(d)`, `d ** -0.5` and `1 / d ** 0.5`."""
    for one in ast.walk(node) if node is not None else ():
        if isinstance(one, ast.Call) and ast.unparse(one.func).rsplit(".", 1)[-1] == "sqrt" and one.args:
            given = one.args[0]
            is_cast = (
                isinstance(given, ast.Call) and last_name(given.func) in ("float", "tensor") and given.args
            )
            return given.args[0] if is_cast and isinstance(given, ast.Call) else given
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Pow):
            if ast.unparse(one.right) in ("0.5", "-0.5", "1 / 2", "-1 / 2"):
                return one.left
    return None


def written_root(scaling: Scaling, tree: Tree) -> ast.expr | None:
    """What the root is taken of that scores are scaled by, in the place or where the number was set, if that is one place."""
    node = tree.at(scaling.op.span, ast.BinOp)
    for side in () if node is None else (node.right, node.left):
        root = root_in(side) if not isinstance(side, ast.Name | ast.Attribute) else None
        if root is not None:
            return root
        if isinstance(side, ast.Name | ast.Attribute):
            value = _set_once(tree, side)
            root = root_in(value)
            if root is not None:
                return root
    return None


def _set_once(tree: Tree, node: ast.Name | ast.Attribute) -> ast.expr | None:
    """What a name of the function, or an attribute of the class, is set to, if that is written once."""
    places, written = tree.course.places, ast.unparse(node)
    around = places.function(node) if isinstance(node, ast.Name) else _class_of(tree, node)
    values = [
        one.value
        for one in tree.course.nodes(ast.Assign)
        if isinstance(one, ast.Assign)
        and any(ast.unparse(target) == written for target in one.targets)
        and (places.function(one) if isinstance(node, ast.Name) else _class_of(tree, one)) is around
    ]
    return values[0] if len(values) == 1 else None


def _class_of(tree: Tree, node: ast.AST) -> ast.AST | None:
    return next((one for one in tree.course.places.above(node) if isinstance(one, ast.ClassDef)), None)
