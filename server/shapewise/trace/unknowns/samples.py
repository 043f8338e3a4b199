"""What is computed of numbers that nobody knows: with those of the world that is traced in their place."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..worlds.worlds import EMPTY, between, few, here, length, note, number, real, take, use, within
from .unknown import NO_SAMPLE, TRUTH, Unknown, find_unknown, is_setting


def sampled(value: Any, depth: int = 3) -> Any:
    """The value with a sample in place of every unknown in it. Raises LookupError where one has none."""
    if type(value) is Unknown:
        if value.kind == TRUTH:
            note()
            return here().number != 1
        if value.sample is NO_SAMPLE:
            raise LookupError
        return value.sample
    if not depth or find_unknown(value) is None:
        return value
    if type(value) in (list, tuple):
        return type(value)([sampled(item, depth - 1) for item in value])
    if type(value) is slice:
        if type(value.start) is type(value.stop) is Unknown and value.step is None:
            note("met")
            if value.start.sample is not NO_SAMPLE and value.start.sample == value.stop.sample:
                return slice(0, few())  # from one number to another: they are not equal because all are
        return slice(*[sampled(part, depth - 1) for part in (value.start, value.stop, value.step)])
    if type(value) is dict:
        return {key: sampled(item, depth - 1) for key, item in value.items()}
    raise LookupError


def beside_floats(given: Sequence[Any], operands: Sequence[Any], always: bool = False) -> list[Any]:
    """What is given, with settings as numbers of this world, if a tensor of floats is among the operands.

    Nothing but values hangs on which number it is then: an integer or a float, the dtype is that of the tensor. `always`: so it is beside any tensor.
    """
    if not always and not any(isinstance(one, torch.Tensor) and one.is_floating_point() for one in operands):
        return list(given)
    return [real(one.why) if is_setting(one) else one for one in given]


_NUMERIC = (int, float, abs, min, max, round, sum, range, pow, divmod, len)
_PURE = {id(function) for function in _NUMERIC} | {
    id(function)
    for name, function in vars(math).items()
    if callable(function) and name not in ("factorial", "perm", "comb")
}
"""Functions of numbers alone: of samples they give a sample."""


def is_pure(function: Any) -> bool:
    """Whether a listed callable is a function of plain numbers."""
    return id(function) in _PURE


_ROUNDS = {id(function) for function in (int, round, math.floor, math.ceil, math.trunc)}
_SUBTRACTS = {id(function) for function in (operator.sub, operator.isub)}
_MODULI = {id(function) for function in (operator.mod, operator.imod)}
_MASKS = {id(function) for function in (operator.and_, operator.iand)}
_WRAPS = {id(function) for function in (divmod, math.fmod, math.gcd)} | _MODULI


def computed(function: Callable[..., Any], args: Any, why: str) -> Unknown:
    """What a function of numbers gives, one of which is not known.

    Equal results of different samples prove something only where the function keeps numbers apart:
    a remainder does not, nor does rounding. What is at least so much is the number itself only where that is not less.
    """
    if id(function) in _WRAPS:
        return _remainder(function, args, why)
    if id(function) in _MASKS:
        return _masked(args, why)
    if id(function) in _SUBTRACTS and type(args[0]) is type(args[1]) is Unknown:
        note("met")
    if id(function) in _ROUNDS and type(args[0]) is Unknown and type(args[0].sample) is float:
        return _rounded(function, args, why)
    if function is max and here().apart is not None and any(type(arg) is int for arg in args):
        return length(why)
    try:
        result = function(*sampled(list(args)))
    except Exception:
        return Unknown(why)
    made = Unknown(why, sample=result) if type(result) in (int, float, range) else Unknown(why)
    if any(type(arg) is Unknown and arg.kind == NEVER for arg in args):
        made.kind = NEVER
    return made


def or_else(unsure: Unknown, other: Any) -> Unknown:
    """`unsure or other`: a number that nobody knows, and where that is 0 another one."""
    if type(unsure.sample) is not int or type(other) is not int:
        return unsure
    return (
        length(unsure.why) if here().apart is not None else Unknown(unsure.why, sample=unsure.sample or other)
    )


def leaning(function: Callable[..., Any], operands: Sequence[Any]) -> bool | None:
    """What a comparison of integers comes to in this world; None where they are not all known of it."""
    numbers = [one.sample if type(one) is Unknown else one for one in operands]
    if not all(type(number) is int for number in numbers):
        return None
    note()
    return bool(function(*numbers))


_LARGE = 64
"""Numbers from here on are as good as they are when they are rounded: what is a share of a length is one of its size."""
_OFF = (0, 13, 0, 29)


def _rounded(function: Callable[..., Any], args: Any, why: str) -> Unknown:
    """An integer near a float, or a float of so many digits. Rounded a bit otherwise in each world, for two that come out equal need not be so."""
    share = args[0].sample
    if function is round and len(args) > 1 and args[1] is not None:
        return real(why)
    if len(args) > 1 or not math.isfinite(share) or abs(share) < _LARGE:
        return number(why)
    if here().apart is None:
        note()
        return Unknown(why, sample=int(share) + _OFF[here().number])
    return Unknown(why, sample=int(share)) if function in (int, math.floor) else number(why)


def _masked(args: Any, why: str) -> Unknown:
    """`number & known`: no more than that. Such numbers as samples are have their low bits in common."""
    most = next((arg for arg in args if type(arg) is int and arg >= 0), None)
    if most is None:
        return number(why) if any(type(arg) is int for arg in args) else Unknown(why)
    made = between(0, most, why)
    made.limits = (0, most)
    return made


def _remainder(function: Callable[..., Any], args: Any, why: str) -> Unknown:
    """What is left of an integer by a known one is somewhere below that, and no more is known of it; of a float it is one."""
    if id(function) in _MODULI and type(args[1]) is int and args[1] > 0 and type(args[0].sample) is int:
        rest = between(0, args[1] - 1, why)
        rest.limits = (0, args[1] - 1)
        return rest
    numbers = [arg.sample if type(arg) is Unknown else arg for arg in args]
    if (
        function is not divmod
        and float in map(type, numbers)
        and all(type(n) in (int, float) for n in numbers)
    ):
        return real(why)
    return Unknown(why)


NEVER = "in no round"
"""The kind of a number of a loop that has no round in this world, and of what is computed from it."""


def _steps(size: int) -> str | None:
    """The kind of a number that goes up by so much from round to round."""
    return f"in steps of {size}" if size > 1 else None


def between_places(start: Unknown | int, stop: Unknown | int, most: int) -> int | None:
    """How many of at most so many items there are from one place to another; None where that is not known.

    Where no round comes by, as many as it says: nothing that is said of none is wrong. A step is as long as
    it says too, for all but the last.
    """
    first, last = (place.sample if type(place) is Unknown else place for place in (start, stop))
    if type(first) is not int or type(last) is not int:
        return None
    use()
    take()
    if type(start) is type(stop) is Unknown and first == last and here().apart is None:
        return min(few(), most)  # from one number to another: they are not equal because all are
    kinds = [place.kind for place in (start, stop) if type(place) is Unknown]
    as_it_says = NEVER in kinds or (kinds and kinds[0] == _steps(last - first))
    if first <= last and (as_it_says or here().apart is not None):  # apart, each list has a length of its own
        return last - first
    return len(range(most)[first:last])


def to_the_end(index: Any, plain: Any, sizes: Sequence[int]) -> Any:
    """An index with numbers of this world; a step that ends where a length ends that data decides is cut short.

    `x[i : i + 16]` in steps of 16 has 16, but for the last one.
    """
    if type(index) is tuple:
        if not all(type(part) in (slice, int, Unknown) for part in index):
            return plain
        return tuple(to_the_end(*part) for part in zip(index, plain, ((size,) for size in sizes)))
    if type(index) is not slice or type(index.start) is not Unknown or not sizes:
        return plain
    whole = type(plain.stop) is int and index.start.kind == _steps(plain.stop - plain.start)
    return slice(plain.start, plain.stop - 1) if whole and plain.stop == sizes[0] else plain


def item(value: Unknown) -> Unknown:
    """An item of something unknown: of a range, a number in it, and where it is empty in this world, a number."""
    span = value.sample
    if type(span) is range:
        made = Unknown(value.why, sample=span[within(0, len(span) - 1)] if span else span.start)
        # where nobody knows of any item, a list has one
        none = len(span) <= 1 if here().number == EMPTY else not span
        made.kind = NEVER if none else _steps(span.step)
        return made
    made = Unknown(value.why)
    made.kind = "text" if value.kind in ("text", "file") else None  # a text's characters, a file's lines
    return made
