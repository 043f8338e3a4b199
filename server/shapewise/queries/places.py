"""Which ops ran where: the runs of each place of one file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from ..vocabulary.events import Bound, Log, Op, Other, Tensor, Weights
from ..vocabulary.span import Span
from .hovers.run import Run
from .lineage import Lineage


class Places:
    """The ops and reads of a log, by where they stand."""

    def __init__(self, log: Log, own: int) -> None:
        """`own`: the number of frames of the file's own trace, to which the layers belong that are known."""
        self.log = log
        self._own = own
        self._ops: dict[Span, list[Op]] = defaultdict(list)
        self._bound: dict[Span, list[Bound]] = defaultdict(list)
        self._by_line: dict[int, list[Span]] = defaultdict(list)
        self._weights: dict[int, Weights] = {one.id: one for one in log.weights}
        self._lineage: Lineage | None = None
        for event in log.events:
            if isinstance(event, Op):
                if event.span not in self._ops:
                    for line in range(event.span.line, event.span.end_line + 1):
                        self._by_line[line].append(event.span)
                self._ops[event.span].append(event)
            else:
                self._bound[event.span].append(event)

    @property
    def lineage(self) -> Lineage:
        """Which op made what, in the file's own trace: each trace has numbers of its own."""
        if self._lineage is None:
            own = tuple(event for event in self.log.events if event.frame < self._own)
            self._lineage = Lineage(replace(self.log, events=own))
        return self._lineage

    def is_own(self, frame: int) -> bool:
        """Whether a frame is of the file's own trace."""
        return frame < self._own

    def innermost(self, line: int, column: int) -> Span | None:
        """The smallest op around a place."""
        around = [span for span in self._by_line.get(line, ()) if span.contains(line, column)]
        return min(around, key=_extent, default=None)

    def runs(self, span: Span, written: Sequence[str]) -> list[Run]:
        """What ran at a place: of several ops there (a call and what it gives away) the last one's runs.

        `written`: how the text names the arguments.
        """
        ops = self._ops[span]
        return [self._run(op, tuple(written)) for op in ops if op.name == ops[-1].name]

    def bound(self, span: Span) -> list[Bound]:
        """What a name was bound to, or was when it was read."""
        return self._bound.get(span, [])

    def made_up(self, frame: int) -> bool:
        """Whether a frame ran on inputs that were made up."""
        at: int | None = frame
        while at is not None:
            if self.log.frames[at].assumed:
                return True
            at = self.log.frames[at].parent
        return False

    def shares(self, tensor: Tensor, before: Bound) -> tuple[str, Span] | None:
        """The last name bound before, in the same run, to another tensor that looks at the same memory."""
        found = None
        for event in self.log.events:
            if event is before:
                break
            if (
                isinstance(event, Bound)
                and event.frame == before.frame
                and event.kind in ("binding", "parameter")
                and isinstance(event.value, Tensor)
                and event.value.storage == tensor.storage
                and event.value.id != tensor.id
                and event.name != before.name
            ):
                found = event.name, event.span
        return found

    def _run(self, op: Op, written: tuple[str, ...]) -> Run:
        named = written if len(written) == len(op.args) else ()
        if not self.is_own(op.frame):
            return Run(op, named, made_up=self.made_up(op.frame))
        called = op.args[0] if op.name.endswith("()") and op.args else None
        layer = called if isinstance(called, Other) else op.result
        made_up = self.made_up(op.frame)
        weights = None
        if isinstance(layer, Other) and layer.id is not None and not made_up:
            weights = self._weights.get(layer.id)
        return Run(op, named, self.lineage.builder(called), weights, made_up)


def _extent(span: Span) -> tuple[int, int, int]:
    # Of two that meet at the pointer, the one that begins there.
    return span.end_line - span.line, span.end_column - span.column, -span.column
