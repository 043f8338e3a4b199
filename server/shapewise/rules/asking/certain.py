"""What was tried on inputs that were made up, without what depends on the rank of one of which no rank is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ...queries.lineage import ELEMENTWISE, short, tensors
from ...vocabulary.events import Bound, Event, Op, Tensor, Unknown, Value

_BROADCAST = ELEMENTWISE | {"masked_fill", "masked_fill_"}


def certain(events: Iterable[Event]) -> Iterator[Event]:
    """The events whose tensors have the ranks that they would have whatever is given.

    A mask of any rank leaves the shape of the scores that it is added to: the sum stays, and does not show the mask.
    """
    unsure: set[int] = set()
    for event in events:
        if isinstance(event, Bound):
            if event.others:
                unsure |= {one.id for value in (event.value, *event.others) for one in tensors(value)}
                continue
        elif isinstance(event, Op):
            given = [one for arg in event.args for one in tensors(arg)]
            if any(one.id in unsure for one in given):
                if not _keeps_its_shape(event, given, unsure):
                    unsure |= {one.id for one in tensors(event.result)}
                    continue
                event = replace(event, args=tuple(_hidden(arg, unsure) for arg in event.args))
        yield event


def _keeps_its_shape(op: Op, given: list[Tensor], unsure: set[int]) -> bool:
    """Whether the result has the shape of an operand that is known."""
    made = op.result
    return (
        short(op.name) in _BROADCAST
        and isinstance(made, Tensor)
        and any(one.id not in unsure and one.shape == made.shape for one in given)
    )


def _hidden(value: Value, unsure: set[int]) -> Value:
    known = not isinstance(value, Tensor) or value.id not in unsure
    return value if known else Unknown("depends on the sizes that it is given", True)
