"""A failure that several worlds have: whether it is the same, however large what data decides.

A call on something whose length nobody knows fails in each world with other numbers in the message. It fails for
sure where the numbers that clash are equal in all of them: a matrix of ? rows and 10 columns is never multiplied
with one of 30 rows. The messages are torch's own; which of their numbers clash stands here, and of others nothing
is claimed.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..vocabulary.events import Failure

_SIZES = r"\[([^\]]*)\]"
_CLASHES = tuple(
    re.compile(pattern)
    for pattern in (
        r"mat1 and mat2 shapes cannot be multiplied \([\d?]+x(\d+) and (\d+)x[\d?]+\)",
        r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)",
        r"The expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\) at non-singleton dimension (\d+)",
        r"Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got (-?\d+)\)",
        r"Sizes of tensors must match except in dimension (\d+)\. Expected size (\d+) but got size (\d+)",
        r"Given groups=(\d+), weight of size "
        + _SIZES
        + r", expected input.* to have (\d+) channels, but got (\d+)",
        r"Given normalized_shape=\[(\d+)\], expected input with shape .*, but got input of size\s*\[(?:[\d?]+, )*(\d+)\]",
        r"input\.size\(-1\) must be equal to input_size\. Expected (\d+), got (\d+)",
        r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)",
        r"too many indices for tensor of dimension (\d+)",
        r"(.*\b(?:dtype|scalar type)\b.*)",
        r"(.*\b(?:\dD|\d-D|matrix|matrices|number of dimensions)\b.*)",
        r"result type \w+ can't be cast to the desired output type \w+",
        r"tensors used as indices must be long, int, byte or bool tensors",
        r"Expected tensor for argument #\d 'indices' to have one of the following scalar types: .*",
    )
)
_NUMBER = re.compile(r"\d+|\?")


def agreed(mine: Failure, other: Failure) -> Failure | None:
    """The failure that both are, with a question mark for each number that differs; None if they may be two."""
    if (mine.type, mine.caught) != (other.type, other.caught):
        return None
    for pattern in _CLASHES:
        one, another = pattern.match(mine.message), pattern.match(other.message)
        if one is not None and another is not None:
            if one.groups() != another.groups() or (not one.groups() and mine.message != other.message):
                return None
            return replace(mine, message=_open(mine.message, other.message))
    return _of_ranks(mine, other)


_TARGET = re.compile(
    r"(?:Target size|Using a target size) \(torch\.Size\("
    + _SIZES
    + r"\)\) (?:must be the same as|that is different to the) input size \(torch\.Size\("
    + _SIZES
)


def _of_ranks(mine: Failure, other: Failure) -> Failure | None:
    """Two shapes that must be the same, and have not even as many dims."""
    one, another = _TARGET.match(mine.message), _TARGET.match(other.message)
    if one is None or another is None:
        return None
    ranks = [[len(group.split(",")) for group in match.groups()] for match in (one, another)]
    if ranks[0] != ranks[1] or ranks[0][0] == ranks[0][1]:
        return None
    return replace(mine, message=_open(mine.message, other.message))


def _open(one: str, other: str) -> str:
    """The first text with a question mark for each number that is another in the second."""
    numbers, others = _NUMBER.findall(one), _NUMBER.findall(other)
    if len(numbers) != len(others):
        return one
    given = iter(zip(numbers, others))

    def shown(match: re.Match[str]) -> str:
        number, another = next(given)
        return number if number == another else "?"

    return _NUMBER.sub(shown, one)
