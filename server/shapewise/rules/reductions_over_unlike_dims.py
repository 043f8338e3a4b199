"""Two tensors of the same shape that are reduced over different dims, and meet; and features that are reduced in the place of items."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..queries.lineage import ELEMENTWISE, Lineage, lineage_of, short, tensors
from ..queries.ops import ops_of
from ..queries.origins import Origin, origin
from ..queries.values import integers
from ..vocabulary.events import Log, Op, Sizes, Tensor, Value
from ..vocabulary.findings import Finding, Fix, Related
from .asking.along import another_dim, dim_of
from .asking.refusals import list_of
from .asking.tree import Tree
from .asking.widths import width_of
from .telling.found import found_at

RULE = "reductions-over-unlike-dims"
UNCALLED = True
_MEETS = ELEMENTWISE | frozenset(
    "mse_loss l1_loss smooth_l1_loss huber_loss MSELoss() L1Loss() SmoothL1Loss() HuberLoss()".split()
)
_SUMS = frozenset("sum mean norm logsumexp prod".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each op of two sums of tensors alike over unlike dims, of one for each sample and one of all, features reduced away, and
    margins over the batch."""
    lineage = lineage_of(log)
    for op in ops_of(log):
        if op.name == "nn.Linear()" and (gone := _features_gone(lineage, op)) is not None:
            yield _of_features(op, *gone, tree)
            continue
        if short(op.name) in _HINGES and (sums := _margin(lineage, op)) is not None:
            yield _of_margins(op, *sums, tree)
            continue
        if short(op.name) not in _MEETS:
            continue
        pair = [arg for arg in op.args if isinstance(arg, Tensor)]
        if len(pair) == 2 and (wrong_one := _of_all(lineage, op, pair)) is not None:
            yield _of_all_samples(op, *wrong_one)
            continue
        if len(pair) == 2 and (mean := _mean_of_all(lineage, op, pair)) is not None:
            yield _of_other_samples(op, mean, tree)
            continue
        if len(pair) != 2 or len(pair[0].shape) != len(pair[1].shape):
            continue
        maps = [_over_several(lineage, tensor) for tensor in pair]
        if maps[0] is not None and maps[1] is not None:
            yield from _of_maps(lineage, op, maps[0], maps[1], tree)
            continue
        one, other = (_sum_behind(lineage, tensor) for tensor in pair)
        if one is None or other is None or short(one.name) != short(other.name):
            continue
        if not _are_alike(lineage, one, other):
            continue
        whole, along, over = one.args[0], dim_of(lineage, one, 2), dim_of(lineage, other, 2)
        assert isinstance(whole, Tensor) and along is not None and over is not None
        wrong, right = (one, over) if along == 0 else (other, along)
        yield found_at(
            RULE,
            wrong.span,
            f"{short(wrong.name)} over dim {1 - right} of {list_of(whole.shape)}, and what it meets was reduced over dim {right} of as "
            f"large a tensor: numbers of samples meet numbers of features. Reduce both over dim {right}.",
            *another_dim(tree, wrong, right),
            related=[
                Related(op.span, "they meet here"),
                Related((other if wrong is one else one).span, f"over dim {right}"),
            ],
        )


def _over_several(lineage: Lineage, value: Value) -> tuple[Op, tuple[int, ...]] | None:
    """The reduction over several dims, but not all, that a tensor is, and these dims in order."""
    maker = lineage.maker(value)
    whole = maker.args[0] if maker is not None and maker.args else None
    if maker is None or short(maker.name) not in _SUMS or not isinstance(whole, Tensor):
        return None
    named = maker.argument("dim")
    dims = integers([named] if named is not None else maker.args[1:2])
    rank = len(whole.shape)
    return (maker, tuple(sorted(dim % rank for dim in dims))) if dims and 1 < len(dims) < rank else None


def _of_maps(
    lineage: Lineage, op: Op, left: tuple[Op, tuple[int, ...]], right: tuple[Op, tuple[int, ...]], tree: Tree
) -> Iterator[Finding]:
    """Pictures and their masks, of which one is summed over rows and columns and the other over channels and rows."""
    whole, mask = left[0].args[0], right[0].args[0]
    assert isinstance(whole, Tensor) and isinstance(mask, Tensor)
    if short(left[0].name) != short(right[0].name) or whole.shape != mask.shape or None in whole.shape:
        return
    if left[1] == right[1] or {*_of_one(lineage, whole)} & {*_of_one(lineage, mask)}:
        return
    rank = len(whole.shape)
    last = tuple(range(rank - len(right[1]), rank))
    (wrong, over), (held, along) = (left, right) if right[1] == last else (right, left)
    yield found_at(
        RULE,
        wrong.span,
        f"{short(wrong.name)} over dims {list_of(over)} of {list_of(whole.shape)}, and what it meets was reduced over dims "
        f"{list_of(along)} of as large a tensor. What is left has the same sizes only here.",
        *another_dim(tree, wrong, along, f"over dims {list_of(along)}"),
        related=[Related(op.span, "they meet here"), Related(held.span, f"over dims {list_of(along)}")],
    )


def _features_gone(lineage: Lineage, op: Op) -> tuple[Op, int, Origin] | None:
    """The reduction that an input comes from, over the width of a layer, if the dim beside it is of the same size and no width."""
    given = op.argument(at=1)
    if not isinstance(given, Tensor) or len(given.shape) != 2:
        return None
    maker = None
    for _, maker in lineage.behind(given):
        if maker is None or short(maker.name) in _POOLS:
            break
    whole = maker.args[0] if maker is not None and short(maker.name) in _POOLS and maker.args else None
    if maker is None or not isinstance(whole, Tensor) or len(whole.shape) != 3:
        return None
    dim = dim_of(lineage, maker, 3)
    if dim not in (1, 2) or whole.shape[1] != whole.shape[2] or whole.shape[1] in (None, 1):
        return None
    gone, left = origin(lineage, whole, dim), origin(lineage, whole, 3 - dim)
    return (
        (maker, 3 - dim, gone)
        if gone is not None and _is_width(gone) and not (left and _is_width(left))
        else None
    )


def _is_width(found: Origin) -> bool:
    """Whether a dim is as wide as a layer has it: its features, or channels."""
    rank = len(found.tensor.shape)
    return found.dim == (rank - 1 if found.op.name in ("nn.Linear()", "nn.Embedding()") else 1) and (
        found.op.name in ("nn.Linear()", "nn.Embedding()", "nn.Conv1d()")
    )


def _of_features(op: Op, reduction: Op, items: int, width: Origin, tree: Tree) -> Finding:
    whole = reduction.args[0]
    assert isinstance(whole, Tensor)
    return found_at(
        RULE,
        reduction.span,
        f"{short(reduction.name)} over dim {3 - items} of {list_of(whole.shape)}, which is the width of a layer, and the next layer takes "
        f"what is left, dim {items}, for its features. Both are {whole.shape[items]} only here. Reduce dim {items}.",
        *another_dim(tree, reduction, items),
        related=[
            Related(width.op.span, f"dim {3 - items} is its width"),
            Related(op.span, "taken for features here"),
        ],
    )


def _of_all(lineage: Lineage, op: Op, pair: list[Tensor]) -> tuple[Op, Op] | None:
    """The sum of all numbers, and that for each sample of as large a tensor, which are added up."""
    makers = [lineage.maker(one) for one in pair]
    if short(op.name) not in ("+", "add") or any(one is None or short(one.name) != "sum" for one in makers):
        return None
    whole, each = sorted((one for one in makers if one is not None), key=lambda one: len(_shape(one.result)))
    shape, of_each = _shape(whole.args[0]), _shape(each.result)
    is_so = not _shape(whole.result) and len(of_each) == 1 and shape == _shape(each.args[0])
    return (whole, each) if is_so and len(shape) > 1 and of_each == shape[:1] and shape[0] != 1 else None


def _shape(value: Value) -> Sizes:
    return value.shape if isinstance(value, Tensor) else ()


def _of_all_samples(op: Op, whole: Op, each: Op) -> Finding:
    return found_at(
        RULE,
        whole.span,
        f"sum of all numbers of {list_of(_shape(whole.args[0]))}, and what it is added to is a sum for each of {_shape(each.result)[0]} "
        "samples: each gets the sum of the whole batch. Sum over the same dims.",
        related=[Related(op.span, "they meet here"), Related(each.span, "for each sample")],
    )


def _mean_of_all(lineage: Lineage, op: Op, pair: list[Tensor]) -> Op | None:
    """The mean of all numbers that is taken from advantages beside a value for each sample: `value + advantage - advantage.mean()`."""
    name = short(op.name)
    for one, other in (pair, pair[::-1]):
        inner = lineage.maker(one)
        parts = [] if inner is None else [arg for arg in inner.args if isinstance(arg, Tensor)]
        if inner is None or len(parts) != 2:
            continue
        if name in ("-", "sub") and one is pair[0] and short(inner.name) in ("+", "add"):
            mean, options = lineage.maker(other), [(parts[0], parts[1]), (parts[1], parts[0])]
        elif name in ("+", "add") and short(inner.name) in ("-", "sub"):
            mean, options = lineage.maker(parts[1]), [(other, parts[0])]
        else:
            continue
        for value, each in options:
            shape = each.shape
            if mean is None or short(mean.name) != "mean" or mean.args[:1] != (each,):
                continue
            if _shape(mean.result) not in ((), (1, *shape[1:])):
                continue
            if (
                len(shape) == 2
                and value.shape == (shape[0], 1)
                and 1 not in shape
                and value.requires_grad
                and each.requires_grad
            ):
                return mean
    return None


def _of_other_samples(op: Op, mean: Op, tree: Tree) -> Finding:
    whole = _shape(mean.args[0])
    call = tree.at(mean.span, ast.Call)
    fixes = []
    if call is not None and not call.args and not call.keywords:
        text = f"{source(tree.text, call.func)}(dim=1, keepdim=True)"
        fixes.append(Fix("the mean of each", "unsafe", (replace(tree.text, call, text),)))
    over = "the samples" if _shape(mean.result) else "all numbers"
    return found_at(
        RULE,
        mean.span,
        f"mean over {over} of {list_of(whole)}, taken from each of {whole[0]} samples beside a value of its own: what comes out for a "
        "sample depends on the others of its batch. Take the mean of each, over dim 1.",
        *fixes,
        related=[Related(op.span, "they meet here")],
    )


_HINGES = frozenset("relu clamp clamp_min ReLU() softplus".split())


def _margin(lineage: Lineage, op: Op) -> tuple[Op, Op] | None:
    """The two sums over the batch whose difference an op cuts off: distances of all samples, a number for each feature."""
    value = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
    for _ in range(4):
        maker = None if value is None else lineage.maker(value)
        pair = [] if maker is None else [arg for arg in maker.args if isinstance(arg, Tensor)]
        if maker is None or short(maker.name) not in ("+", "-", "add", "sub") or not pair:
            return None
        sums = [_sum_behind(lineage, one) for one in pair] if len(pair) == 2 else []
        first, second = (sums[0], sums[1]) if len(sums) == 2 else (None, None)
        if first is None or second is None or short(maker.name) not in ("-", "sub"):
            value = pair[0] if len(pair) == 1 else None
            continue
        whole = [one.args[0] for one in (first, second)]
        are_widths = all(isinstance(one, Tensor) and width_of(lineage, one, -1) is not None for one in whole)
        over = [dim_of(lineage, one, 2) for one in (first, second)]
        return (first, second) if over == [0, 0] and are_widths and _shape(whole[0])[0] != 1 else None
    return None


def _of_margins(op: Op, one: Op, other: Op, tree: Tree) -> Finding:
    fixes = [*another_dim(tree, one, 1), *another_dim(tree, other, 1)]
    both = Fix("both over dim 1", "unsafe", tuple(edit for fix in fixes for edit in fix.edits))
    return found_at(
        RULE,
        one.span,
        f"{short(one.name)} over dim 0 of {list_of(_shape(one.args[0]))}, whose dim 1 is the width of a layer: what is cut off below the "
        "margin is a number for each feature, over all samples, and not one for each sample. Reduce dim 1.",
        *([both] if len(fixes) == 2 else []),
        related=[Related(other.span, "and this one"), Related(op.span, "cut off here")],
    )


_POOLS = frozenset("max mean sum amax min amin logsumexp".split())


def _sum_behind(lineage: Lineage, value: Value) -> Op | None:
    """The reduction that a tensor is, or was before what keeps its shape."""
    for tensor, maker in lineage.behind(value):
        if maker is None or not isinstance(tensor, Tensor):
            return None
        if short(maker.name) in _SUMS:
            given, made = maker.args[0], next(tensors(maker.result), None)
            if not isinstance(given, Tensor) or made is None or len(given.shape) != 2:
                return None
            return maker if dim_of(lineage, maker, 2) is not None else None
    return None


def _are_alike(lineage: Lineage, one: Op, other: Op) -> bool:
    """Whether two tensors of the same dims, and not one tensor or one and its transpose, are reduced over different ones."""
    first, second = one.args[0], other.args[0]
    if not isinstance(first, Tensor) or not isinstance(second, Tensor) or first.shape != second.shape:
        return False
    if dim_of(lineage, one, 2) == dim_of(lineage, other, 2) or first.shape[0] == 1:
        return False
    return not {*_of_one(lineage, first)} & {*_of_one(lineage, second)}


def _of_one(lineage: Lineage, tensor: Tensor) -> Iterator[int]:
    """The ids of a tensor and of those that it was made of by ops of one tensor, as a square is."""
    for _ in range(8):
        yield tensor.id
        maker = lineage.maker(tensor)
        given = [arg for arg in maker.args if isinstance(arg, Tensor)] if maker is not None else []
        if len(given) != 1 or given[0].shape not in (tensor.shape, tensor.shape[::-1]):
            return
        tensor = given[0]
