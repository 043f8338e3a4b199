"""Places that a run would have come by, had it not been abandoned: what other runs show there is not all."""

from __future__ import annotations

from collections import defaultdict

from ..vocabulary.events import Frame, Log
from ..vocabulary.span import Span

_Scope = tuple[str, str]


class Lacking:
    """Of a log, the places of which a run is lacking.

    An abandoned run of a function would have gone on as the others went: through the rest of the
    function, and into the functions that the others called and it did not.
    """

    def __init__(self, log: Log) -> None:
        self._scopes: set[_Scope] = set()
        self._reached: dict[_Scope, int] = {}
        """By function, the last line that an abandoned run reached."""
        abandoned = [frame for frame in log.frames if frame.abandoned]
        if not abandoned:
            return
        below = _below(log)
        alike: dict[_Scope, set[_Scope]] = defaultdict(set)
        for frame in log.frames:
            if not frame.abandoned:
                alike[frame.file, frame.scope] |= below[frame.id]
        last: dict[int, int] = {}
        for event in log.events:
            last[event.frame] = max(last.get(event.frame, 0), event.span.line)
        for frame in abandoned:
            scope = (frame.file, frame.scope)
            self._scopes |= alike[scope] - below[frame.id] - {scope}
            self._reached[scope] = min(self._reached.get(scope, 1 << 30), last.get(frame.id, 0))

    def lacks(self, frame: Frame, span: Span) -> bool:
        """Whether a run of this place is lacking."""
        scope = (frame.file, frame.scope)
        return scope in self._scopes or span.line > self._reached.get(scope, 1 << 30)


def _below(log: Log) -> list[set[_Scope]]:
    """By frame, the functions that ran in it and in what it called."""
    below: list[set[_Scope]] = [set() for _ in log.frames]
    for frame in reversed(log.frames):
        if frame.parent is not None:
            below[frame.parent] |= below[frame.id] | {(frame.file, frame.scope)}
    return below
