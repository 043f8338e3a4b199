"""What random integers are drawn below, wherever their tensor has been cut, turned or moved since."""

from __future__ import annotations

from collections.abc import Iterator

from ...program.course import Course
from ...program.events import Event
from ...program.ops import losses
from ...program.values import CONST, GIVEN, Value, number, roots
from ...queries.lineage import Lineage, short
from ...queries.ops import ops_of
from ...queries.values import integer
from ...vocabulary.events import Group, Log, Op, Other, Scalar, Tensor
from ...vocabulary.events import Value as Given
from ...vocabulary.span import Span
from ..asking.loaders import item_behind
from ..asking.tree import Tree

_KEEP = frozenset(
    "view reshape flatten squeeze unsqueeze long int to cpu cuda clone contiguous transpose permute t T mT detach expand "
    "repeat chunk split unbind".split()
)
"""Ops whose result has the numbers that they are given, and of random ones as wide a range."""
_FAR = 12


_WRITES = frozenset(
    "[]= %= //= -= &= += *= clamp_ remainder_ masked_fill_ fmod_ copy_ fill_ zero_ sub_ mul_ scatter_".split()
)


def written(log: Log) -> set[int]:
    """The tensors whose numbers some op replaces, by id."""
    firsts = (op.args[0] for op in ops_of(log) if op.args and short(op.name) in _WRITES)
    return {one.id for one in firsts if isinstance(one, Tensor)}


def drawn_at(lineage: Lineage, tensor: Tensor, changed: set[int]) -> tuple[Span, int] | None:
    """Where the numbers of a tensor were drawn, and the first number that none of them is. `changed`: those that were written to."""
    value: Given = tensor
    for _ in range(_FAR):
        op = lineage.maker(value)
        if op is None or (isinstance(value, Tensor) and value.id in changed):
            return None
        if op.name == "torch.randint":
            high = _high([integer(arg) for arg in op.args[:2]])
            return (op.span, high) if high is not None else None
        keeps = short(op.name) in _KEEP or (short(op.name) == "[]" and _is_plain(op))
        if not keeps or not op.args or not isinstance(op.args[0], Tensor):
            return None
        value = op.args[0]
    return None


def _is_plain(op: Op) -> bool:
    """Whether an index is made of slices and numbers: a mask may pick those that are small."""
    index = op.argument(at=1)
    items = index.items if isinstance(index, Group) else (index,)
    return all(isinstance(one, Scalar) or (isinstance(one, Other) and one.type == "slice") for one in items)


def _high(numbers: list[int | None]) -> int | None:
    """`randint(high, size)` or `randint(low, high, size)`."""
    if len(numbers) > 1 and numbers[1] is not None:
        return numbers[1]
    return next(iter(numbers), None)


def drawn_in_text(log: Log, tree: Tree) -> Iterator[tuple[Op, Span, int]]:
    """The same of what losses and embeddings are given, as the text has it: of numpy's numbers, of lists, and of the items of a loader."""
    ops: dict[Span, list[Op]] = {}
    for op in ops_of(log):
        ops.setdefault(op.span, []).append(op)
    for event, given in _given(tree.course):
        here = ops.get(tree.span(event.node), [])
        found = _range_of(tree, ops, given) if here else None
        if found is not None and found[0].node is not None:
            yield here[0], tree.span(found[0].node), found[1]


def _given(course: Course) -> Iterator[tuple[Event, Value]]:
    """Each classes of a loss, and each indices of an embedding, with the call."""
    for loss in losses(course):
        if loss.name in ("cross_entropy", "nll_loss") and loss.target is not None:
            yield loss.event, loss.target
    for event in course.calls("()"):
        if event.args and any(root.by == "torch.nn.Embedding" for root in roots(event.on)):
            yield event, event.args[0]


_CASTS = ("torch.from_numpy", "torch.tensor", "torch.as_tensor", "torch.LongTensor", "numpy.array", "int")


def _range_of(tree: Tree, ops: dict[Span, list[Op]], value: Value) -> tuple[Value, int] | None:
    """What gives the numbers of a value, and the first number that is above all of them."""
    more = 0
    for _ in range(_FAR):
        if _is_written(tree.course, value):
            return None
        operand = _constant(value.args[1]) if value.by in ("+", "-", "%") and len(value.args) == 2 else None
        if value.by in ("torch.randint", "numpy.random.randint"):
            made = ops.get(tree.span(value.node), ()) if value.node is not None else ()
            runs = {_high([integer(arg) for arg in op.args[:2]]) for op in made}
            high = runs.pop() if len(runs) == 1 else _high([_constant(one) for one in value.args[:2]])
            return None if high is None or value.node is None else (value, high + more)
        if value.by == "list" and value.node is not None:
            numbers = [_constant(one) for one in value.args]
            known = [one for one in numbers if one is not None]
            return (value, max(known) + 1 + more) if known and len(known) == len(numbers) else None
        if value.by == "%" and operand is not None and operand > 0:
            return (value, operand + more) if value.node is not None else None
        if value.by in ("+", "-") and operand is not None:
            more += operand if value.by == "+" else -operand
            value = value.args[0]
        elif value.on is not None and _keeps_numbers(value):
            value = value.on
        elif value.by in _CASTS and value.args:
            value = value.args[0]
        elif value.by == "item" and (item := item_behind(tree.course, value)) is not None:
            value = item
        else:
            return None
    return None


def _is_written(course: Course, value: Value) -> bool:
    """Whether something may have put other numbers in the place of those that a value was made with."""
    return any(
        use.kind in ("store", "augmented")
        or (use.name.startswith(".") and use.name.endswith("_") and use.on is value)
        for use in course.uses(value)
        if use.on is value or use.kind == "augmented"
    )


def _keeps_numbers(value: Value) -> bool:
    """Whether it has the numbers of what it was made of: another shape or dtype of it, or an item of it, whichever."""
    if value.by == "[]" and value.args:
        index = value.args[0]
        parts = index.args if index.by == "tuple" else (index,)
        return all(part.by in (GIVEN, CONST, "slice") for part in parts)
    return value.by.startswith(".") and value.short() in _KEEP


def _constant(value: Value) -> int | None:
    found = number(value)
    return found if type(found) is int else None
