"""Numbers that select among a few things: what is looked up by one tells which others there are.

`(nn.Conv1d, nn.Conv2d, nn.Conv3d)[dims - 1]`, `getattr(nn, f"Conv{dims}d")`, `ARCHITECTURES[depth]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from ...wall import namespaces
from ..attempt import Attempt
from .trouble import Trouble

_NUMBERED = re.compile(r"has no attribute '(\D+)(\d+)(\D*)'")
_DIGITS = range(1, 10)
_MOST = 6
"""Things to select among: of more than that not all are tried."""


def selects(trouble: Trouble, attempt: Attempt) -> bool:
    """Whether nothing was found under a number that was made up, and there is something under others: it is one of these."""
    number, others = _sought(trouble.error, trouble.given, attempt)
    free = attempt.sizes.owner(number, attempt.run)
    name, operands = attempt.made.get(number, ("", ()))
    if free is None and name == "-" and type(operands[1]) is int:
        free = attempt.sizes.owner(operands[0], attempt.run)
        others = [one + operands[1] for one in others]
    if free is None or free.label is None or free.choices or not 1 < len(others) <= _MOST:
        return False
    free.choices = free.among = _from_the_middle(others, attempt.sizes.order_of(free))
    return True


def _from_the_middle(numbers: list[int], place: int) -> tuple[int, ...]:
    """The numbers in the order in which the first run has the middle one: of convolutions that for pictures."""
    first = len(numbers) // 2 - place
    return tuple(numbers[(first + at) % len(numbers)] for at in range(len(numbers)))


def _sought(error: Exception, given: tuple[Any, ...], attempt: Attempt) -> tuple[int, list[int]]:
    """A number that nothing was found under, and those that there is something under; 0 if it was none."""
    if isinstance(error, (KeyError, IndexError)) and len(given) == 2 and type(given[1]) is int:
        place, number = given
        if isinstance(place, dict):
            return number, sorted(key for key in place if type(key) is int)
        if isinstance(place, (list, tuple)) and number >= 0 and not _is_made_up(place, attempt):
            return number, [*range(len(place))]
    if isinstance(error, AttributeError) and (found := _NUMBERED.search(str(error))):
        path = namespaces.path_of(given[0]) if given and isinstance(given[0], ModuleType) else None
        module = None if path is None else namespaces.behind(path)
        if module is not None:
            return int(found[2]), [one for one in _DIGITS if hasattr(module, f"{found[1]}{one}{found[3]}")]
    return 0, []


def _is_made_up(place: Sequence[Any], attempt: Attempt) -> bool:
    """Whether a list is a parameter that was made up (`widths[0]`, `widths[1]`): it is as long as it happens to be."""
    owners = [attempt.sizes.owner(one, attempt.run) for one in place if type(one) is int]
    return any(one is not None and (one.label or "").endswith("]") for one in owners)
