"""What random integers are drawn below, wherever their tensor has been cut, turned or moved since."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.ops import losses
from ..program.values import Value, number, roots
from ..queries.lineage import Lineage, short
from ..vocabulary.events import Group, Log, Op, Other, Scalar, Tensor
from ..vocabulary.events import Value as Given
from ..vocabulary.span import Span
from .tree import Tree

_KEEP = frozenset(
    "view reshape flatten squeeze unsqueeze long int to cpu cuda clone contiguous transpose permute t T mT detach expand "
    "repeat chunk split unbind".split()
)
"""Ops whose result has the numbers that they are given, and of random ones as wide a range."""
_FAR = 12


def drawn_at(lineage: Lineage, tensor: Tensor) -> tuple[Span, int] | None:
    """Where the numbers of a tensor were drawn, and the first number that none of them is."""
    value: Given = tensor
    for _ in range(_FAR):
        op = lineage.maker(value)
        if op is None:
            return None
        if op.name == "torch.randint":
            high = _high([_number(arg) for arg in op.args[:2]])
            return (op.span, high) if high is not None else None
        keeps = short(op.name) in _KEEP or (short(op.name) == "[]" and _is_plain(op))
        if not keeps or not op.args or not isinstance(op.args[0], Tensor):
            return None
        value = op.args[0]
    return None


def _is_plain(op: Op) -> bool:
    """Whether an index is made of slices and numbers: a mask may pick those that are small."""
    index = op.args[1] if len(op.args) > 1 else None
    items = index.items if isinstance(index, Group) else (index,)
    return all(isinstance(one, Scalar) or (isinstance(one, Other) and one.type == "slice") for one in items)


def _number(value: Given) -> int | None:
    return value.value if isinstance(value, Scalar) and type(value.value) is int else None


def _high(numbers: list[int | None]) -> int | None:
    """`randint(high, size)` or `randint(low, high, size)`."""
    if len(numbers) > 1 and numbers[1] is not None:
        return numbers[1]
    return next(iter(numbers), None)


def drawn_targets(log: Log, tree: Tree) -> Iterator[tuple[Op, Span, int]]:
    """The same of the classes that losses are given, as the text has it: of numpy's numbers, and of batches of a loader."""
    ops: dict[Span, list[Op]] = {}
    for op in log.events:
        if isinstance(op, Op) and op.failure is None:
            ops.setdefault(op.span, []).append(op)
    for loss in losses(tree.course):
        made = None if loss.target is None else _made(loss.target)
        if loss.name not in ("cross_entropy", "nll_loss") or made is None or made.node is None:
            continue
        numbers = [number(one) for one in made.args[:2]]
        high = _high([one if type(one) is int else None for one in numbers])
        for op in ops.get(tree.span(loss.event.node), ())[:1] if high is not None else ():
            yield op, tree.span(made.node), high  # type: ignore[misc]


def _made(value: Value) -> Value | None:
    """The call that draws the numbers of a value."""
    for _ in range(_FAR):
        if value.by in ("torch.randint", "numpy.random.randint"):
            return value
        if value.by.startswith(".") and value.short() in _KEEP and value.on is not None:
            value = value.on
        elif (
            value.by in ("torch.from_numpy", "torch.tensor", "torch.as_tensor", "torch.LongTensor")
            and value.args
        ):
            value = value.args[0]
        elif value.by == "item" and value.on is not None and value.on.by == "for" and value.on.on is not None:
            data = _data_of(value.on.on)
            at = value.keys[0] if len(value.keys) == 1 else None
            if data is None or type(at) is not int or not 0 <= at < len(data.args):
                return None
            value = data.args[at]
        else:
            return None
    return None


def _data_of(loader: Value) -> Value | None:
    """The TensorDataset of a loader."""
    found = roots(loader)
    if len(found) != 1 or found[0].by != "torch.utils.data.DataLoader":
        return None
    given = found[0].argument("dataset", 0)
    data = roots(given) if given is not None else []
    return data[0] if len(data) == 1 and data[0].by == "torch.utils.data.TensorDataset" else None
