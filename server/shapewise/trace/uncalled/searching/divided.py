"""Sizes that are divided by others come out as some, in every run: a power or a product of nothing, or of one, tells nothing."""

from __future__ import annotations

from ..case import Case
from ..inputs.sizes import RUNS, Free, frees_in
from ..running import attempted
from .search import OTHER_TRIES, State, climb

_TIMES = 4
"""So many times what divides it a size is then, at least."""


def several_times(case: Case) -> None:
    """A parameter is larger than another that divides it: `(img_size // patch_size) ** 2`."""
    least: dict[Free, int] = {}
    for run in range(RUNS):
        attempt = attempted(case, run, keep=run > 0 and case.ending is None, looks=True)[0]
        for above, below in attempt.remainders:
            free, share = (case.sizes.owner(one, run) if type(one) is int else None for one in (above, below))
            if free is None or share is None or above >= 2 * below or free in frees_in(share):
                continue
            if free.label is not None and share.label is not None:
                least[free] = max(least.get(free, 0), _TIMES * below)
    if not least:
        return
    state = State(case)
    for free, size in least.items():
        free.least = max(free.least, size)
    if climb(case, [OTHER_TRIES]) is not None:
        state.restore()
