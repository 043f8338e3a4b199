"""The ops of a log that did not fail, by their names: what rules walk over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from ..vocabulary.events import Log, Op
from .lineage import short


class Ops:
    """The ops that did not fail, in the order of the log."""

    def __init__(self, log: Log) -> None:
        self.all = tuple(event for event in log.events if isinstance(event, Op) and event.failure is None)
        self._by_name: dict[str, list[int]] = {}
        for at, op in enumerate(self.all):
            self._by_name.setdefault(short(op.name), []).append(at)

    def named(self, names: Iterable[str]) -> list[Op]:
        """Those whose name ends in one of these."""
        places = (self._by_name.get(name, ()) for name in set(names))
        return [self.all[at] for at in sorted(chain.from_iterable(places))]


_latest: list[tuple[Log, Ops]] = []


def ops_of(log: Log, names: Iterable[str] | None = None) -> Sequence[Op]:
    """The ops of a log that did not fail; only those with one of these names, by the last part, if given.

    Of the latest log they are kept, because most rules ask for them.
    """
    kept = next((ops for one, ops in _latest if one is log), None)
    if kept is None:
        kept = Ops(log)
        _latest[:] = [(log, kept)]
    return kept.all if names is None else kept.named(names)
