"""Operators on operands that are not known: what they give all the same, from what is known of them."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from ...vocabulary.span import Span
from .. import arrays
from ..state import CONTENTS
from ..unknowns import doubts, records, samples, texts, values
from ..unknowns.grown import Mark, grown, grown_in, is_grown, mark_of, surely_has, unknown_in
from ..unknowns.lengths import marked, together
from ..unknowns.unknown import (
    MISSING,
    NO_SAMPLE,
    TRUTH,
    Lost,
    Undecided,
    Unknown,
    is_setting,
    is_truth,
    setting,
    yes_or_no,
)
from ..wall import allowed
from ..worlds import worlds

if TYPE_CHECKING:
    from ..run import Env

IN_PLACE = frozenset("+= -= *= /= //= **= %= &= |= ^=".split())
_OF_TEXTS = frozenset("+ += * % []".split())
_OF_OBJECTS = frozenset(("is", "is not", "in", "not in"))
"""Comparisons that give a truth value, whatever is compared."""
_ORDERS = frozenset("== != < <= > >=".split())
_SAMENESS = frozenset(("==", "!=", "is", "is not", "in", "not in"))
COMPARES = _ORDERS | _OF_OBJECTS
_COUNTED = (set, frozenset, dict, collections.deque)
"""Containers that say what is in them by looking at all: beside lists, which are looked at item by item."""
_BELOW = frozenset("< <= > >=".split())
_ARITHMETIC = frozenset("+ - * / **".split())
_ALWAYS = _BELOW | {"/"}
"""Operators whose result has the same dtype for every number, beside integers too."""


def decided(env: Env, name: str, function: Callable[..., Any], operands: list[Any]) -> Any:
    """What an operator gives whatever the unknown among its operands is; MISSING where that is not one thing."""
    if name == "*" and (repeated := _repeated(operands)) is not None:
        return repeated
    if type(operands[0]) is set and name[0] in "|^&-" and (mark := _mark_among(operands)) is not None:
        more = operands[1] if name[0] in "|^" else ()
        return put_together(env, [operands[0], more], mark.why, in_place=name[-1] == "=")
    if name in _SAMENESS and records.may_be_the_same(*operands):
        return yes_or_no("one of several objects")
    found = _by_limits(name, function, *operands) if name in _ORDERS else None
    return MISSING if found is None else found


def absorbed(
    env: Env, span: Span, name: str, function: Callable[..., Any], operands: list[Any], worth: bool
) -> Any:
    """What an operator gives where an operand is lost, written down; MISSING if it does not look at what is.

    `worth`: a tensor is among them.
    """
    if (
        name in ("in", "not in")
        and isinstance(operands[1], dict)
        and (mark := mark_of(operands[1])) is not None
    ):
        return name == "in" if surely_has(operands[1], operands[0]) else yes_or_no(mark.why)
    if name == "[]" and type(operands[1]) is list:
        taken = getattr(type(operands[0]), "__getitem__", None)
        if id(taken) in allowed.TAKES_UNKNOWNS:
            return MISSING
    looked_into = operands[1:] if name in ("in", "not in") else operands if name in _ORDERS else ()
    if looked_into and all(isinstance(one, _COUNTED) for one in looked_into):
        mark = next((mark for one in looked_into if (mark := mark_of(one)) is not None), None)
        if mark is not None:
            return yes_or_no(mark.why)
    for operand in operands:
        if type(operand) is not Unknown and not isinstance(operand, (tuple, list)):
            continue
        lost = unknown_in(operand)
        if lost is None:
            continue
        beside = arrays.beside_unknown(name, function, operands)
        if beside is not None:
            return beside
        if name in ("is", "is not"):
            if type(operand) is not Unknown:
                return MISSING
            if operand.tensor and any(other is None for other in operands):
                return name == "is not"
        lists = name in ("+", "+=") and all(type(o) is list for o in operands)
        if lists and grown_in(operands, 1) is not None:
            return put_together(env, operands, lost.why, in_place=name == "+=")
        if is_grown(operand) is not None:
            return Unknown(lost.why)
        if name in _OF_TEXTS and texts.is_text(operands[0]):
            return texts.text(lost.why)
        if name in ("+", "*", "+=") and _are_containers(operand, operands):
            return MISSING  # putting them together does not look at the items
        return _lost(env, span, name, function, operands, lost, worth)
    return MISSING


def _are_containers(operand: Any, operands: list[Any]) -> bool:
    return isinstance(operand, (tuple, list)) and all(isinstance(o, (tuple, list, int)) for o in operands)


def _lost(
    env: Env,
    span: Span,
    name: str,
    function: Callable[..., Any],
    operands: list[Any],
    lost: Unknown,
    worth: bool,
) -> Any:
    recorder, frame = env.run.recorder, env.run.frames[-1]
    result: Any = Unknown(lost.why, worth or lost.tensor)
    if name == "[]" and is_setting(operands[0]):
        result = setting(lost.why)
    if name in _OF_OBJECTS or (name in COMPARES and _are_comparable(operands)):
        result = yes_or_no(lost.why)
        result.leaning = samples.leaning(function, operands) if name in COMPARES else None
    if isinstance(operands[0], torch.Tensor):
        if name in IN_PLACE:
            result = operands[0]  # the same tensor, whatever is written into it
            doubts.may_require_grad(result)
        if writes(name):
            values.overwritten(operands[0])
    if worth:
        recorder.op(frame, span, name, operands, {}, result, None)
    else:
        recorder.lost(frame, span, lost)
    return result


def writes(name: str) -> bool:
    """Whether an operator of this name changes what its first operand holds."""
    return name in IN_PLACE or name == "[]="


def guess(name: str, function: Callable[..., Any], operands: list[Any], worth: bool) -> Any:
    """What stands in where an operand is not known: operands with numbers of this world, or an unknown number."""
    lost = next((o for o in operands if type(o) is Unknown), None)
    if lost is None and name in ("[]", "[]="):
        lost = unknown_in(operands[1])
    if lost is None or (name in COMPARES and not (worth and name in _BELOW)):
        return None
    if worth and (name in _BELOW or name.rstrip("=") in _ARITHMETIC):
        operands = samples.beside_floats(operands, operands, always=name in _ALWAYS)
    if not worth:
        if any(type(o) is Unknown and o.kind == TRUTH for o in operands):
            return _of_truths(name, function, operands, lost.why)
        if lost.sample is NO_SAMPLE or not all(type(o) in (Unknown, int, float) for o in operands):
            return None
        made = samples.computed(function, operands, lost.why)
        made.drift, made.limits = _drift(name, *operands), made.limits or _moved(name, operands)
        return made
    if name in ("[]", "[]="):
        operands = [operands[0], _any_row(operands[1]), *operands[2:]]
    try:
        plain = [samples.sampled(o) for o in operands]
        if name == "[]" and unknown_in(operands[1]) is not None:
            worlds.use()  # a slice; where something is written changes no fact of what it is written into
            worlds.take()
            plain[1] = samples.to_the_end(operands[1], plain[1], operands[0].shape)
    except (LookupError, Lost):
        return None
    return plain


def _of_truths(name: str, function: Callable[..., Any], operands: list[Any], why: str) -> Unknown | None:
    """What Python's arithmetic makes of True or False, nobody knows which, and numbers: `1 - done`."""
    if all(map(is_truth, operands)) and name.rstrip("=") in ("&", "|", "^"):
        return yes_or_no(why)
    ways = [[answer if is_truth(o) else o for o in operands] for answer in (False, True)]
    if name == "not" or not all(_is_number(o) for o in ways[0] if type(o) is not bool):
        return None
    found = [samples.computed(function, way, why).sample for way in ways]
    kinds = {type(one) for one in found if one is not NO_SAMPLE}
    if len(kinds) != 1 or not kinds <= {int, float}:
        return None
    if any(type(o) is Unknown for o in ways[0]) or NO_SAMPLE in found:
        return worlds.real(why) if float in kinds else worlds.number(why)
    return worlds.either(found[0], found[1], why)


def _drift(name: str, left: Any, right: Any = None) -> tuple[object, int] | None:
    """How far a number that is counted up got: by a known integer, and in no other way."""
    if type(left) is Unknown and left.drift is not None and type(right) is int:
        if name in ("+", "+="):
            return left.drift[0], left.drift[1] + right
        if name in ("-", "-="):
            return left.drift[0], left.drift[1] - right
    if type(right) is Unknown and right.drift is not None and type(left) is int and name in ("+", "+="):
        return right.drift[0], right.drift[1] + left
    return None


def _any_row(index: Any) -> Any:
    """An index whose unknown integers are 0: the same view, whatever they are."""
    if type(index) is tuple:
        return tuple(_any_row(part) for part in index)
    return 0 if type(index) is Unknown and type(index.sample) is int else index


def _repeated(operands: list[Any]) -> Any:
    """A list as often as a number says that is not known, or a tuple. None for anything else."""
    many = next((o for o in operands if type(o) in (list, tuple)), None)
    unsure = (
        o.unknown() if isinstance(o, Undecided) else o for o in operands
    )  # a scalar of numpy's, perhaps
    times = next((o for o in unsure if type(o) is Unknown), None)
    if many is None or times is None or type(times.sample) is not int or is_grown(many) is not None:
        return None
    if type(many) is tuple:
        return None if any(o is times for o in operands) else Unknown(times.why)
    return marked(many * worlds.some() or list(many), times.why, True, max(0, times.sample) * len(many))


def _are_comparable(operands: list[Any]) -> bool:
    """Whether a comparison of these is True or False: numbers, or texts."""
    return all(map(_is_number, operands)) or all(isinstance(o, str) or texts.is_text(o) for o in operands)


def _is_number(value: Any) -> bool:
    return type(value.sample if type(value) is Unknown else value) in (int, float)


def _by_limits(name: str, function: Callable[..., Any], left: Any, right: Any) -> bool | None:
    """How a comparison comes out that is the same for all numbers between the limits of one that is not known."""
    if type(left) is not Unknown and type(right) is not Unknown:
        return None
    one, other = _limits(left), _limits(right)
    if one is None or other is None:
        return None
    if name in ("==", "!="):
        return name == "!=" if one[1] < other[0] or other[1] < one[0] else None
    found = {function(low, high) for low in one for high in other}
    return bool(found.pop()) if len(found) == 1 else None


def _limits(value: Any) -> tuple[int, int] | None:
    return value.limits if type(value) is Unknown else (value, value) if type(value) is int else None


def _moved(name: str, operands: list[Any]) -> tuple[int, int] | None:
    """The limits of a sum or a difference of numbers that have some."""
    limits = [_limits(operand) for operand in operands]
    if len(limits) != 2 or limits[0] is None or limits[1] is None or name[0] not in "+-":
        return None
    (low, high), (least, most) = limits  # type: ignore[misc]
    return (low + least, high + most) if name[0] == "+" else (low - most, high - least)


def _mark_among(sets: list[Any]) -> Mark | None:
    """The mark of one of two sets, if nobody knows how many items it has."""
    if not all(isinstance(one, (set, frozenset)) for one in sets):
        return None
    return next((mark for one in sets if (mark := mark_of(one)) is not None), None)


def put_together(env: Env, parts: list[Any], why: str, in_place: bool, many: int | None = None) -> Any:
    """Two lists, deques or sets in one, of which nobody knows how many items one has. `in_place`: the first becomes longer.

    `many`: how many it has then in this world, where the parts do not say it themselves.
    """
    marks = [mark for one in parts if (mark := mark_of(one)) is not None]
    made = parts[0] if in_place else parts[0].copy()
    many = together(parts) if many is None else many
    if in_place:
        env.run.journal.note(CONTENTS, made)
        env.run.perhaps(env, made, lambda other: put_together(env, [other, parts[1]], why, in_place))
    (made.update if isinstance(made, set) else made.extend)(parts[1])
    if type(made) is list:
        return marked(made, why, all(mark.alike for mark in marks), many)
    grown(made, why, alike=all(mark.alike for mark in marks))
    return made
