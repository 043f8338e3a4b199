"""Facts of places: the join over every run."""

from __future__ import annotations

from ..vocabulary.events import Log
from ..vocabulary.facts import Fact


def facts_of(log: Log) -> tuple[Fact, ...]:
    """Every place that holds a tensor, in the order of the file."""
    return ()
