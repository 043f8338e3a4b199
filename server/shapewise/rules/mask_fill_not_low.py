"""Scores that are to be left out and are filled with a number behind which a softmax still gives them a share."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..edits.statements import replace, source
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Other, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Fix, Related
from .asking.masks import before_it_fitted
from .asking.tree import Tree
from .asking.weights import PRODUCTS, SAME, SOFTMAX, is_very_low, softmax_dim
from .telling.found import argument_node, found_at

RULE = "mask-fill-not-low"
UNCALLED = True
_FILLS = frozenset("masked_fill masked_fill_ where".split())
_AGAIN = frozenset("* *= mul mul_ masked_fill masked_fill_ where".split())
"""Ops that leave out, behind the softmax, what was masked before it."""
_SCALES = frozenset("/ * div mul + add float to type_as half".split())
_CLASSES = frozenset("cross_entropy CrossEntropyLoss()".split())
"""Losses that take a softmax of what they are given."""
_STEPS = 6


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each softmax of scores that were filled with about 0, or with a very large number, along the dim that the mask varies in."""
    lineage = lineage_of(log)
    fills = {
        op.result.id: (op, value, mask)
        for op in ops_of(log, _FILLS)
        if isinstance(op.result, Tensor) and (value := _filled_with(lineage, op)) is not None
        if isinstance(mask := op.args[0 if short(op.name) == "where" else 1], Tensor)
    }
    for op in ops_of(log, SOFTMAX | _CLASSES):
        scores = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
        if scores is not None and (times := _multiplied(lineage, scores)) is not None:
            yield from _multiplied_instead(log, lineage, tree, op, times)
        found = None if scores is None else _fill_behind(lineage, scores, fills)
        if scores is None or found is None:
            continue
        fill, value, mask = found
        is_loss = short(op.name) in _CLASSES
        if is_loss and not _leaves_out_itself(lineage, mask):
            continue
        dim = len(scores.shape) - 1 if is_loss else softmax_dim(lineage, op, len(scores.shape))
        if dim is None or not _varies_along(mask, scores, dim) or _is_of_the_scores(lineage, mask, fill):
            continue
        if _is_masked_again(log, lineage, op) or _is_meant(fill, tree):
            continue
        said = f"{value:g}"
        why = (
            "whose exponential is 1: they get a share as any other"
            if abs(value) <= 1
            else "so that they take all of the weight"
        )
        yield found_at(
            RULE,
            fill.span,
            f"what is masked is filled with {said} before a softmax, {why}. Fill it with -inf.",
            *_fixes(fill, tree),
            related=[Related(op.span, "the softmax of the loss" if is_loss else "the softmax")],
        )


class _Times(NamedTuple):
    """A product of scores and a mask; `at`: which operand the mask is."""

    op: Op
    scores: Tensor
    mask: Tensor
    at: int


def _multiplied(lineage: Lineage, scores: Tensor) -> _Times | None:
    """The product with what is True or False that scores come straight from, if they are those of a product of matrices."""
    op = lineage.maker(scores)
    if op is None or short(op.name) not in ("*", "mul") or len(op.args) != 2:
        return None
    for at, (mask, whole) in enumerate((op.args, op.args[::-1])):
        if isinstance(mask, Tensor) and isinstance(whole, Tensor) and whole.shape == scores.shape:
            is_mask = any(
                one.dtype == "bool"
                for one in (mask, *lineage.as_it_was(mask), *before_it_fitted(lineage, mask))
            )
            if is_mask and whole.dtype != "bool" and _is_of_a_product(lineage, whole):
                return _Times(op, whole, mask, at)
    return None


def _is_of_a_product(lineage: Lineage, scores: Tensor) -> bool:
    for _ in range(_STEPS):
        op = lineage.maker(scores)
        if op is None:
            return False
        if short(op.name) in PRODUCTS:
            return True
        inner = [arg for arg in op.args if isinstance(arg, Tensor) and arg.shape == scores.shape]
        if short(op.name) not in _SCALES or len(inner) != 1:
            return False
        scores = inner[0]
    return False


def _multiplied_instead(
    log: Log, lineage: Lineage, tree: Tree, softmax: Op, times: _Times
) -> Iterator[Finding]:
    dim = softmax_dim(lineage, softmax, len(times.scores.shape))
    if (
        dim is None
        or not _varies_along(times.mask, times.scores, dim)
        or _is_masked_again(log, lineage, softmax)
    ):
        return
    node = tree.at(times.op.span, ast.BinOp)
    fixes: tuple[Fix, ...] = ()
    if node is not None and isinstance(node.op, ast.Mult):
        mask, scores = (node.left, node.right) if times.at == 0 else (node.right, node.left)
        shown, held = source(tree.text, scores), source(tree.text, mask)
        shown = shown if isinstance(scores, (ast.Name, ast.Attribute, ast.Call)) else f"({shown})"
        held = held if isinstance(mask, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) else f"({held})"
        text = f'{shown}.masked_fill({held} == 0, float("-inf"))'
        fixes = (Fix("fill what is masked with -inf", "unsafe", (replace(tree.text, node, text),)),)
    yield found_at(
        RULE,
        times.op.span,
        "scores that are multiplied by a mask are 0 where it is False, and the exponential of 0 is 1: the softmax gives them a share as "
        "any other. Fill them with -inf.",
        *fixes,
        related=[Related(softmax.span, "the softmax")],
    )


def _filled_with(lineage: Lineage, op: Op) -> float | None:
    """The number that is filled in, if a softmax does not leave out what has it: about 0, or very large."""
    if len(op.args) != 3:
        return None
    if short(op.name) == "where" and any(_is_zeros(lineage, one) for one in op.args[1:]):
        return 0.0
    for value in op.args[1:] if short(op.name) == "where" else op.args[2:]:
        number = _number(value)
        if number is not None and (abs(number) <= 1 or number > 1e3):
            return number
    return None


def _is_zeros(lineage: Lineage, value: Value) -> bool:
    maker = lineage.maker(value) if isinstance(value, Tensor) else None
    return maker is not None and short(maker.name) in ("zeros", "zeros_like", "new_zeros")


def _number(value: Value) -> float | None:
    if isinstance(value, Other) and value.type == "float" and value.text == "inf":
        return float("inf")
    if (
        isinstance(value, Scalar)
        and isinstance(value.value, int | float)
        and not isinstance(value.value, bool)
    ):
        return float(value.value)
    return None


def _fill_behind(
    lineage: Lineage, scores: Tensor, fills: dict[int, tuple[Op, float, Tensor]]
) -> tuple[Op, float, Tensor] | None:
    """The fill that scores come straight from, if none of those before it left something out."""
    found = None
    for _ in range(_STEPS):
        if scores.id in fills and found is None:
            found = fills[scores.id]
        maker = found[0] if found is not None and scores.id == _id(found[0].result) else lineage.maker(scores)
        if maker is None or any(is_very_low(arg) for arg in maker.args):
            return None if maker is not None else found
        same = [arg for arg in maker.args if isinstance(arg, Tensor) and arg.shape == scores.shape]
        same = [arg for arg in same if arg.dtype != "bool" and arg.id != scores.id]
        if short(maker.name) not in _SCALES | _FILLS or len(same) != 1:
            return found
        scores = same[0]
    return found


def _id(value: Value) -> int | None:
    return value.id if isinstance(value, Tensor) else None


def _varies_along(mask: Tensor, scores: Tensor, dim: int) -> bool:
    """Whether a mask says something else of each that is compared; where it does not, whole rows are filled, lest they be NaN."""
    place = dim - len(scores.shape) + len(mask.shape)
    return place >= 0 and mask.shape[place] != 1


def _leaves_out_itself(lineage: Lineage, mask: Tensor) -> bool:
    """Whether it is the diagonal: each row leaves out itself."""
    for _ in range(_STEPS):
        maker = lineage.maker(mask)
        if maker is None or short(maker.name) == "eye":
            return maker is not None
        inner = maker.args[0] if maker.args else None
        if not isinstance(inner, Tensor) or short(maker.name) not in ("bool", "to", "~", "==", ">", "!="):
            return False
        mask = inner
    return False


def _is_of_the_scores(lineage: Lineage, mask: Tensor, fill: Op) -> bool:
    """Whether the scores themselves decide what is filled: `scores.masked_fill(scores.isnan(), 0)`."""
    return any(
        lineage.comes_of(mask, {arg.id}) for arg in fill.args if isinstance(arg, Tensor) and arg is not mask
    )


def _is_masked_again(log: Log, lineage: Lineage, softmax: Op) -> bool:
    """Whether what was masked is left out of the shares themselves."""
    shares = {_id(softmax.result)}
    for op in ops_of(log, SAME | _AGAIN):
        given = [arg for arg in op.args if isinstance(arg, Tensor)]
        if not shares & {arg.id for arg in given} or not isinstance(op.result, Tensor):
            continue
        if short(op.name) in _AGAIN and len(given) > 1:
            return True
        shares.add(op.result.id)
    return False


_LOW = re.compile("INF|NEG|MIN|MAX|LOW|LARGE|BIG|HUGE|MASK|FILL|PAD|EPS")
"""What constants are called that should be very low."""


def _is_meant(fill: Op, tree: Tree) -> bool:
    """Whether the number is a constant with a name of its own, as where each attends to itself but little."""
    node = _written(fill, tree)
    return isinstance(node, ast.Name) and node.id.isupper() and not _LOW.search(node.id)


def _written(fill: Op, tree: Tree) -> ast.expr | None:
    """What is written for the number in `masked_fill`."""
    call = tree.at(fill.span, ast.Call)
    if call is None or short(fill.name) == "where":
        return None
    is_method = isinstance(call.func, ast.Attribute) and len(call.args) + len(call.keywords) == 2
    return argument_node(call, "value", 1 if is_method else 2)


def _fixes(fill: Op, tree: Tree) -> tuple[Fix, ...]:
    node = _written(fill, tree)
    if node is None:
        return ()
    return (Fix("fill with -inf", "unsafe", (replace(tree.text, node, 'float("-inf")'),)),)
