"""The lines on which the tracer sees the statements of a text: they stay where they are while lines come and go above.

The tracer remembers statements, calls and what was tried by where they stand, and a line that is added moves all
that stands below. So it gets a text in which each statement at the top begins where it began the last time, with empty
rows in between; what it answers is moved back to the lines of the user.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import cached_property
from typing import NamedTuple, TypeVar

from ..repair import Repaired
from ..vocabulary.blocks import UNREADABLE, blocks_of, is_plain, stretch
from ..vocabulary.events import Bound, Event, Frame, Log, Op
from ..vocabulary.layers import LayerCall, Measured, Step
from ..vocabulary.moved import Moved
from ..vocabulary.span import Span

_ROOM = 40
"""Rows that are left below a statement of several, once there is need of any."""
_ROOM_OF_ONE = 6
_TEXTS = 50
_COMPARED = 250_000
"""Pairs of statements, between the first and the last that an edit has touched, of which the like are looked for."""
_LINE = re.compile(r"(?<=\bline )\d+")

_Placed = TypeVar("_Placed", LayerCall, Step)


class _Block(NamedTuple):
    """A statement at the top, or those that share a line, with what stands right above."""

    text: str
    first: int
    rows: int
    above: int
    """How many rows above it belong to it: from a comment, or a statement that was blanked, on."""
    home: int
    """The line on which it begins for the tracer."""

    @property
    def end(self) -> int:
        """The last of its lines for the tracer."""
        return self.home + self.rows - 1


class _Moves:
    """What was moved last of one file: by the id of an event, it, by how many lines, and what that gave."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[Event, int, Event]] = {}


class StableLines:
    """A text for the tracer. `text` holds every statement of the user's text, in the same order."""

    def __init__(self, repaired: Repaired, before: StableLines | None = None, has_room: bool = False) -> None:
        """`before`: the last one of the same file, whose lines are kept as far as they can be. `has_room`: if there is none, room is left at once."""
        text = self._source = repaired.text
        self._broken = {one.span.line for one in repaired.broken}
        if before is not None:
            self._blocks = self._after(before)
        elif has_room:
            self._blocks = _with_room(_blocks(text, self._broken), moves=True)
        else:
            self._blocks = _blocks(text, self._broken)
        self.is_moved = any(block.home != block.first for block in self._blocks)
        """Whether any line is another than the user's."""
        self.text = self._laid_out(text) if self.is_moved else text
        self._moves: _Moves = before._moves if before is not None else _Moves()

    def _after(self, before: StableLines) -> list[_Block]:
        """The blocks, where they stood before as far as they can be."""
        if not self._broken and not before._broken:
            in_place = _in_place(self._source, before._source, before._blocks)
            if in_place is not None:
                return in_place
        blocks = _blocks(self._source, self._broken)
        return _with_room(_at_home(blocks, before._blocks)) if blocks and before._blocks else blocks

    @cached_property
    def _homes(self) -> list[int]:
        return [block.home - block.above for block in self._blocks]

    @cached_property
    def _firsts(self) -> list[int]:
        return [block.first - block.above for block in self._blocks]

    @cached_property
    def _ups(self) -> list[int]:
        return [block.first - block.home for block in self._blocks]

    def _laid_out(self, text: str) -> str:
        rows = text.split("\n")
        made = [""] * self._blocks[-1].end
        for block in self._blocks:
            old, new = block.first - 1 - block.above, block.home - 1 - block.above
            count = block.above + block.rows
            made[new : new + count] = rows[old : old + count]
        return "\n".join(made)

    def there(self, line: int) -> int:
        """The tracer's line of one of the user's."""
        at = bisect_right(self._firsts, line) - 1
        return line if at < 0 else line - self._ups[at]

    def _up(self, line: int) -> int:
        """How many lines further down a line of the tracer's stands for the user."""
        at = bisect_right(self._homes, line) - 1
        return 0 if at < 0 else self._ups[at]

    def _back(self, span: Span) -> Span:
        up = self._up(span.line)
        return span.down(up) if up else span

    def sentence(self, said: str) -> str:
        """A sentence of the tracer's about the text, with the lines of the user."""
        return _LINE.sub(lambda found: str(int(found[0]) + self._up(int(found[0]))), said)

    def log(self, log: Log) -> Log:
        """A log of the tracer's with the lines of the user: its events once somebody asks for them."""
        if not self.is_moved:
            return log
        own = [frame.file == log.file for frame in log.frames]
        traced = log = replace(log, cut=log.cut and self.sentence(log.cut))
        return replace(
            log,
            frames=tuple(self._frame(frame, own) for frame in log.frames),
            events=Moved(traced, self),
            notes=tuple(self.sentence(note) if note.startswith("line ") else note for note in log.notes),
            measured=log.measured and self._measured(log.measured, own),
        )

    def _frame(self, frame: Frame, own: Sequence[bool]) -> Frame:
        if frame.site is None or frame.parent is None or not own[frame.parent]:
            return frame
        site = self._back(frame.site)
        return frame if site is frame.site else replace(frame, site=site)

    def events(self, log: Log) -> tuple[Event, ...]:
        """What was moved as far before is the same object again: whoever compares two logs is glad of it."""
        own = [frame.file == log.file for frame in log.frames]
        known, now = self._moves.known, dict[int, tuple[Event, int, Event]]()
        moved: list[Event] = []
        for event in log.events:
            up = self._up(event.span.line) if own[event.frame] else 0
            if not up:
                moved.append(event)
                continue
            was = known.get(id(event))
            if was is None or was[0] is not event or was[1] != up:
                was = event, up, self._event(event)
            now[id(event)] = was
            moved.append(was[2])
        self._moves.known = now
        return tuple(moved)

    def downs(self, lines: Sequence[int]) -> Sequence[int]:
        """How many lines further down those of the tracer, which are in order, stand for the user."""
        found: list[int] = []
        for at, home in enumerate(self._homes):
            found += [self._ups[at - 1] if at else 0] * (bisect_left(lines, home) - len(found))
        return found + self._ups[-1:] * (len(lines) - len(found))

    def _event(self, event: Event) -> Event:
        span = self._back(event.span)
        if type(event) is Bound:
            return Bound(event.frame, span, event.kind, event.name, event.value, event.modes, event.others)
        assert type(event) is Op
        return Op(
            event.frame, span, event.name, event.args, event.kwargs, event.result, event.failure, event.modes
        )

    def _measured(self, measured: Measured, own: Sequence[bool]) -> Measured:
        def back(one: _Placed) -> _Placed:
            if one.span is None or not own[one.frame]:
                return one
            return replace(one, span=self._back(one.span))

        return replace(
            measured, calls=tuple(map(back, measured.calls)), steps=tuple(map(back, measured.steps))
        )


class AllLines:
    """Those of the files that were traced last."""

    def __init__(self, has_room: bool = False) -> None:
        """`has_room`: lines are left free when a file is seen first, for those who will edit it."""
        self._has_room = has_room
        self._of: OrderedDict[str, StableLines] = OrderedDict()

    def of(self, path: str, repaired: Repaired) -> StableLines:
        """Those of a file whose text is this now."""
        made = self._of[path] = StableLines(repaired, self._of.pop(path, None), self._has_room)
        if len(self._of) > _TEXTS:
            self._of.popitem(last=False)
        return made


def _blocks(text: str, broken: set[int]) -> list[_Block]:
    """Each where it stands. None of what has no lines that can be counted, or cannot be read."""
    if not is_plain(text):
        return []
    try:
        lines = blocks_of(text).lines
    except UNREADABLE:
        return []
    rows, blocks, last = text.split("\n"), [], 0
    for first, end in [*lines, (len(rows) + 1, len(rows))]:  # the last one is what stands below all
        blocks.append(_block(rows, broken, last, first, end))
        last = end
    return blocks


def _block(rows: list[str], broken: set[int], last: int, first: int, end: int) -> _Block:
    """`last`: the line on which the one above ends."""
    above = range(last + 1, first)
    begins = next((row for row in above if row in broken or rows[row - 1].strip()), first)
    return _Block("\n".join(rows[first - 1 : end]), first, end - first + 1, first - begins, first)


def _in_place(text: str, old: str, before: list[_Block]) -> list[_Block] | None:
    """The blocks of a text whose statements stand on the lines on which they stood in the old one; None if they do not."""
    between = stretch(old, text)
    if not before or between is None or between.down:
        return None
    at = bisect_right(before, between.above, key=_last)
    until = bisect_left(before, between.below, key=_first)
    try:
        lines = blocks_of(text).lines
    except UNREADABLE:
        return None
    edited = lines[at : len(lines) - (len(before) - 1 - until)]
    rows, last = text.split("\n"), _last(before[at - 1]) if at else 0
    if len(edited) != until - at or len(rows) != _last(before[-1]):
        return None
    made: list[_Block] = []
    for was, (first, end) in zip(
        before[at : until + 1], (*edited, (before[until].first, _last(before[until])))
    ):
        block = _block(rows, set(), last, first, end)._replace(home=was.home)
        if block[1:] != was[1:]:
            return None
        made.append(block)
        last = end
    return [*before[:at], *made, *before[until + 1 :]]


def _first(block: _Block) -> int:
    return block.first


def _last(block: _Block) -> int:
    return block.first + block.rows - 1


def _at_home(blocks: list[_Block], before: list[_Block]) -> list[_Block]:
    """The blocks where their likes were before; those that are new between them."""
    old, new = [one.text for one in before[:-1]], [one.text for one in blocks[:-1]]
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    tail = next((at for at in range(most - head) if old[-1 - at] != new[-1 - at]), most - head)
    gone, come = old[head : len(old) - tail], new[head : len(new) - tail]
    between: Sequence[tuple[str, int, int, int, int]] = [("replace", 0, len(gone), 0, len(come))]
    if len(gone) * len(come) < _COMPARED:
        between = SequenceMatcher(None, gone, come, autojunk=False).get_opcodes()
    homes: dict[int, int] = {at: before[at].home for at in range(head)}
    homes.update((len(new) - 1 - at, before[len(old) - 1 - at].home) for at in range(tail))
    for _, first, end, other, other_end in between:
        if end - first == other_end - other:  # the same, or as many others
            homes.update((head + other + at, before[head + first + at].home) for at in range(end - first))
    placed: list[_Block] = []
    for at, block in enumerate(blocks):
        up = placed[-1].first - placed[-1].home if placed else 0
        home = homes.get(at, block.first - up)
        placed.append(block if home == block.home else block._replace(home=home))
    return placed


def _with_room(blocks: list[_Block], moves: bool = False) -> list[_Block]:
    """The same, with those moved down that stand in others: then all below them are, and have room above them. Or all, if it `moves` from the first on."""
    placed: list[_Block] = []
    end, room = 0, _ROOM_OF_ONE if moves else 0
    for block in blocks:
        moves = moves or block.home - block.above <= end
        if moves:
            block = block._replace(home=end + room + block.above + 1)
        placed.append(block)
        end, room = block.end, _ROOM if block.rows > 1 else _ROOM_OF_ONE
    return placed
