"""Worlds: what only data decides, given several of the values it may have, one a world.

A file whose sizes do not all follow from its text is traced once in each world, and only what is
equal in all of them is said (see `merging`). A length that nobody knows is a large number, another
one, or none; a number drawn between two limits is the lowest, the highest, one in the middle. All
lengths of one world are equal, so that two of them never clash: what they are is not shown anyway.

An `Unknown` stays unknown to conditions and comparisons; only where its number is asked for by a
call of torch does its `sample` stand in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import torch

from ..unknowns.unknown import Lost, Unknown
from .apart import Apart, Open

COUNT = 3
EMPTY = 2
"""The number of the world in which lengths that nobody knows are 0."""
_LENGTHS = Open((141_120, 423_360, 0, 282_240), 5_040)
"""Sizes that data decides: they divide by what sizes are usually divided by."""
_COUNTS = Open((312, 624, 1, 468), 1, most=200)
"""Lengths of lists: their items really exist, and a tensor of none of them has another rank."""
_FEW = Open((12, 24, 1, 18), 1, most=200)
"""Lengths of parts of what may be short."""
_SEVERAL = Open((12, 24, 3, 18), 1, most=200)
"""Lengths of what surely has more than one part."""
_HEIGHTS, _WIDTHS = Open((288, 608, 416, 352), 32), Open((576, 352, 736, 704), 32)
"""Sides of pictures: none is empty, each can be halved five times; each picture has another shape, area, longer and shorter side."""
_NUMBERS = Open((6, 100_003, 0, 40_009), 601)
"""Integers: far apart, so that a division does not make them equal."""
_MANY, _LARGE = 100, 10_000
_SHARES = (0.5, 0.75, 0.25, 0.625)
_BETWEEN = (1 / 32, 31 / 32, 0.5, 0.75)


class World:
    """The world that is being traced.

    `used`: whether anything in it depends on which one it is. `open`: whether there is a number in
    it of which no limits are known. `taken`: whether a number was taken that may be one of these.
    `alone`: no other will be traced, so that nothing may. `apart`: in it no two of these numbers are equal.
    `given`: the lengths that were given out. `counted`: whether a tensor holds one of them. `met`: whether two of these numbers were subtracted, which may only be
    equal because all are.
    """

    def __init__(self, number: int = 0, alone: bool = False, apart: Apart | None = None) -> None:
        self.number = number
        self.alone = alone
        self.apart = apart
        self.used = False
        self.open = False
        self.taken = False
        self.given: set[int] = set()
        self.counted = False
        self.met = False


OF_RUNS = (0, 1, 3)
"""The worlds of made-up inputs: that of empty lengths would only stand in the way."""
_FOURTH = 3


def apart() -> tuple[World, World]:
    """Worlds in which every number that data decides is another: sizes that are equal in both are one."""
    return World(_FOURTH, apart=Apart(downward=False)), World(_FOURTH, apart=Apart(downward=True))


Heard = set[str | int]
"""What was asked of a world: the names of its fields that it set, and lengths that were given out."""
_ASKED = "asked"


class _Here:
    world = World()
    listening: ClassVar[list[Heard]] = []


def enter(world: World) -> None:
    """From now on samples are those of this world."""
    _Here.world = world


@contextmanager
def heard() -> Iterator[Heard]:
    """What is asked of the world meanwhile: with nothing, nothing that happens depends on it."""
    found: Heard = set()
    _Here.listening.append(found)
    try:
        yield found
    finally:
        _Here.listening.pop()


def ask_again(found: Iterable[str | int]) -> None:
    """Ask what was asked once of a world like this one."""
    for what in found:
        note(what)


def note(what: str | int = _ASKED) -> None:
    """Something is asked, and with it a field of the world set or a length given out."""
    if isinstance(what, int):
        _Here.world.given.add(what)
    elif what != _ASKED:
        setattr(_Here.world, what, True)
    for found in _Here.listening:
        found.add(what)


def alike() -> tuple[int, bool] | None:
    """Equal in worlds that answer alike; None in those that answer everything otherwise."""
    return None if _Here.world.apart is not None else (_Here.world.number, _Here.world.alone)


def here() -> World:
    """The world that is being traced."""
    return _Here.world


def used() -> bool:
    """Whether the trace so far depends on its world."""
    return _Here.world.used


def needed() -> int:
    """How many worlds the running one asks for: that of nothing only where a number was taken that has no limits."""
    return COUNT if _Here.world.open and _Here.world.taken else 2


def use() -> None:
    """A sample goes into something that is written down. Raises Lost in a world that is alone."""
    if _Here.world.alone:
        note()
        raise Lost("depends on the data")
    note("used")


def take() -> None:
    """A sample is used, or held in a tensor, that may be of a number without limits."""
    note("taken")


def _open(row: Open, origin: Any = None) -> int:
    world = _Here.world
    note("open")
    number = row.samples[world.number] if world.apart is None else world.apart.of(row, origin)
    if row is not _NUMBERS:
        note(number)
    return number


def is_given(size: int) -> bool:
    """Whether a size may be a length that only data decides."""
    return size in _Here.world.given


def is_any_number(value: int) -> bool:
    """Whether a number may be an integer that only data decides, in this world."""
    return _Here.world.apart is not None or value == _NUMBERS.samples[_Here.world.number]


def is_of_given(size: int) -> bool:
    """Whether a size may be such a length, several times it, or a part of a large one."""
    return any(
        size == one or (one > _MANY and size % one == 0) or (one > _LARGE and size >= one // 16)
        for one in _Here.world.given
    )


def size(origin: Any = None) -> int:
    """The length of what data decides, in this world, for a tensor that has it.

    `origin`: the tensor whose values decide it, if it is the same size whenever they do.
    """
    use()
    take()
    return _open(_LENGTHS, origin)


def sides() -> tuple[int, int]:
    """The height and the width of a picture that nobody looks at, in this world."""
    use()
    take()
    return _open(_HEIGHTS), _open(_WIDTHS)


def few() -> int:
    """The length of a part of what may be short, in this world."""
    return _open(_FEW)


def several() -> int:
    """The length of what has more than one part and is short, in this world."""
    return _open(_SEVERAL)


def length(why: str, origin: Any = None) -> Unknown:
    """A length that only data decides. `origin`: see `size`."""
    return Unknown(why, sample=_open(_LENGTHS, origin))


def count(why: str) -> Unknown:
    """The length of a list that nobody knows."""
    return Unknown(why, sample=_open(_COUNTS))


def some() -> int:
    """How many items stand for those of a list of nobody knows how many."""
    take()
    return _open(_COUNTS)


def number(why: str) -> Unknown:
    """An integer that only data decides."""
    return Unknown(why, sample=_open(_NUMBERS))


def real(why: str) -> Unknown:
    """A float that only data decides."""
    note()
    return Unknown(why, sample=_SHARES[_Here.world.number])


def real_between(low: float, high: float, why: str) -> Unknown:
    """A float between two limits: near the one, near the other, half way."""
    note()
    return Unknown(why, sample=low + (high - low) * _BETWEEN[_Here.world.number])


def is_real(value: float) -> bool:
    """Whether this very object stands for a float that nobody knows: a layer was made of it (`nn.Dropout(settings["p"])`)."""
    return any(value is one for one in _SHARES)


def between(low: int, high: int, why: str) -> Unknown:
    """An integer from `low` to `high`, both included."""
    return Unknown(why, sample=within(low, high))


def one_of(numbers: Sequence[Any], why: str) -> Unknown:
    """One of some numbers."""
    if len({type(one) for one in numbers}) > 1:
        use()  # its type is another in each world
    ordered = sorted(numbers)
    return Unknown(why, sample=ordered[within(0, len(ordered) - 1)])


def parts(total: int, count: int) -> list[int] | None:
    """Sizes that data decides, of which it is known what they add up to. None where they are too small to be told apart."""
    note()
    share = total // count
    if share < 2:
        return None
    number = _Here.world.number
    first = [1] * (count - 1) if number == 1 else [share] * (count - 1)
    if _Here.world.apart is not None:
        first = [max(share - at, 0) for at in range(1, count)]
    return [*first, total - sum(first)]


def choices() -> int:
    """Of how many options the worlds can take each: those apart take none, or its size would have a name."""
    return COUNT if _Here.world.apart is None else 0


def choice(options: int) -> int:
    """Which of so many options, at most `choices`, is taken in this world, by its number from 0."""
    use()
    if options > 2:
        note("open")
        note("taken")
    return min(_Here.world.number, options - 1)


def shuffled(items: Sequence[Any]) -> list[Any]:
    """In some order: the short ones first, or the long ones, or those in between.

    No place has items that look alike in all worlds, unless all do: rather has one of them an item twice.
    """
    use()
    note("open")
    note("taken")
    rising = sorted(items, key=_looks)
    falling, half = rising[::-1], len(rising) // 2
    between = rising[half:] + rising[:half]
    if _Here.world.number == EMPTY:
        return between
    if _Here.world.number != 1:
        return rising
    least, most = _looks(rising[0]), rising[-1]
    for at, place in enumerate(zip(rising, falling, between)):
        one, *others = map(_looks, place)
        if others == [one, one]:
            falling[at] = most if one == least else rising[0]
    return falling


def _looks(item: Any, depth: int = 4) -> tuple[int, list[int], str]:
    """How much of something there is, the sizes in it, and what it is made of."""
    inside = item if isinstance(item, (tuple, list)) else item.values() if type(item) is dict else None
    if inside is None and hasattr(item, "__dict__") and not isinstance(item, (torch.Tensor, type)):
        inside = vars(item).values()
    if inside is not None and depth:
        parts = [_looks(part, depth - 1) for part in inside]
        sizes = [number for extent, found, _ in parts for number in (extent, len(found), *found)]
        return sum(extent for extent, _, _ in parts), sizes, " ".join(kind for _, _, kind in parts)
    if isinstance(item, torch.Tensor):
        facts = f"{item.dtype} {item.requires_grad}"
        return (len(item) if item.dim() else 0), [*item.shape], facts
    if type(item) is int:
        return 0, [item], "int"
    try:
        return len(item), [*getattr(item, "shape", ())], type(item).__name__
    except (TypeError, Lost):
        return 0, [], type(item).__name__


def distinct(item: Any) -> int:
    """How many different sizes there are in something."""
    return len(set(_looks(tuple(item.values()) if type(item) is dict else item)[1]))


def within(low: int, high: int) -> int:
    """The plain number that stands for one from `low` to `high` in this world."""
    note()
    if _Here.world.apart is not None:
        return _Here.world.apart.within(low, high)
    return (low, high, (low + high) // 2, (low + 3 * high) // 4)[_Here.world.number]


def in_dim(number: int, size: int) -> int:
    """What stands for a number that data decides beside a dim of a known size: where it would be larger, one within it."""
    if not 0 < size <= number or is_of_given(size):
        return number
    return within(1, size)


def picked(left: Any, right: Any) -> Any:
    """What stands for one of two in this world: the first is that in which every condition held."""
    note()
    return right if _Here.world.number == 1 else left


def joined(left: Sequence[int], right: Sequence[int]) -> Sequence[int]:
    """The sizes of one of two in this world. Apart, where they differ, it is neither: it has a size of its own."""
    if _Here.world.apart is None or len(left) != len(right):
        chosen: Sequence[int] = picked(left, right)
        return chosen
    sizes = [one if one == other else _open(_LENGTHS) for one, other in zip(left, right)]
    _Here.world.apart.chosen |= set(sizes).difference(left)
    return sizes


def either(left: Any, right: Any, why: str) -> Unknown:
    """One of two numbers."""
    if type(left) is not type(right):  # it is of another type in each world
        try:
            use()
        except Lost:
            return Unknown(why)
    if _Here.world.apart is not None and left != right and type(left) is type(right) is int:
        return number(why)
    return Unknown(why, sample=picked(left, right))
