"""Weights that add up to one along another dim than the one they are summed over, or chosen from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from ...queries.lineage import Lineage, lineage_of, reduced_dims, short, tensors
from ...queries.ops import ops_of
from ...queries.origins import before, equation
from ...vocabulary.events import Bound, Group, Log, Op, Other, Scalar, Tensor
from ...vocabulary.findings import Finding, Related
from ..asking.along import another_dim, dim_of
from ..asking.classes import are_classes, last_is_a_width
from ..asking.named_dims import NamedDims
from ..asking.refusals import list_of
from ..asking.tree import Tree
from ..asking.weights import PRODUCTS, SOFTMAX, is_product, shared_out, softmax_behind, softmax_layer
from ..telling.found import found_at
from .called_the_batch import called_the_batch
from .softmax_of_a_model import Chosen, given_out, is_model, of_a_model, unlike_its_choice, within_a_model

RULE = "softmax-over-wrong-dim"
UNCALLED = True
_CHOICES = frozenset("argmax max topk multinomial".split())
_CASTS = frozenset("float to double half bfloat16 type type_as long contiguous clone detach".split())
_TURNS = frozenset("permute transpose swapaxes movedim".split())
_LIKELIHOODS = {"nll_loss": 1, "NLLLoss()": 1, "ctc_loss": 2, "CTCLoss()": 2}
"""Losses of log-probabilities, and the dim that they take for the classes."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Attention whose weights are summed over another dim, and classes chosen where the softmax went over the batch."""
    lineage = lineage_of(log)
    outputs = {
        event.value.id: event
        for event in log.events
        if isinstance(event, Bound)
        and event.kind == "return"
        and isinstance(event.value, Tensor)
        and log.frames[event.frame].scope.endswith(".forward")
    }
    models = {
        one.id
        for event in log.events
        if isinstance(event, Op) and is_model(event)
        for one in tensors(event.result)
    }
    chosen = Chosen(log, lineage)
    taught = {
        event.args[0].id
        for event in ops_of(log, ("cross_entropy",))
        if event.args and isinstance(event.args[0], Tensor) and len(event.args[0].shape) > 2
    }
    named: NamedDims | None = None
    for op in ops_of(log):
        if not op.args:
            continue
        way, said = _read(lineage, op)
        if way is None and short(op.name) in ("*", "mul"):
            way, said = _against_one_hot(lineage, op), _ONE_HOT
        if way is None and isinstance(op.result, Tensor) and op.result.id in outputs:
            way, said = given_out(lineage, op, op.result), _COMPARED
        if way is None and not within_a_model(log, op):
            way, said = of_a_model(lineage, op, models), _CHOSEN
        if way is None and short(op.name) in SOFTMAX:
            way, said = unlike_its_choice(lineage, op, chosen), _CHOSEN
        if way is None and short(op.name) in SOFTMAX:
            way, said = _taught_otherwise(lineage, op, taught), _TAUGHT
        if way is None and short(op.name) in SOFTMAX:
            named = named or NamedDims(log, lineage, tree)
            way, said = called_the_batch(lineage, op, named), _CALLED
        yield from _added_up(lineage, op)
        yield from _shared_again(lineage, op)
        if way is None or way[1] == way[2]:
            continue
        softmax, over, summed = way
        yield found_at(
            RULE,
            softmax.span,
            f"{_called(softmax)} over dim {over} of {list_of(shared_out(softmax).shape)}, and {said.format(summed)}. "
            f"Take it over dim {summed - len(shared_out(softmax).shape)}.",
            *another_dim(tree, softmax, summed - len(shared_out(softmax).shape)),
            related=[Related(op.span, "used here"), *_made(lineage, softmax)],
        )


_COMPARED = "that is what the model gives, whose classes are in dim {}: those of a sample depend on the others of its batch"
_SUMMED = "the product sums over dim {}: these weights do not add up to one, and mix what was not compared"
_SCORED = "the loss takes dim {} for the classes: what it is given are no probabilities of one sample"
_DRAWN = "samples are drawn along dim {}: what is there does not add up to one"
_ONE_HOT = (
    "what it is multiplied with is one-hot, with its classes in dim {}: these are no probabilities of classes"
)
_CALLED = "that is the batch, by its name: what is to add up to one for each sample is in dim {}"
_TAUGHT = "cross_entropy takes the very same scores, whose classes are in dim {}: here they are shared out among something else"
_CHOSEN = "the classes are in dim {}: the probabilities of a sample depend on the others of its batch"


def _taught_otherwise(lineage: Lineage, op: Op, taught: set[int]) -> tuple[Op, int, int] | None:
    """A softmax along another dim than dim 1 of what a cross entropy is given as it is, `[B, C, H, W]`."""
    scores = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
    if scores is None or scores.id not in taught:
        return None
    over = dim_of(lineage, op, len(scores.shape))
    return None if over is None else (op, over, 1)


def _added_up(lineage: Lineage, op: Op) -> Iterator[Finding]:
    """Probabilities that were sorted and are added up along another dim than they add up to one, as in nucleus sampling."""
    given = op.args[0]
    if short(op.name) != "cumsum" or not isinstance(given, Tensor):
        return
    softmax = lineage.maker(given)
    if softmax is None or short(softmax.name) not in ("softmax", "Softmax()"):
        return
    ordered = lineage.maker(shared_out(softmax))
    rank = len(given.shape)
    over, along = dim_of(lineage, softmax, rank), dim_of(lineage, op, rank)
    if ordered is None or short(ordered.name) != "sort" or None in (over, along) or over == along:
        return
    assert over is not None
    yield found_at(
        RULE,
        op.span,
        f"cumsum over dim {along} of {list_of(given.shape)}, and these are sorted probabilities that add up to one along "
        f"dim {over}. Add them up along dim {over - rank}.",
        related=[Related(softmax.span, "softmax")],
    )


def _shared_again(lineage: Lineage, op: Op) -> Iterator[Finding]:
    """The largest of shares that add up to one along a dim, divided by their sum along another one, as of chosen experts."""
    if short(op.name) not in ("/", "div", "/=", "div_") or len(op.args) != 2:
        return
    given, summed = op.args[0], lineage.maker(op.args[1])
    if (
        not isinstance(given, Tensor)
        or summed is None
        or short(summed.name) != "sum"
        or summed.args[0] != given
    ):
        return
    chosen = lineage.maker(given)
    if chosen is None or short(chosen.name) != "topk" or not isinstance(chosen.args[0], Tensor):
        return
    rank = len(given.shape)
    along, over = dim_of(lineage, chosen, rank), dim_of(lineage, summed, rank)
    way = None if along is None else softmax_behind(lineage, chosen.args[0], along)
    if (
        way is None
        or over is None
        or way[1] != way[2]
        or over == along
        or 1 in (given.shape[over], given.shape[along or 0])
    ):
        return
    yield found_at(
        RULE,
        summed.span,
        f"sum over dim {over} of {list_of(given.shape)}, and these are the largest of shares that add up to one along dim "
        f"{along}: divided by it they are no shares of one. Sum over dim {(along or 0) - rank}.",
        related=[Related(way[0].span, "softmax"), Related(chosen.span, f"the largest along dim {along}")],
    )


def _called(softmax: Op) -> str:
    return "logsumexp" if short(softmax.name) in ("logsumexp", "-", "sub") else "softmax"


def _made(lineage: Lineage, softmax: Op) -> tuple[Related, ...]:
    """Where a layer is told its dim."""
    built = softmax_layer(lineage, softmax)
    return () if built is None else (Related(built.span, "made here"),)


def _read(lineage: Lineage, op: Op) -> tuple[tuple[Op, int, int] | None, str]:
    """If an op sums over, or chooses along, a dim of what a softmax gave: the softmax, its dim and that dim."""
    weights = op.args[1] if _comes_second(op) else op.args[0]
    if not isinstance(weights, Tensor):
        return None, ""
    rank = len(weights.shape)
    if short(op.name) in _LIKELIHOODS:
        dim = _LIKELIHOODS[short(op.name)] if rank > 1 else 0
        return (softmax_behind(lineage, weights, dim, True), _SCORED) if dim < rank else (None, "")
    if short(op.name) == "[]" and rank == 2 and _indexes_one_each(lineage, op, weights):
        return softmax_behind(lineage, weights, 1), _SCORED
    if short(op.name) == "multinomial" and rank == 2:
        return softmax_behind(lineage, weights, 1), _DRAWN
    if short(op.name) == "gather" and _picks_one_each(op, weights):
        return softmax_behind(lineage, weights, rank - 1, True), _SCORED
    if short(op.name) == "sum":
        return _pooled(lineage, op) or _expected(lineage, op) or _gated(lineage, op), _SUMMED
    if short(op.name) in PRODUCTS and rank >= 2:
        return _multiplied(lineage, op, weights), _SUMMED
    if short(op.name) in _CHOICES and rank == 2 and dim_of(lineage, op, rank) == 1:
        way = softmax_behind(lineage, weights, 1)
        if _of_several(way) and (way[0].name in ("-", "sub") or are_classes(lineage, way[0])):
            return way, _CHOSEN
        return None, ""
    return None, ""


def _of_several(way: tuple[Op, int, int] | None) -> TypeGuard[tuple[Op, int, int]]:
    """Whether there is a softmax, over more than one."""
    return way is not None and isinstance(way[0].result, Tensor) and way[0].result.shape[way[1]] != 1


def _comes_second(op: Op) -> bool:
    """Whether what weighs, or is judged, is the second argument: behind an equation, or a layer that is called."""
    equation = short(op.name) == "einsum" and len(op.args) == 3 and isinstance(op.args[0], Scalar)
    return len(op.args) > 1 and (equation or op.name.endswith("Loss()"))


def _picks_one_each(op: Op, weights: Tensor) -> bool:
    """Whether a gather takes one number out of each row."""
    dim, index = op.argument("dim", at=1), op.argument("index", at=2)
    rank = len(weights.shape)
    return (
        rank >= 2
        and isinstance(dim, Scalar)
        and dim.value in (rank - 1, -1)
        and isinstance(index, Tensor)
        and index.shape == (*weights.shape[:-1], 1)
        and weights.shape[0] not in (None, 1)
    )


def _indexes_one_each(lineage: Lineage, op: Op, weights: Tensor) -> bool:
    """`p[torch.arange(n), y]`: one number out of each row."""
    pair = op.args[1].items if len(op.args) > 1 and isinstance(op.args[1], Group) else ()
    if len(pair) != 2 or weights.shape[0] in (None, 1):
        return False
    rows, columns = pair
    counted = isinstance(rows, Other) and rows.type == "range"
    if isinstance(rows, Tensor):
        maker = lineage.maker(rows)
        counted = maker is not None and short(maker.name) == "arange" and rows.shape == weights.shape[:1]
    return counted and isinstance(columns, Tensor) and columns.shape == weights.shape[:1]


def _multiplied(lineage: Lineage, op: Op, weights: Tensor) -> tuple[Op, int, int] | None:
    """The softmax behind what a product of matrices takes for weights: of scores of each with each, or for one query."""
    rank = len(weights.shape)
    summed = {weights.id: (weights, rank - 1)}
    if short(op.name) == "einsum":
        summed = _summed_once(op)
    for operand, dim in summed.values():
        way = softmax_behind(lineage, operand, dim)
        if way is not None and is_product(lineage, way[0]):
            return way
    if short(op.name) == "einsum" or rank != 3 or weights.shape[1] != 1:
        return None
    way = softmax_behind(lineage, weights, 2, True)
    return way if _over_the_batch(way) else None


def _summed_once(op: Op) -> dict[int, tuple[Tensor, int]]:
    """The tensors of an einsum of which it sums over one dim, and no other, with that dim (from 0).

    Not where a parameter mixes the heads of all pairs: they are no weights of what is summed.
    """
    found, sums = equation(op), dict[int, tuple[Tensor, int]]()
    if found is None:
        return sums
    learned = any(one.leaf and one.requires_grad for one in found.operands)
    if learned and any(len(one.shape) > 3 for one in found.operands):
        return sums
    for operand, term in zip(found.operands, found.terms):
        gone = [dim for dim, word in enumerate(term) if word not in found.output]
        if len(gone) == 1 and len(set(term)) == len(term):
            sums[operand.id] = operand, gone[0]
    return sums


def _pooled(lineage: Lineage, op: Op) -> tuple[Op, int, int] | None:
    """`(weights * items).sum(1)`, whose weights, one for each item, were made to add up to one over the batch."""
    product, dims = lineage.maker(op.args[0]), reduced_dims(op)
    pair = () if product is None or short(product.name) not in ("*", "mul") else product.args
    if len(pair) != 2 or dims != (1,):
        return None
    for one, other in (pair, pair[::-1]):
        if isinstance(one, Tensor) and isinstance(other, Tensor) and len(one.shape) == len(other.shape) > 2:
            if (
                one.shape[:2] == other.shape[:2]
                and one.shape[2:] == (1,) * len(one.shape[2:]) != other.shape[2:]
            ):
                way = softmax_behind(lineage, one, 1, True)
                if _over_the_batch(way):
                    return way
    return None


def _expected(lineage: Lineage, op: Op) -> tuple[Op, int, int] | None:
    """`(weights * atoms).sum(-1)`: a mean over the last dim, whose values are the same for all, with weights over another."""
    product, dims = lineage.maker(op.args[0]), reduced_dims(op)
    pair = () if product is None or short(product.name) not in ("*", "mul") else product.args
    for one, atoms in (pair, pair[::-1]) if len(pair) == 2 and dims is not None else ():
        if isinstance(one, Tensor) and isinstance(atoms, Tensor) and len(atoms.shape) == 1 < len(one.shape):
            last = len(one.shape) - 1
            way = (
                softmax_behind(lineage, one, last)
                if dims == (last,) and atoms.shape == one.shape[-1:]
                else None
            )
            if _of_several(way) and (way[1] == 0 or _are_places(lineage, atoms)):
                return way
            if (
                dims == (last,)
                and _are_places(lineage, atoms)
                and _of_several(way := _of_a_map(lineage, one))
            ):
                return way
    return None


def _are_places(lineage: Lineage, atoms: Tensor) -> bool:
    """Whether a tensor counts places, or steps of equal width: `arange(w)`, `linspace(-1, 1, w)`."""
    made = [maker for _, maker in lineage.behind(atoms) if maker is not None]
    return bool(made) and short(made[-1].name) in ("arange", "linspace")


def _of_a_map(lineage: Lineage, marginal: Tensor) -> tuple[Op, int, int] | None:
    """The softmax of maps of which rows, or columns, were added up: `p.view(b, k, h * w).softmax(-1).view(b, k, h, w).sum(3)`."""
    summed = lineage.maker(marginal)
    dims = None if summed is None else reduced_dims(summed)
    maps = summed.args[0] if summed is not None and summed.args else None
    split = lineage.maker(maps) if isinstance(maps, Tensor) else None
    flat = split.args[0] if split is not None and split.args else None
    if dims is None or len(dims) != 1 or not isinstance(maps, Tensor) or not isinstance(flat, Tensor):
        return None
    rank = len(maps.shape)
    is_last = rank == len(marginal.shape) + 1 and dims[0] in (rank - 2, rank - 1)
    if not is_last or len(flat.shape) != rank - 1 or flat.shape[:-1] != maps.shape[:-2]:
        return None
    if split is None or short(split.name) not in ("view", "reshape", "unflatten"):
        return None
    return softmax_behind(lineage, flat, rank - 2)


def _gated(lineage: Lineage, op: Op) -> tuple[Op, int, int] | None:
    """`(torch.stack(outputs, -1) * gate).sum(-1)`: a mixture of what was stacked, whose shares add up to one elsewhere."""
    product, dims = lineage.maker(op.args[0]), reduced_dims(op)
    pair = () if product is None or short(product.name) not in ("*", "mul") else product.args
    if len(pair) != 2 or dims is None or len(dims) != 1:
        return None
    for one, other in (pair, pair[::-1]):
        stacked = lineage.maker(other)
        if stacked is None or short(stacked.name) != "stack" or not isinstance(other, Tensor):
            continue
        if not isinstance(one, Tensor) or (dim_of(lineage, stacked, len(other.shape)) or 0) != dims[0]:
            continue
        way = softmax_behind(lineage, one, dims[0], True) if len(one.shape) == len(other.shape) else None
        if _of_several(way) and way[1] != way[2] == len(shared_out(way[0]).shape) - 1:
            return way if last_is_a_width(lineage, shared_out(way[0])) else None
    return None


def _against_one_hot(lineage: Lineage, op: Op) -> tuple[Op, int, int] | None:
    """`probabilities * one_hot(labels)`, as in a Dice loss: both have their classes in the same dim."""
    pair = op.args
    for one, other in (pair, pair[::-1]) if len(pair) == 2 else ():
        if isinstance(one, Tensor) and isinstance(other, Tensor) and one.shape == other.shape:
            classes = _classes_of_one_hot(lineage, other)
            way = None if classes is None else softmax_behind(lineage, one, classes)
            if _of_several(way):
                return way
    return None


def _classes_of_one_hot(lineage: Lineage, tensor: Tensor) -> int | None:
    """The dim (from 0) of the classes, where a tensor was made by `one_hot` and only turned or cast since."""
    for dim in range(len(tensor.shape)):
        at: tuple[Tensor, int] | None = (tensor, dim)
        for _ in range(6):
            maker = None if at is None else lineage.maker(at[0])
            if at is None or maker is None:
                break
            if short(maker.name) == "one_hot":
                if at[1] == len(at[0].shape) - 1:
                    return dim
                break
            is_cast = short(maker.name) in _CASTS or short(maker.name) in _TURNS
            at = before(maker, *at) if is_cast else None
    return None


def _over_the_batch(way: tuple[Op, int, int] | None) -> bool:
    """Whether a softmax went over the first dim, and one that is kept in the place of the batch."""
    return _of_several(way) and way[1] == 0 and way[2] == 1
