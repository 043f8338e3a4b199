"""Conditions that worlds decide differently: what one trace of a file found out, the next one takes for granted.

Finding them out costs a trace in each world; with them, all are traced once more. Most edits leave them as
they are, so the next trace begins with them, and is believed if each of them still comes out differently
and no other does that did not before. A condition is known again by its own text and the function that it
stands in: an edit elsewhere makes new nodes of it.
"""

from __future__ import annotations

import ast
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...vocabulary.events import Event, Frame
from ..control import STOP

if TYPE_CHECKING:
    from ..run import Run

_FILES = 64


class Condition(NamedTuple):
    """A condition or a loop, as it is known again in the next text of the file. `asked`: what it asks."""

    scope: str
    asked: str


Decision = tuple[ast.AST, int]
"""A condition or a loop, and the chain of calls that led there."""


class Undecided(set[ast.AST]):
    """Conditions that worlds decide differently. `told_apart`: of which this shows in those that are compared; `alike`: where it does not."""

    def __init__(self) -> None:
        super().__init__()
        self.told_apart: set[ast.AST] = set()
        self.alike: set[Decision] = set()


class Known(NamedTuple):
    """What a trace from the beginning found out of the conditions of a file.

    `differing`: those that worlds decide differently, and that are taken both ways for it. `silent`: those of
    them that come out alike once they are: a loop that ends early in one world, and is now left after any
    round. `left`: those that only then come out differently, or where no two sizes are equal. `told_apart`: those of
    `differing` that are decided differently in worlds that are compared.
    """

    differing: frozenset[Condition] = frozenset()
    silent: frozenset[Condition] = frozenset()
    left: frozenset[Condition] = frozenset()
    told_apart: frozenset[Condition] = frozenset()

    def expects(self, found: Iterable[ast.AST]) -> bool:
        """Whether conditions that came out differently are those that were left so the last time."""
        return self.left.issuperset(map(known_as, found))

    def tells_apart(self, untold: Iterable[ast.AST]) -> bool:
        """Whether no world leaves it open what one of these comes to that was decided differently, or by all."""
        found = set(map(known_as, untold))
        return found <= self.differing - self.told_apart

    def still_holds(
        self, run: Run, compared: Sequence[Run], apart: Sequence[Run], events: Sequence[Event]
    ) -> bool:
        """Whether every expected condition that was met would have come out otherwise in another world.

        Of a silent one: whether data still decides something in its function. `events`: those of all worlds.
        """
        others = [*compared, *apart]
        for at in run.conditions.open_outcomes:
            asked = known_as(at)
            if asked in self.told_apart - self.silent and not _differs(at, run, compared):
                return False
        alike = {known_as(at) for at in run.conditions.open_outcomes if not _differs(at, run, others)}
        if not alike:
            return True
        return alike <= self.silent and {one.scope for one in alike} <= _open(run, events)


NOTHING = Known()
_KNOWN: OrderedDict[str, Known] = OrderedDict()


def of_file(file: str) -> Known:
    """What the last trace of a file found out."""
    return _KNOWN.get(file, NOTHING)


def remember(
    file: str,
    run: Run,
    others: Sequence[Run] = (),
    differing: Iterable[ast.AST] = (),
    left: Iterable[ast.AST] = (),
    told_apart: Iterable[ast.AST] = (),
) -> None:
    """What a trace from the beginning has found out; of one that was stopped, nothing is.

    `run` and `others`: its last runs, in which `differing` was taken both ways, and `left` came out differently.
    """
    if STOP.is_set():
        return
    silent = [at for at in differing if not _differs(at, run, others)]
    _KNOWN.pop(file, None)
    _KNOWN[file] = Known(
        *(frozenset(map(known_as, found)) for found in (differing, silent, left, told_apart))
    )
    while len(_KNOWN) > _FILES:
        _KNOWN.popitem(last=False)


def condition(at: ast.AST, frame: Frame) -> Condition:
    """What a node is known by, whatever it leads to. Kept on the node."""
    known: Condition | None = getattr(at, "_known_as", None)
    if known is None:
        asked = getattr(at, "test", None) or getattr(at, "iter", None) or at
        known = Condition(frame.scope, f"{type(at).__name__} {ast.unparse(asked)}")
        at._known_as = known  # type: ignore[attr-defined]
    return known


def known_as(at: ast.AST) -> Condition:
    """The same of a node that a trace has decided."""
    known: Condition = at._known_as  # type: ignore[attr-defined]
    return known


def differing(run: Run, others: Sequence[Run]) -> set[Decision]:
    """The conditions and loops that came out otherwise in another world."""
    return {
        key
        for other in others
        for key, mine in run.conditions.outcomes.items()
        if any(one != another for one, another in zip(mine, other.conditions.outcomes.get(key, ())))
    }


def untold(run: Run, others: Sequence[Run]) -> set[ast.AST]:
    """The conditions and loops that the world of no rows came by and could not decide: something before them failed in it only.

    It says nothing, then, of what they come to with few rows, nor of what its own way would leave.
    """
    found = set()
    for other in others:
        mine, theirs = run.conditions, other.conditions
        for here in theirs.lost:
            at = here[0]
            is_decided = here in mine.outcomes and here not in theirs.outcomes
            if is_decided or (at in mine.open_outcomes and at not in theirs.open_outcomes):
                found.add(at)
    return found


def _differs(at: ast.AST, run: Run, others: Sequence[Run]) -> bool:
    """Whether a condition that is taken both ways would have come out otherwise in another world."""
    outcomes = run.conditions.open_outcomes.get(at)
    return any(other.conditions.open_outcomes.get(at, outcomes) != outcomes for other in others)


def _open(run: Run, events: Sequence[Event]) -> set[str]:
    """The scopes of the functions in which something depends on the world."""
    found = {mine.frame for mine, one in zip(run.recorder.events, events) if mine != one}
    return {run.recorder.frames[number].scope for number in found}
