"""Weights that add up to one along another dim than the one they are summed over, or chosen from."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.statements import replace
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.origins import origin
from ..vocabulary.events import Log, Op, Other, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Fix, Related
from .found import argument_node
from .refusals import list_of
from .tree import Tree

RULE = "softmax-over-wrong-dim"
_PRODUCTS = frozenset("@ matmul bmm einsum".split())
_CHOICES = frozenset("argmax max topk multinomial".split())
_SAME = frozenset("dropout to float half bfloat16 type_as contiguous clone detach cpu cuda Dropout()".split())
_SCORES = frozenset(
    "/ * + - masked_fill masked_fill_ where div mul add sub float to clamp tanh softcap".split()
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Attention whose weights are summed over another dim, and classes chosen where the softmax went over the batch."""
    lineage = lineage_of(log)
    told: set[object] = set()
    for op in log.events:
        if not isinstance(op, Op) or op.failure is not None or not op.args:
            continue
        way, said = _read(lineage, op)
        if way is None or way[1] == way[2] or way[0].span in told:
            continue
        softmax, over, summed = way
        told.add(softmax.span)
        assert isinstance(softmax.result, Tensor)
        yield Finding(
            RULE,
            softmax.span,
            "warning",
            f"softmax over dim {over} of {list_of(softmax.result.shape)}, and {said.format(summed)}. "
            f"Take it over dim {summed - len(softmax.result.shape)}.",
            None,
            (Related(op.span, "used here"),),
            _fixes(softmax, summed, tree),
        )


_SUMMED = "the product sums over dim {}: these weights do not add up to one, and mix what was not compared"
_CHOSEN = "the classes are in dim {}: the probabilities of a sample depend on the others of its batch"


def _read(lineage: Lineage, op: Op) -> tuple[tuple[Op, int, int] | None, str]:
    """If an op sums over, or chooses along, a dim of what a softmax gave: the softmax, its dim and that dim."""
    weights = op.args[1] if short(op.name) == "einsum" and len(op.args) == 3 else op.args[0]
    if not isinstance(weights, Tensor):
        return None, ""
    rank = len(weights.shape)
    if short(op.name) == "einsum" and not _sums_over_the_last(op, rank):
        return None, ""
    if short(op.name) in _PRODUCTS and rank >= 3:
        way = _softmax_behind(lineage, weights, rank - 1)
        return (way, _SUMMED) if way is not None and _is_product(lineage, way[0]) else (None, "")
    if short(op.name) in _CHOICES and rank == 2 and (short(op.name) == "multinomial" or _dim(op, rank) == 1):
        way = _softmax_behind(lineage, weights, 1)
        return (way, _CHOSEN) if way is not None and _are_classes(lineage, way[0]) else (None, "")
    return None, ""


def _sums_over_the_last(op: Op, rank: int) -> bool:
    """Whether an einsum sums over the last dim of its first tensor, and over no other of it."""
    equation = op.args[0].value if isinstance(op.args[0], Scalar) else None
    if not isinstance(equation, str) or "->" not in equation or "." in equation:
        return False
    inputs, output = equation.replace(" ", "").split("->")
    first = inputs.split(",")[0]
    return len(first) == rank and [letter for letter in first if letter not in output] == [first[-1]]


def _softmax_behind(lineage: Lineage, weights: Tensor, dim: int) -> tuple[Op, int, int] | None:
    """The softmax that a tensor is, its dim, and this one (both from 0).

    Not where the dims were turned in between: what is dealt out to clusters is summed over the other dim on purpose.
    """
    for _ in range(6):
        op = lineage.maker(weights)
        if op is None or op.failure is not None or not op.args:
            return None
        if short(op.name) == "softmax":
            over = _dim(op, len(weights.shape))
            return None if over is None or weights.shape[over] == 1 else (op, over, dim)
        inner = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
        if short(op.name) not in _SAME or inner is None or inner.shape != weights.shape:
            return None
        weights = inner
    return None


def _dim(op: Op, rank: int) -> int | None:
    given: Value | None = dict(op.kwargs).get("dim")
    if given is None and len(op.args) > 1:
        given = op.args[1] if short(op.name) != "topk" else (op.args[2] if len(op.args) > 2 else None)
    if given is None and short(op.name) == "topk":
        return rank - 1
    return given.value % rank if isinstance(given, Scalar) and type(given.value) is int else None


def _is_product(lineage: Lineage, softmax: Op) -> bool:
    """Whether scores come from a product of two tensors, scaled and masked."""
    scores = next((arg for arg in softmax.args if isinstance(arg, Tensor)), None)
    for _ in range(8):
        op = lineage.maker(scores) if scores is not None else None
        if op is None or scores is None:
            return False
        if short(op.name) in _PRODUCTS:
            return True
        if short(op.name) not in _SCORES:
            return False
        scores = next((a for a in op.args if isinstance(a, Tensor) and a.shape == scores.shape), None)
    return False


def _are_classes(lineage: Lineage, softmax: Op) -> bool:
    """Whether the last of two dims is the width of a layer, and the first is not."""
    scores = next((arg for arg in softmax.args if isinstance(arg, Tensor)), None)
    if scores is None or len(scores.shape) != 2 or scores.shape[1] == 1:
        return False
    found = origin(lineage, scores, 1)
    if found is None or found.dim != len(found.tensor.shape) - 1:
        return False
    if found.op.name == "nn.Sequential()" and found.built is not None and found.built.args:
        last = found.built.args[-1]
        return isinstance(last, Other) and last.type == "Linear"
    return found.op.name == "nn.Linear()"


def _fixes(softmax: Op, dim: int, tree: Tree) -> tuple[Fix, ...]:
    call = tree.at(softmax.span, ast.Call)
    if call is None or not isinstance(softmax.result, Tensor):
        return ()
    method = isinstance(call.func, ast.Attribute) and len(call.args) + len(call.keywords) == 1
    node = argument_node(call, "dim", 0 if method else 1)
    right = str(dim - len(softmax.result.shape))
    return () if node is None else (Fix(f"over dim {right}", "unsafe", (replace(tree.text, node, right),)),)
