"""Graphs that were made before a step of an optimizer, which changed the weights that they need."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...queries.lineage import Lineage, short, tensors
from ...vocabulary.events import Log, Op, Other, Tensor

CHANGED = "one of the variables needed for gradient computation has been modified by an inplace operation"
"""What torch says where a backward needs what is no longer there."""
_MADE_BY = re.compile(r"\]\], which is output \d+ of (\w+?)(?:Backward\d*)?,")
_OF_WEIGHTS = ("T", "AsStrided")
"""What torch names where a weight itself is meant, or its transpose in a linear layer."""
_NO_STEP = re.compile(r"LR$|Schedul|Plateau|Anneal|Profil|Env$", re.IGNORECASE)
_NEAR = 400


class Stale(NamedTuple):
    """`made`: the op before `step` that gave a tensor of the graph; `used`: the op after it that took this tensor, if one did."""

    step: Op
    made: Op
    used: Op | None


def stale(log: Log, lineage: Lineage, failed: Op, message: str) -> Stale | None:
    """Which step came between the forward and the backward that torch refuses in these words, if it was one."""
    node = _MADE_BY.search(message)
    if node is not None and node.group(1) not in _OF_WEIGHTS:
        return None
    before = log.events[: log.events.index(failed)]
    places = {id(event): at for at, event in enumerate(before)}
    steps = [event for event in before if isinstance(event, Op) and _is_step(event)]
    if not steps:
        return None
    waiting: list[tuple[Tensor, Op | None]] = [(one, None) for one in tensors(failed.args[0])]
    seen = set[int]()
    while waiting and len(seen) < _NEAR:
        one, user = waiting.pop(0)
        made = lineage.maker(one)
        if made is None or one.id in seen or not one.requires_grad or id(made) not in places:
            continue
        seen.add(one.id)
        if places[id(made)] < places[id(steps[-1])]:
            return Stale(steps[-1], made, user)
        waiting += [(inner, made) for arg in made.args for inner in tensors(arg)]
    return None


def _is_step(op: Op) -> bool:
    owner = op.args[0] if op.args else None
    return (
        short(op.name) in ("_step", "step")
        and op.failure is None
        and isinstance(owner, Other)
        and _NO_STEP.search(owner.type) is None
    )
