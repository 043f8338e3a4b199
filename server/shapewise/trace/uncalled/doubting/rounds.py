"""Other numbers of rounds: loops over a parameter go round more often, lists of which nobody knows the length are longer."""

from __future__ import annotations

from dataclasses import replace

from ..case import Case
from ..inputs.sizes import Free
from ..inputs.specs import Array, Row, Spec, arrays_in, with_rank
from ..reading.lists import is_told_from_its_end
from ..running import Recorded, attempted
from ..solve import Solved, in_all_runs, of_runs

_MORE = ((0, 1, 0), (1, 0, 1), (1, 0, 0), (1, 1, 0))
"""By run, how many rounds more loops go: no size of the others grows and falls so. Longer loops are cut off."""


def grown(case: Case, looped: list[Free]) -> Solved | None:
    """All runs where each parameter that loops follow has a number of its own in every run; None if they do not work."""
    if not 0 < len(looped) <= len(_MORE):
        return None
    for one, more in zip(looped, _MORE):
        one.more = more
    try:
        recorded = in_all_runs(case)
        return None if recorded is None else of_runs(case, recorded)
    finally:
        for one in looped:
            one.more = ()


def once_more(case: Case, found: Solved, looped: list[Free]) -> list[Solved]:
    """All runs where loops over a parameter go round once more; of those that cannot, no size is as large as they are often."""
    longer: list[Solved] = []
    first: list[Recorded] = []
    for more in (1, 2):  # what has to be even takes two
        for one in looped:
            one.rounds += more
        recorded = in_all_runs(case)
        if recorded is not None:
            longer.append(of_runs(case, recorded))
        else:
            first = first_run(case)
        found.otherwise += first
        for one in looped:
            one.rounds -= more
        if recorded is not None or first:
            return longer
    if found.grown is None:
        found.fixed |= {one.rounds for one in looped}
    return longer


def longer(case: Case) -> list[Recorded]:
    """Lists of which nobody has said how long they are have one more."""
    every = case.specs() if case.count.pinned else case.inputs.values()
    open_ones = [spec for spec in every if isinstance(spec, Row) and spec.count is not None]
    if not open_ones or not (case.count.pinned or any(arrays_in([spec]) for spec in open_ones)):
        return []
    default, pinned = case.count.default, case.count.pinned
    case.count.default, case.count.pinned = (default or 0) + 1, True
    try:
        longer = first_run(case)
    finally:
        case.count.default, case.count.pinned = default, pinned
    return longer + _longer_within(case)


def _longer_within(case: Case) -> list[Recorded]:
    """The same with one more that is not the last, in front or behind.

    What is told from the end of a list (`maps[-1]`) has no number from its beginning.
    """
    every = [
        spec for spec in case.specs() if isinstance(spec, Row) and spec.count is case.count and spec.items
    ]
    found: list[Recorded] = []
    if case.node is None or not any(is_told_from_its_end(case.node, name) for name in case.inputs):
        return found
    for behind in (False, True):
        for rows in (every, [row for row in every if arrays_in(row.items)]):
            before = [(row, row.items) for row in rows]
            for row, items in before:
                at = len(items) - 1 if behind else 0
                row.items = [*items[:at], _another(items[at]), *items[at:]]
            try:
                recorded = first_run(case)
            finally:
                for row, items in before:
                    row.items = items
            if recorded:
                found += recorded
                break
    return found


def _another(spec: Spec) -> Spec:
    """A tensor or a number like another, of sizes of its own."""
    if isinstance(spec, Free):
        return replace(spec, equals=None, multiples=list(spec.multiples), even=list(spec.even))
    if not isinstance(spec, Array):
        return spec
    made = replace(spec, ranks=list(spec.ranks))
    with_rank(made, len(spec.dims or ()))
    return made


def of_lists(case: Case) -> list[tuple[int, Recorded]]:
    """Lists of numbers that are given by default have one more: what has as many dims as one of them is no such number."""
    found = []
    for spec in case.constructor.values():
        if isinstance(spec, Row) and not spec.open and spec.kind is not dict and len(spec.items) > 1:
            usual, spec.items = spec.items, [*spec.items, spec.items[-1]]
            found += [(len(usual), one) for one in first_run(case)]
            spec.items = usual
    return found


def first_run(case: Case) -> list[Recorded]:
    """What the first run writes down, if it works."""
    recorded = attempted(case, 0, keep=True)[2]
    return [] if recorded is None else [recorded]
