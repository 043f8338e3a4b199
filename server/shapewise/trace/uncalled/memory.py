"""What was found out of a definition, for the next time that the file is traced: a keystroke changes few of them.

It holds as long as the text of the definition, of all that it uses, and of the statements between the
definitions that may have to do with it is the same; where lines above have come or gone, the places move along.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import is_
from typing import TYPE_CHECKING, Any, NamedTuple

from ...vocabulary.events import Event, Frame
from ...vocabulary.span import Span
from ..log.numbering import Count, Numbering
from .definitions import Definitions, Extent

if TYPE_CHECKING:
    from ..log.recorder import Recorder
    from .at_once import Inputs
    from .case import Way
    from .inputs.specs import Ranks

_FILES = 20
_KEPT: OrderedDict[str, dict[str, Entry]] = OrderedDict()


class Worked(NamedTuple):
    """A method that could be run, and the inputs whose rank is settled; `method` is None for a function.

    `filled`: the parameters of the constructor that it makes a number where they are not given. `inputs`: those that
    were found, where they may be used again. `ways`: what parameters may be as well that select among a few things.
    """

    method: str | None
    settled: Ranks
    filled: frozenset[str] = frozenset()
    inputs: Inputs | None = None
    ways: tuple[Way, ...] = ()


@dataclass(frozen=True)
class Entry:
    """What a target wrote down. `before`: how much there was then, and `after`; `extents`: of the definitions then."""

    key: Any
    before: Count
    after: Count
    extents: dict[str, Extent]
    frames: tuple[Frame, ...]
    events: tuple[Event, ...]
    methods: tuple[Worked, ...] | None
    gave_up_after: float = 0.0
    """Seconds of the thread's time after which it was cut off, if it was."""


class Found(NamedTuple):
    """What a target wrote down, where it stands now; `methods`: those that could be run, None if it was cut off."""

    frames: list[Frame]
    events: list[Event]
    methods: tuple[Worked, ...] | None


def put(file: str, name: str, entry: Entry) -> None:
    """Keep what a target wrote down."""
    kept = _KEPT.pop(file, {})
    kept[name] = entry
    _KEPT[file] = kept
    while len(_KEPT) > _FILES:
        _KEPT.popitem(last=False)


_WHOLE: OrderedDict[str, dict[str, tuple[Entry, ...]]] = OrderedDict()
"""What was last told of a definition as it is and with all that may be given, before it was edited."""


def set_aside(file: str, name: str, *steps: str) -> None:
    """Keep what all steps together told of a definition, as it is about to be made anew."""
    entries = [_KEPT.get(file, {}).get(name + step) for step in steps]
    first, last = entries[0], entries[-1]
    if first is None or last is None or first.key != last.key or None in (first.methods, last.methods):
        return
    kept = _WHOLE.setdefault(file, {})
    kept[name] = first, last
    while len(_WHOLE) > _FILES:
        _WHOLE.popitem(last=False)


def whole(file: str, name: str) -> tuple[Entry, ...]:
    """What was kept so; nothing, if nothing was."""
    return _WHOLE.get(file, {}).get(name, ())


_Keys = dict[str, Any]


class Edits(NamedTuple):
    """Of a file: how many `traces` there were before, its definitions, and in which trace each was last new.

    `is_new`: whether the text is another than that of the trace before. `direct`: the definitions that were edited
    since then, else all that hang on what was.
    """

    traces: int
    text: str
    keys: _Keys
    texts: dict[str, str]
    when: dict[str, int]
    is_new: bool = False
    direct: frozenset[str] = frozenset()


_SEEN: OrderedDict[str, Edits] = OrderedDict()


def edited(file: str, text: str, keys: _Keys, texts: dict[str, str]) -> Edits:
    """What was edited when, up to this trace. `keys`: of each definition all that decides about it, `texts`: what it says itself."""
    before = _SEEN.pop(file, None)
    if before is None:
        now = Edits(0, text, keys, texts, dict.fromkeys(keys, 0))
    else:
        count = before.traces + 1
        changed = frozenset(name for name, key in keys.items() if before.keys.get(name) != key)
        direct = frozenset(name for name in changed if before.texts.get(name) != texts.get(name))
        when = {name: count if name in changed else before.when.get(name, 0) for name in keys}
        now = Edits(count, text, keys, texts, when, text != before.text, direct or changed)
    _SEEN[file] = now
    while len(_SEEN) > _FILES:
        _SEEN.popitem(last=False)
    return now


_OPENED: OrderedDict[str, dict[str, tuple[Any, list[Event], list[Event]]]] = OrderedDict()
"""By file and definition: what decides, what was known of it, and what of that holds as long as not all is tried."""


def opened(
    file: str, name: str, key: Any, events: list[Event], make: Callable[[], list[Event]]
) -> list[Event]:
    """What `make` gives, or gave when the very same was known: it is asked at every keystroke."""
    kept = _OPENED.setdefault(file, {})
    was = kept.get(name)
    if was is None or was[0] != key or len(was[1]) != len(events) or not all(map(is_, was[1], events)):
        was = kept[name] = key, events, make()
    while len(_OPENED) > _FILES:
        _OPENED.popitem(last=False)
    return was[2]


_WORTH_IT = 1.5
"""How much more time there must be for what was cut off than it had."""


def get(
    file: str, name: str, key: Any, text: Definitions, recorder: Recorder, seconds: float
) -> Found | None:
    """What a target wrote down when all that it depends on was the same, where it stands now.

    None if it never did, or was cut off after much less than the `seconds` that there are now.
    """
    entry = _KEPT.get(file, {}).get(name)
    if entry is None or entry.key != key:
        return None
    if entry.methods is None and seconds > _WORTH_IT * entry.gave_up_after:
        return None
    then, now = entry.before, Count.of(recorder)
    shift = now.frames - then.frames
    numbering = Numbering(
        lambda number: number + (now.numbers - then.numbers if number >= then.numbers else 0),
        lambda memory: memory + (now.memories - then.memories if memory >= then.memories else 0),
    )
    recorder.skip(entry.after.numbers - then.numbers, entry.after.memories - then.memories)
    moved = text.moved_from(entry.extents)
    if moved is None and now == then:
        return Found([*entry.frames], [*entry.events], entry.methods)

    def place(span: Span) -> Span:
        return span if moved is None else moved(span)

    frames = [
        replace(
            frame,
            id=frame.id + shift,
            parent=frame.parent + shift
            if frame.parent is not None and frame.parent >= then.frames
            else frame.parent,
            site=None if frame.site is None else place(frame.site),
        )
        for frame in entry.frames
    ]
    own = {frame.id for frame in entry.frames if frame.file == file}
    events = [
        replace(
            numbering.event(event, event.frame + shift, event.modes),
            span=place(event.span) if event.frame in own else event.span,
        )
        for event in entry.events
    ]
    after = Count(*(count + here - there for count, here, there in zip(entry.after, now, then)))
    stands = replace(
        entry, before=now, after=after, extents=text.extents, frames=tuple(frames), events=tuple(events)
    )
    put(file, name, stands)  # mostly it stands there the next time
    return Found(frames, events, entry.methods)
