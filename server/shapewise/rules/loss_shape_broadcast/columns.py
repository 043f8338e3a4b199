"""A column `(N, 1)` that meets a row `(N,)`: whether each is to meet each, or somebody forgot that there is a dim of one."""

from __future__ import annotations

from ...queries.lineage import REDUCTIONS, Lineage, reduced_dims, short
from ...queries.origins import origin
from ...vocabulary.events import Group, Op, Other, Scalar, Tensor

_WIDTHS = frozenset("nn.Linear() nn.LazyLinear() nn.Embedding() nn.Bilinear()".split())
_POSITIONS = frozenset("arange linspace logspace".split())
_BEST = frozenset("max min amax amin argmax argmin median".split())
"""What is sought among the outputs of one sample; pairs are made of sums and norms."""
_GIVEN = frozenset(
    "randn rand randint normal zeros ones full empty tensor as_tensor from_numpy FloatTensor".split()
)
"""What makes data, and what stands for it."""
_PER_SAMPLE = frozenset(
    "cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits".split()
)
_DROPS = frozenset("squeeze flatten ravel view reshape []".split())


def meet_by_mistake(op: Op, one: Tensor, other: Tensor, lineage: Lineage) -> bool:
    """Whether one is `(..., N, 1)`, and not on purpose, and the other `(N,)`."""
    column, row = (one, other) if len(one.shape) > len(other.shape) else (other, one)
    if len(row.shape) != 1 or len(column.shape) < 2 or column.shape[-1] != 1:
        return False
    size = row.shape[0]
    if size != column.shape[-2] or type(size) is not int or size < 2:
        return False
    of_row = _root(row, lineage)
    if of_row is not None and short(of_row.name) in _POSITIONS:
        return False  # where something is centred, against all places
    born = origin(lineage, column, len(column.shape) - 1)
    if born is not None and _is_width(born.op, column):
        return not (short(op.name) in ("+", "add") and _is_squeezed_width(of_row, lineage))
    if len(column.shape) != 2:
        return False
    if born is not None and short(born.op.name) in ("gather", "log_prob"):
        return True
    if (born is None or _is_given(born.op)) and _is_per_sample(of_row, lineage):
        return True
    of_column = _root(column, lineage)
    return of_column is not None and _is_kept(op, of_column, of_row, size)


_COLLECTS = frozenset("stack cat concat vstack tensor as_tensor FloatTensor".split())
_COMPARES = frozenset("- sub mse_loss l1_loss smooth_l1_loss huber_loss".split())
_AS_IT_WAS = frozenset("detach float double to clone contiguous cpu cuda".split())


def collected_by_mistake(op: Op, one: Tensor, other: Tensor, lineage: Lineage) -> bool:
    """Whether a column and a row that are compared were collected in as many rounds as nobody knows: values `[?, 1]`, returns `[?]`."""
    column, row = (one, other) if len(one.shape) > len(other.shape) else (other, one)
    if column.shape != (None, 1) or row.shape != (None,) or short(op.name) not in _COMPARES:
        return False
    return _is_collected(column, lineage, _COLLECTS - {"tensor", "as_tensor"}) and _is_collected(
        row, lineage, _COLLECTS
    )


def _is_collected(tensor: Tensor, lineage: Lineage, ways: frozenset[str]) -> bool:
    """Whether a list that a loop filled was made a tensor, and only cast or detached since."""
    for _ in range(4):
        maker = lineage.maker(tensor)
        if maker is None or not maker.args:
            return False
        given = maker.args[0]
        if not isinstance(given, Tensor):
            return short(maker.name) in ways
        if short(maker.name) not in _AS_IT_WAS:
            return False
        tensor = given
    return False


def _root(tensor: Tensor, lineage: Lineage) -> Op | None:
    """The op behind a tensor and whatever kept its dims since."""
    op = None
    for _, op in lineage.behind(tensor):
        if op is None:
            return None
    return op


def _is_width(op: Op, column: Tensor) -> bool:
    """Whether nobody wrote that there is a dim of one: it is the width of a layer."""
    return op.name in _WIDTHS or (len(column.shape) == 2 and op.name.endswith("()"))


def _is_squeezed_width(op: Op | None, lineage: Lineage) -> bool:
    """Whether an op takes away the dim that is the width of a layer."""
    if op is None or short(op.name) not in _DROPS or not op.args:
        return False
    given = op.args[0]
    if not isinstance(given, Tensor) or len(given.shape) != 2 or given.shape[-1] != 1:
        return False
    born = origin(lineage, given, 1)
    return born is not None and _is_width(born.op, given)


def _is_per_sample(op: Op | None, lineage: Lineage) -> bool:
    """Whether a row is a number for each sample: what a layer of one output said of it, its class, or its loss."""
    return op is not None and (
        short(op.name) in _PER_SAMPLE or _is_squeezed_width(op, lineage) or _is_class(op)
    )


def _is_class(op: Op) -> bool:
    """Whether an op picks the best class of each sample, or its score."""
    given = op.args[0] if op.args else None
    dims = reduced_dims(op)
    return short(op.name) in _BEST and isinstance(given, Tensor) and len(given.shape) == 2 and dims == (1,)


def _is_given(op: Op) -> bool:
    """Whether an op makes data, or takes some of their columns."""
    if short(op.name) != "[]":
        return short(op.name) in _GIVEN
    index = op.argument(at=1)
    items = index.items if isinstance(index, Group) else ()
    return bool(items) and all(isinstance(item, Other) and item.type == "slice" for item in items)


def _is_kept(op: Op, kept: Op, of_row: Op | None, size: int) -> bool:
    """Whether a dim that was kept is one too many: the row was reduced alike, or belongs to the same samples."""
    whole = kept.args[0] if kept.args else None
    if short(kept.name) not in REDUCTIONS or not isinstance(whole, Tensor):
        return False
    if kept.argument("keepdim") != Scalar(True) or len(whole.shape) != 2 or whole.shape[0] != size:
        return False
    other = of_row.args[0] if of_row is not None and of_row.args else None
    if of_row is not None and reduced_dims(of_row) == (1,) and isinstance(other, Tensor):
        paired = short(of_row.name) == short(kept.name) and short(op.name) not in ("-", "sub")
        return other.shape == whole.shape and not paired  # |a|² + |b|² of each a and each b
    return short(kept.name) in _BEST and type(whole.shape[1]) is int and whole.shape[1] not in (1, size)
