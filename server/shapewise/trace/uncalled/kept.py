"""An object that a constructor made: the next run has it as well, if it is made of the same."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...vocabulary.events import Event, Frame
from .inputs.sizes import RUNS

KEPT = 3 * RUNS
"""So many objects of one case."""


class Kept(NamedTuple):
    """An object that a constructor made, what was found out on the way, and what was written down."""

    value: Any
    state: dict[str, Any]
    frames: list[Frame]
    quiet: list[bool]
    events: list[Event]
    decisions: dict[Any, list[Any]]
