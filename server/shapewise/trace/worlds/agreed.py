"""A failure that several worlds have: whether it is the same, however large what data decides.

A call on something whose length nobody knows fails in each world with other numbers in the message. It fails for
sure where the numbers that clash are equal in all of them: a matrix of ? rows and 10 columns is never multiplied
with one of 30 rows. The messages are torch's own; which of their numbers clash stands here, and of others nothing
is claimed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from ...vocabulary.events import Failure

_SIZES = r"\[([^\]]*)\]"
_CLASHES = tuple(
    re.compile(pattern)
    for pattern in (
        r"mat1 and mat2 shapes cannot be multiplied \([\d?]+x(\d+) and (\d+)x[\d?]+\)",
        r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension ([\d?]+)",
        r"The expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\) at non-singleton dimension ([\d?]+)",
        r"Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got (-?\d+)\)",
        r"Sizes of tensors must match except in dimension (\d+)\. Expected size (\d+) but got size (\d+)",
        r"Given (?:groups|transposed)=(\d+), weight of size \[[\d?, ]+\], expected input.* to have (\d+) channels, but got (\d+)",
        r"running_mean should contain (\d+) elements not (\d+)",
        r"was expecting embedding dimension of (\d+), but got (\d+)",
        r"Expected size for first two dimensions of batch2 tensor to be: \[[\d?]+, (\d+)\] but got: \[[\d?]+, (\d+)\]",
        r"Expected weight to be a vector of size equal to the number of channels in input, but got weight of shape \[(\d+)\]"
        r" and input of shape \[[\d?]+, (\d+)(?:, [\d?]+)*\]",
        r"embed_dim must be divisible by num_heads",
        r"(?:in|out)_channels must be divisible by groups",
        r"num_channels \((\d+)\) must be divisible by num_groups \((\d+)\)",
        r"Given normalized_shape=\[(\d+)\], expected input with shape .*, but got input of size\s*\[(?:[\d?]+, )*(\d+)\]",
        r"input\.size\(-1\) must be equal to input_size\. Expected (\d+), got (\d+)",
        r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)",
        r"too many indices for tensor of dimension (\d+)",
        r"(.*\b(?:dtype|scalar type|[Bb]ool|floating point)\b.*)",
        r"(.*\b(?:\dD|\d-D|matrix|matrices|number of dimensions)\b.*)",
        r"\"\w+\" not implemented for '\w+'",
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
    return _of_ranks(mine, other) or _of_lists(mine, other) or _of_elements(mine, other)


def agreed_by_all(failures: Sequence[Failure]) -> Failure | None:
    """The failure that all are; None if they may be several."""
    first, *others = failures
    found = first
    for other in others:
        if agreed(first, other) is None:
            return None
        found = replace(found, message=_open(found.message, other.message))
    return found


def clash_of(failure: Failure) -> tuple[int, ...]:
    """The numbers that clash in one of the messages above."""
    found = (match for pattern in _CLASHES if (match := pattern.match(failure.message)))
    groups = next((match.groups() for match in found), ())
    return tuple(int(group) for group in groups if group and group.isdigit())


def is_of_dtypes(failure: Failure) -> bool:
    """Whether a failure speaks of dtypes, and of nothing above."""
    at = kind_of(failure)
    return at is not None and "dtype" in _CLASHES[at].pattern


def kind_of(failure: Failure) -> int | None:
    """Which of the messages above it is; None if it is another."""
    found = (at for at, pattern in enumerate(_CLASHES) if pattern.match(failure.message))
    return next(found, None)


_VIEWED = re.compile(r"shape '" + _SIZES + r"' is invalid for input of size (\d+)")


def share_of(failure: Failure) -> Fraction | None:
    """How many times as many elements a view asks for as there are, if that is the failure."""
    match = _VIEWED.match(failure.message)
    if match is None or "?" in match[1] or not match[1] or not int(match[2]):
        return None
    return Fraction(math.prod(map(int, match[1].split(","))), int(match[2]))


def _of_elements(mine: Failure, other: Failure) -> Failure | None:
    """A view that asks for so many times as many elements as there are, however many these are."""
    share = share_of(mine)
    if share is None or share < 0 or share != share_of(other):
        return None
    return replace(mine, message=_open(mine.message, other.message))


_STACKED = re.compile(
    r"stack expects each tensor to be equal size, but got " + _SIZES + r" at entry \d+ and " + _SIZES
)


def _of_lists(mine: Failure, other: Failure) -> Failure | None:
    """Two shapes that must be the same, and differ in one dim by the same numbers."""
    one, another = _STACKED.match(mine.message), _STACKED.match(other.message)
    if one is None or another is None:
        return None
    columns = [
        list(zip(*[[size.strip() for size in group.split(",")] for group in match.groups()]))
        for match in (one, another)
    ]
    if any(a == b and a[0] != a[1] for a, b in zip(*[column[::-1] for column in columns])):
        return replace(mine, message=_open(mine.message, other.message))
    return None


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
