"""Operators of the interpreted program."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import torch

from ...vocabulary.span import Span
from .. import arrays
from ..control import BudgetExhausted
from ..log.recorder import holds_tensor
from ..refusals.failures import failed
from ..refusals.meant import meant
from ..state import CONTENTS
from ..stdlib import formatting
from ..unknowns import doubts, samples, texts, values
from ..unknowns.grown import Mark, grown, grown_in, is_grown, mark_of, unknown_in
from ..unknowns.joining import one_of
from ..unknowns.unknown import NO_SAMPLE, TRUTH, Lost, Unknown, is_truth, likely, yes_or_no
from ..worlds import worlds
from . import natives
from .own import interpreted_class

if TYPE_CHECKING:
    from ..run import Env

Binary = Callable[[Any, Any], Any]

BINARY: dict[type[ast.operator], tuple[str, Binary, Binary]] = {
    ast.Add: ("+", operator.add, operator.iadd),
    ast.Sub: ("-", operator.sub, operator.isub),
    ast.Mult: ("*", operator.mul, operator.imul),
    ast.Div: ("/", operator.truediv, operator.itruediv),
    ast.FloorDiv: ("//", operator.floordiv, operator.ifloordiv),
    ast.Mod: ("%", operator.mod, operator.imod),
    ast.Pow: ("**", operator.pow, operator.ipow),
    ast.MatMult: ("@", operator.matmul, operator.imatmul),
    ast.BitAnd: ("&", operator.and_, operator.iand),
    ast.BitOr: ("|", operator.or_, operator.ior),
    ast.BitXor: ("^", operator.xor, operator.ixor),
    ast.LShift: ("<<", operator.lshift, operator.ilshift),
    ast.RShift: (">>", operator.rshift, operator.irshift),
}
UNARY: dict[type[ast.unaryop], tuple[str, Callable[[Any], Any]]] = {
    ast.USub: ("-", operator.neg),
    ast.UAdd: ("+", operator.pos),
    ast.Invert: ("~", operator.invert),
}
COMPARE: dict[type[ast.cmpop], tuple[str, Binary]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
    ast.Is: ("is", operator.is_),
    ast.IsNot: ("is not", operator.is_not),
    ast.In: ("in", lambda item, container: item in container),
    ast.NotIn: ("not in", lambda item, container: item not in container),
}
_IN_PLACE = frozenset("+= -= *= /= //= **= %= &= |= ^=".split())
_ARITHMETIC = frozenset("+ - * / ** // % @".split())
_BITS = 100_000
_ITEMS = 1_000_000


def apply(env: Env, span: Span, name: str, function: Callable[..., Any], operands: list[Any]) -> Any:
    """One operator on its operands; an event where a tensor is among them."""
    run = env.run
    run.budget.step()
    if name in _QUICK and _are_short(operands):
        run.site = span
        if run.attempt is not None:
            run.attempt.begins(run, span, name)
        result: Any
        try:
            result = function(*operands)
        except ArithmeticError:
            pass
        else:
            if run.attempt is not None:
                run.attempt.applied(run, span, name, operands, result)
            return result
    if name not in _COMPARES:
        operands = [likely(operand) for operand in operands]
    worth = any(isinstance(operand, torch.Tensor) for operand in operands)
    if name == "*" and (repeated := _repeated(operands)) is not None:
        return repeated
    if type(operands[0]) is set and name[0] in "|^&-" and (mark := _mark_among(operands)) is not None:
        more = operands[1] if name[0] in "|^" else ()
        return put_together(env, [operands[0], more], mark.why, in_place=name[-1] == "=")
    if name in _ORDERS and (decided := _by_limits(name, function, *operands)) is not None:
        return decided
    guessed = _guess(name, function, operands, worth)
    if type(guessed) is list:
        operands = guessed
    elif guessed is not None:
        return guessed
    if name.rstrip("=") in _ARITHMETIC and any(type(one) is Unknown and one.either for one in operands):
        return _with_each(env, span, name, function, operands)
    for operand in operands:
        if type(operand) is Unknown or (
            isinstance(operand, (tuple, list)) and unknown_in(operand) is not None
        ):
            beside = arrays.beside_unknown(name, function, operands)
            if beside is not None:
                return beside
            lost = unknown_in(operand)
            assert lost is not None
            if name in ("is", "is not"):
                if type(operand) is not Unknown:
                    break
                if operand.tensor and any(other is None for other in operands):
                    return name == "is not"
            if (
                name in ("+", "+=")
                and all(type(o) is list for o in operands)
                and grown_in(operands, 1) is not None
            ):
                return put_together(env, operands, lost.why, in_place=name == "+=")
            if is_grown(operand) is not None:
                return Unknown(lost.why)
            if name in _OF_TEXTS and texts.is_text(operands[0]):
                return texts.text(lost.why)
            if (
                name in ("+", "*", "+=")
                and isinstance(operand, (tuple, list))
                and all(isinstance(o, (tuple, list, int)) for o in operands)
            ):
                break  # putting containers together does not look at the items
            if name in _OF_OBJECTS or (name in _COMPARES and _are_comparable(operands)):
                result = yes_or_no(lost.why)
            else:
                result = Unknown(lost.why, worth or lost.tensor)
            if name in _IN_PLACE and isinstance(operands[0], torch.Tensor):
                result = operands[0]  # the same tensor, whatever is written into it
                doubts.may_require_grad(result)
            if (name in _IN_PLACE or name == "[]=") and isinstance(operands[0], torch.Tensor):
                values.overwritten(operands[0])
            if worth:
                run.recorder.op(run.frames[-1], span, name, operands, {}, result, None)
            else:
                run.recorder.lost(run.frames[-1], span, lost)
            return result
    if name.rstrip("=") == "%" and isinstance(operands[0], (str, bytes)):
        return formatting.percent(*operands)
    if too_large(name, operands):
        return Unknown("too large a value to follow")
    if (
        name.endswith("=")
        and name not in ("==", "!=", "<=", ">=")
        and isinstance(operands[0], (list, dict, set))
    ):
        run.journal.note(CONTENTS, operands[0])
        run.perhaps(env, operands[0], lambda other: function(other, *operands[1:]))
    run.site = span
    noted = worth and not run.recorder.quiet[run.frames[-1]]
    before = [run.recorder.describe(operand) for operand in operands] if noted else None
    failure = None
    required_grad = False
    if worth:
        run.budget.op()
        required_grad = isinstance(operands[0], torch.Tensor) and operands[0].requires_grad
    if run.attempt is not None:
        run.attempt.begins(run, span, name)
    try:
        result = function(*operands)
    except BudgetExhausted:
        raise
    except Exception as error:
        result, failure, raises = failed(env, name, error, operands)
        if guessed is not None:
            failure, raises = None, None
        if raises is not None:
            run.recorder.op(run.frames[-1], span, name, operands, {}, result, failure, before)
            raise raises from None
        if failure is not None and run.attempt is not None:
            run.recorder.op(run.frames[-1], span, name, operands, {}, result, failure, before)
            run.attempt.ends()
        if worth and type(result) is Unknown and name not in ("in", "not in"):
            result = Unknown(result.why, True)
        if failure is not None and (instead := meant(name, operands, {})) is not None:
            result = instead
        if failure is not None and not worth and not any(interpreted_class(type(o)) for o in operands):
            if any(type(o) is arrays.Array for o in operands):
                run.recorder.op(run.frames[-1], span, name, operands, {}, result, failure)
            return operands[0] if name in _IN_PLACE else result
    if guessed is not None:
        if (name in _IN_PLACE or name == "[]=") and isinstance(operands[0], torch.Tensor):
            values.overwritten(operands[0])
        elif isinstance(result, torch.Tensor):
            values.hold_sample(result, operands[0] if name == "[]" else result)
    if run.attempt is not None and not worth:
        run.attempt.applied(run, span, name, operands, result)
    if worth and run.ways:
        natives.changed(run, name, operands[0], required_grad)
    if type(result) is list and name in ("+", "*"):
        run.journal.born(result)
    if worth or (holds_tensor(result) and not isinstance(result, (tuple, list))):
        run.recorder.op(run.frames[-1], span, name, operands, {}, result, failure, before)
    return result


def _are_short(operands: list[Any]) -> bool:
    """Whether these are two plain numbers of at most 64 bits: Python's own arithmetic is all there is to them."""
    for operand in operands:
        if type(operand) is not float and not (type(operand) is int and -_WORD < operand < _WORD):
            return False
    return len(operands) == 2


_QUICK = frozenset("+ - * / // % < <= > >= == != += -= *= /= //= %=".split())
_WORD = 2**63


def _repeated(operands: list[Any]) -> list[Any] | None:
    """A list as often as a number says that is not known."""
    many = next((o for o in operands if type(o) is list), None)
    times = next((o for o in operands if type(o) is Unknown), None)
    if many is None or times is None or type(times.sample) is not int or is_grown(many) is not None:
        return None
    repeated = many * worlds.some() or list(many)
    grown(repeated, times.why, alike=True)
    return repeated


def _any_row(index: Any) -> Any:
    """An index whose unknown integers are 0: the same view, whatever they are."""
    if type(index) is tuple:
        return tuple(_any_row(part) for part in index)
    return 0 if type(index) is Unknown and type(index.sample) is int else index


_OF_TEXTS = frozenset("+ += * % []".split())
_OF_OBJECTS = frozenset(("is", "is not", "in", "not in"))
"""Comparisons that give a truth value, whatever is compared."""
_ORDERS = frozenset("== != < <= > >=".split())
_COMPARES = _ORDERS | _OF_OBJECTS


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


def _with_each(env: Env, span: Span, name: str, function: Callable[..., Any], operands: list[Any]) -> Any:
    """An operator on what is one of a few tensors and numbers: if it gives the same of each, that is known."""
    recorder = env.run.recorder
    at, lost = next((i, one) for i, one in enumerate(operands) if type(one) is Unknown and one.either)
    mute, recorder.mute = recorder.mute, True
    try:
        given = [
            apply(env, span, name, function, [*operands[:at], one, *operands[at + 1 :]])
            for one in lost.either
        ]
    except Exception:
        given = [Unknown(lost.why)]
    finally:
        recorder.mute = mute
    lost_again = next((one for one in given if type(one) is Unknown and not one.either), None)
    every = [term for one in given for term in (one.either if type(one) is Unknown else (one,))]
    result = one_of(every, lost.why) if lost_again is None else Unknown(lost.why, lost_again.tensor)
    if any(isinstance(one, torch.Tensor) for one in (*operands, *lost.either)):
        recorder.op(env.run.frames[-1], span, name, operands, {}, result, None)
    return result


def _guess(name: str, function: Callable[..., Any], operands: list[Any], worth: bool) -> Any:
    """What stands in where an operand is not known: operands with numbers of this world, or an unknown number."""
    lost = next((o for o in operands if type(o) is Unknown), None)
    if lost is None and name in ("[]", "[]="):
        lost = unknown_in(operands[1])
    if lost is None or name in _COMPARES:
        return None
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


def too_large(name: str, operands: list[Any]) -> bool:
    """Whether plain Python would be busy with this for long: found before, since it cannot be stopped."""
    if len(operands) != 2:
        return False
    left, right = operands
    name = name.removesuffix("=")
    if isinstance(left, int) and isinstance(right, int):
        if name == "**":
            return right > 0 and left.bit_length() * right > _BITS
        if name == "<<":
            return right > _BITS
        return name == "*" and left.bit_length() + right.bit_length() > _BITS
    if name == "**" and isinstance(left, Fraction) and isinstance(right, int):
        return (left.numerator.bit_length() + left.denominator.bit_length()) * abs(right) > _BITS
    if name == "+" and isinstance(left, (str, bytes, list, tuple)) and isinstance(right, type(left)):
        return len(left) + len(right) > _ITEMS
    if name == "*":
        for sequence, count in ((left, right), (right, left)):
            if (
                isinstance(sequence, (str, bytes, list, tuple))
                and isinstance(count, int)
                and len(sequence) * count > _ITEMS
            ):
                return True
    return name == "%" and isinstance(left, (str, bytes))


def _mark_among(sets: list[Any]) -> Mark | None:
    """The mark of one of two sets, if nobody knows how many items it has."""
    if not all(isinstance(one, (set, frozenset)) for one in sets):
        return None
    return next((mark for one in sets if (mark := mark_of(one)) is not None), None)


def put_together(env: Env, parts: list[Any], why: str, in_place: bool) -> Any:
    """Two lists, deques or sets in one, of which nobody knows how many items one has. `in_place`: the first becomes longer."""
    marks = [mark for one in parts if (mark := mark_of(one)) is not None]
    made = parts[0] if in_place else parts[0].copy()
    if in_place:
        env.run.journal.note(CONTENTS, made)
        env.run.perhaps(env, made, lambda other: put_together(env, [other, parts[1]], why, in_place))
    (made.update if isinstance(made, set) else made.extend)(parts[1])
    grown(made, why, alike=all(mark.alike for mark in marks))
    return made


def truth(env: Env, value: Any) -> bool | None:
    """Whether a value is true; None where nobody knows."""
    if value is True or value is False or value is None:
        return bool(value)
    if type(value) is Unknown and value.limits is not None:
        return True if value.limits[0] > 0 or value.limits[1] < 0 else None
    if type(value) is Unknown or is_grown(value) is not None:
        return None
    try:
        return bool(value)
    except BudgetExhausted:
        raise
    except Exception:
        return None
