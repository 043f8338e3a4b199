"""Cosines of vectors that were made one long along another dim than the product sums over."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ...edits.statements import replace
from ...queries.lineage import PRODUCTS, Lineage, lineage_of, reduced_dims, short
from ...queries.ops import ops_of
from ...queries.origins import before, equation
from ...vocabulary.events import Group, Log, Op, Scalar, Tensor, Value
from ...vocabulary.findings import Finding, Fix, Related
from ..asking.along import another_dim, dim_of
from ..asking.refusals import list_of
from ..asking.tree import Tree
from ..asking.widths import of_one_layer
from ..telling.found import argument_node, found_at
from .cosines import across_samples
from .whole import Whole, by_whole_norms, divided_by_whole_norm

RULE = "normalize-over-wrong-dim"
UNCALLED = True
_ATTENTION = "scaled_dot_product_attention"
_ROOTS = frozenset("+ add sqrt rsqrt ** pow clamp clamp_min reciprocal to float".split())
_CASTS = frozenset("to float half bfloat16 type_as".split())
_MOVES = frozenset("+ - add sub += -=".split())
"""What a vector of length one is not of that length after."""
_NORMS = frozenset("norm vector_norm".split())
_KEEPS = frozenset("to float half bfloat16 contiguous clone detach dropout".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each product of two tensors that were both normalised, one of them along a dim that is not summed."""
    lineage = lineage_of(log)
    for op in ops_of(log):
        if not op.args:
            continue
        scaled = _scaled(lineage, op)
        if scaled is not None:
            yield _unlike_its_weight(op, *scaled, tree)
        if (compared := across_samples(lineage, op, tree)) is not None:
            yield compared
        if (whole := by_whole_norms(lineage, op)) is not None:
            yield _of_all(whole, op)
        summed = _summed(lineage, op)
        if summed is None:
            continue
        wholes = [divided_by_whole_norm(lineage, *one) for one in summed]
        if wholes[0] is not None and wholes[-1] is not None:
            yield _of_all(wholes[0], op)
        if short(op.name) in PRODUCTS and of_one_layer(lineage, *(tensor for tensor, _ in summed)):
            continue  # a transpose is missing
        ways = [_normalised(lineage, tensor, dim) for tensor, dim in summed]
        if (
            ways[0] is not None
            and ways[1] is not None
            and ways[0][0] is ways[1][0]
            and ways[0][2] == ways[1][2] == 0
        ):
            continue  # `x.T @ x`: how the features vary together
        for way in ways:
            if way is None or None in ways or way[1] == way[2]:
                continue
            normalize, along, dim = way
            given = normalize.args[0]
            assert isinstance(given, Tensor)
            yield found_at(
                RULE,
                normalize.span,
                f"normalised along dim {along} of {list_of(given.shape)}, and the product sums over dim {dim}: "
                f"what comes out is no cosine. Normalise along dim {dim - len(given.shape)}.",
                *_fixes(normalize, dim, tree),
                related=[Related(op.span, "summed here")],
            )


def _of_all(whole: Whole, op: Op) -> Finding:
    """One norm for all rows."""
    return found_at(
        RULE,
        whole.norm.span,
        f"one norm for all of {list_of(whole.of.shape)}, and the product compares its rows: what comes out is no cosine, and the larger the "
        "batch the smaller it is. Take the norm of each row: dim=-1, keepdim=True.",
        related=[Related(op.span, "compared here")],
    )


def _scaled(lineage: Lineage, op: Op) -> tuple[Op, Tensor, int] | None:
    """The mean square along another dim than the last of `x * rsqrt(mean(x ** 2)) * weight`, that weight, and the dim."""
    if short(op.name) not in ("*", "mul") or len(op.args) != 2:
        return None
    for normed, weight in (op.args, op.args[::-1]):
        if not isinstance(normed, Tensor) or not isinstance(weight, Tensor) or len(normed.shape) < 2:
            continue
        if not (weight.leaf and weight.requires_grad and weight.shape == normed.shape[-1:]):
            continue
        maker = lineage.maker(_plain(lineage, normed))
        if maker is None or short(maker.name) not in ("*", "mul", "/", "div") or len(maker.args) != 2:
            continue
        for whole, root in (maker.args, maker.args[::-1]):
            mean = _mean_square(lineage, root, whole)
            dim = None if mean is None else dim_of(lineage, mean, len(normed.shape))
            if mean is not None and dim is not None and dim != len(normed.shape) - 1:
                return mean, weight, dim
    return None


def _mean_square(lineage: Lineage, root: Value, whole: Value) -> Op | None:
    """The mean of the squares of a tensor, dims kept, that a value is the root of; not of one that was centred before."""
    if not isinstance(root, Tensor) or not isinstance(whole, Tensor):
        return None
    value: Value = root
    for _ in range(6):
        op = lineage.maker(value)
        if op is None or not op.args:
            return None
        if short(op.name) == "mean":
            break
        if short(op.name) not in _ROOTS or sum(isinstance(arg, Tensor) for arg in op.args) != 1:
            return None
        value = next(arg for arg in op.args if isinstance(arg, Tensor))
    else:
        return None
    squares, of = lineage.maker(op.args[0]), _plain(lineage, whole)
    if squares is None or short(squares.name) not in ("**", "pow", "square", "*", "mul"):
        return None
    inner, centred = squares.args[0], lineage.maker(of)
    if (
        not isinstance(inner, Tensor)
        or _plain(lineage, inner).id != of.id
        or len(root.shape) != len(of.shape)
    ):
        return None
    return None if centred is not None and short(centred.name) in ("-", "sub", "-=") else op


def _plain(lineage: Lineage, tensor: Tensor) -> Tensor:
    """What a tensor was before it was cast."""
    for _ in range(4):
        op = lineage.maker(tensor)
        if op is None or short(op.name) not in _CASTS or not isinstance(op.args[0], Tensor):
            break
        tensor = op.args[0]
    return tensor


def _unlike_its_weight(op: Op, mean: Op, weight: Tensor, dim: int, tree: Tree) -> Finding:
    return found_at(
        RULE,
        mean.span,
        f"the mean square along dim {dim}, and what is divided by its root is scaled by a weight for each of the "
        f"{weight.shape[0]} of the last dim: those are what has to be made of one size. Take the mean along dim -1.",
        *another_dim(tree, mean, -1, "along dim -1"),
        related=[Related(op.span, "scaled here")],
    )


def _summed(lineage: Lineage, op: Op) -> tuple[tuple[Tensor, int], tuple[Tensor, int]] | None:
    """The two tensors whose product an op sums up, each with the dim (from 0) that is summed over."""
    if short(op.name) == "sum":
        product = lineage.maker(op.args[0])
        dims = reduced_dims(op)
        if product is None or short(product.name) not in ("*", "mul") or dims is None or len(dims) != 1:
            return None
        return _pair(product.args, dims[0], dims[0]) if _are_alike(product.args) else None
    if short(op.name) == "einsum":
        found = equation(op)
        if found is None or len(found.terms) != 2:
            return None
        left, right = found.terms
        gone = [word for word in left if word not in found.output]
        if len(gone) != 1 or [word for word in right if word not in found.output] != gone:
            return None
        return _pair(found.operands, left.index(gone[0]), right.index(gone[0]))
    if short(op.name) not in (*PRODUCTS, "linear", _ATTENTION) or len(op.args) < 2:
        return None
    ranks = [len(arg.shape) if isinstance(arg, Tensor) else 0 for arg in op.args[:2]]
    if min(ranks) < 2:
        return None
    return _pair(op.args[:2], ranks[0] - 1, ranks[1] - (2 if short(op.name) in PRODUCTS else 1))


def _pair(
    given: Sequence[Value], left: int, right: int
) -> tuple[tuple[Tensor, int], tuple[Tensor, int]] | None:
    if len(given) != 2:
        return None
    one, other = given
    return ((one, left), (other, right)) if isinstance(one, Tensor) and isinstance(other, Tensor) else None


def _are_alike(given: Sequence[Value]) -> bool:
    shapes = [arg.shape for arg in given if isinstance(arg, Tensor)]
    return len(shapes) == 2 and shapes[0] == shapes[1] and len(shapes[0]) >= 2


def _normalised(lineage: Lineage, tensor: Tensor, dim: int) -> tuple[Op, int, int] | None:
    """The `normalize` that a tensor comes from, its dim, and this one as it was there (both from 0)."""
    for _ in range(8):
        op = lineage.maker(tensor)
        if op is None or op.failure is not None:
            return None
        if short(op.name) == "normalize":
            given = op.argument("dim", at=2) or Scalar(1)
            if not isinstance(given, Scalar) or type(given.value) is not int or 1 in tensor.shape:
                return None
            return op, given.value % len(tensor.shape), dim
        norm = _by_its_norm(lineage, op)
        if norm is not None:
            return None if 1 in tensor.shape else (*norm, dim)
        if short(op.name) in ("cat", "concat") and op.args and isinstance(op.args[0], Group):
            parts = [one for one in op.args[0].items if isinstance(one, Tensor)]
            if not parts or any(len(one.shape) != len(tensor.shape) for one in parts):
                return None
            if parts[0].shape[dim] != tensor.shape[dim]:
                return None  # what was put together is summed over
            tensor = parts[0]
            continue
        inner = next((arg for arg in op.args if isinstance(arg, Tensor) and arg.shape), None)
        if short(op.name) in _MOVES:
            return None
        if inner is None or (short(op.name) not in _KEEPS and len(inner.shape) != len(tensor.shape)):
            return None
        found = before(op, tensor, dim)
        if found is None or found[0].id != inner.id:
            return None
        tensor, dim = found
    return None


def _by_its_norm(lineage: Lineage, op: Op) -> tuple[Op, int] | None:
    """The norm, dims kept, that a tensor is divided by, and its dim (from 0): `x / x.norm(dim=1, keepdim=True)`."""
    if short(op.name) not in ("/", "div") or len(op.args) != 2:
        return None
    whole, norm = op.args[0], lineage.maker(op.args[1])
    if norm is None or short(norm.name) not in _NORMS or not isinstance(whole, Tensor):
        return None
    given = norm.argument("dim", at=2)
    kept = isinstance(norm.result, Tensor) and len(norm.result.shape) == len(whole.shape)
    if norm.args[0] != whole or not kept or not isinstance(given, Scalar) or type(given.value) is not int:
        return None
    return norm, given.value % len(whole.shape)


def _fixes(normalize: Op, dim: int, tree: Tree) -> tuple[Fix, ...]:
    call = tree.at(normalize.span, ast.Call)
    place = 2 if short(normalize.name) == "normalize" else None
    node = None if call is None else argument_node(call, "dim", place)
    if node is None or not isinstance(normalize.args[0], Tensor):
        return ()
    right = str(dim - len(normalize.args[0].shape))
    return (Fix(f"along dim {right}", "unsafe", (replace(tree.text, node, right),)),)
