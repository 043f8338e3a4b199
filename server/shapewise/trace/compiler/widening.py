"""What a round of a loop has changed it will change again: from there on it is not known."""

from __future__ import annotations

from collections import deque
from typing import Any

import torch

from ..log.facts import same
from ..run import Run
from ..state import CONTENTS, NUMBERS, Entry, Segment, Slot, read, write
from ..unknowns import doubts
from ..unknowns.alike import more_alike
from ..unknowns.grown import DICTS, grown, mark_of
from ..unknowns.joining import JOINS, join
from ..unknowns.lengths import follows
from ..unknowns.unknown import MISSING, Unknown
from ..worlds import worlds
from .growth import Growth, looks

_CHANGES, _GROWS = "changes from round to round", "grows from round to round"


def widen(run: Run, growth: Growth, segment: Segment, watched: bool = False, rest: int | None = None) -> bool:
    """What the last round changed will change again: from now on it is not known.

    `watched`: the round was really run, and `rest` are to come. Returns whether anything is known less than before.
    """
    doubts.choose(doubts.ROUNDS)
    moved = False
    for slot, entry in list(segment.entries.items()):
        kind, target, key, old = entry
        if kind == CONTENTS and run.journal.is_born_in(segment, target):
            continue  # it is another in each round
        if kind == CONTENTS:
            if len(old) != len(target) and id(target) not in growth.lists:
                moved = moved or mark_of(target) is None
                if watched and isinstance(target, list):
                    growth.list(target)
                elif mark_of(target) is None and type(target) in DICTS:
                    more_alike(target, _GROWS, same)
                elif mark_of(target) is None or follows(target):
                    grown(target, _GROWS, alike=isinstance(target, (deque, set)))
            elif watched and isinstance(target, (list, dict)):
                _longer(run, growth, slot, entry, target.copy(), rest)
            continue
        if kind == NUMBERS:
            write(kind, target, key, old)
            continue
        now = read(kind, target, key)
        if old is now or old is MISSING or now is MISSING:
            continue
        if watched:
            growth.number(slot, entry, now, rest)
        if type(now) is Unknown:
            continue
        joined = join(old, now, same)
        if watched and _longer(run, growth, slot, entry, now, rest):
            moved = True
        elif joined is old and type(joined) in JOINS:
            run.journal.note(kind, target, key)
            write(kind, target, key, old)
        elif type(joined) is Unknown or type(joined) in JOINS:
            moved = True
            if type(joined) is Unknown:
                joined = _changing(old, now)
            run.journal.note(kind, target, key)
            write(kind, target, key, joined)
        elif not same(old, now):
            moved = moved or looks(run, old) != looks(run, now)
    doubts.choose(None)
    return moved


def _longer(run: Run, growth: Growth, slot: Slot, entry: Entry, now: Any, rest: int | None) -> bool:
    """Whether what the last round changed became longer, and is watched."""
    if isinstance(now, (int, float)) or looks(run, entry[3]) == looks(run, now):
        return False
    return growth.shape(slot, entry, now, rest)


def forget(run: Run, growth: Growth, segment: Segment) -> None:
    """The rounds do not come to rest: nothing they write is known."""
    growth.give_up()
    for kind, target, key, _ in list(segment.entries.values()):
        if kind == CONTENTS and run.journal.is_born_in(segment, target):
            continue
        run.journal.note(kind, target, key)
        if kind == CONTENTS:
            grown(target, _GROWS, alike=isinstance(target, (deque, set)))
        elif read(kind, target, key) is not MISSING:
            write(kind, target, key, Unknown(_CHANGES))


def _changing(old: Any, now: Any) -> Unknown:
    """What was one thing and then another: any number, if both are floats."""
    before = old.sample if type(old) is Unknown else old
    if type(before) is type(now) is float:
        return worlds.real(_CHANGES)
    return Unknown(_CHANGES, isinstance(now, torch.Tensor))
