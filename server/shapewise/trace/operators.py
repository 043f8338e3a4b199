"""Operators and subscripts of the interpreted program."""

from __future__ import annotations

import ast
import collections
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import torch

from ..vocabulary.span import Span
from . import arrays, doubts, natives, texts, values, worlds
from .alike import fill, kind_of_items, value_in
from .attributes import admit
from .control import BudgetExhausted
from .failures import failed
from .grown import DICTS, Mark, grown, grown_in, is_grown, mark_of, put_mark, unknown_in
from .joining import join
from .meant import meant
from .own import interpreted_class
from .recorder import holds_tensor, same
from .state import CONTENTS, NAME
from .stdlib import formatting
from .unknown import NO_SAMPLE, Lost, Unknown, decided, likely, yes_or_no

if TYPE_CHECKING:
    from .run import Env, Run

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
_BITS = 100_000
_ALIKE = 64
"""A list of up to so many items, at an unknown index, gives what is common to all of them."""
_ITEMS = 1_000_000


def apply(env: Env, span: Span, name: str, function: Callable[..., Any], operands: list[Any]) -> Any:
    """One operator on its operands; an event where a tensor is among them."""
    run = env.run
    run.budget.step()
    if name not in _COMPARES:
        operands = [likely(operand) for operand in operands]
    worth = any(isinstance(operand, torch.Tensor) for operand in operands)
    if name == "*" and (repeated := _repeated(operands)) is not None:
        return repeated
    if type(operands[0]) is set and name[0] in "|^&-" and (mark := _mark_among(operands)) is not None:
        more = operands[1] if name[0] in "|^" else ()
        return put_together(run, [operands[0], more], mark.why, in_place=name[-1] == "=")
    guessed = _guess(name, function, operands, worth)
    if type(guessed) is list:
        operands = guessed
    elif guessed is not None:
        return guessed
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
                return put_together(env.run, operands, lost.why, in_place=name == "+=")
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
            if name in _OF_OBJECTS or (name in _COMPARES and all(map(_is_number, operands))):
                result: Any = yes_or_no(lost.why)
            else:
                result = Unknown(lost.why, worth or lost.tensor)
            if name in _IN_PLACE and isinstance(operands[0], torch.Tensor):
                result = operands[0]  # the same tensor, whatever is written into it
                doubts.may_require_grad(result)
            if (name in _IN_PLACE or name == "[]=") and isinstance(operands[0], torch.Tensor):
                values.strip(operands[0])
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
            values.strip(operands[0])
        elif isinstance(result, torch.Tensor):
            values.hold_sample(result, operands[0] if name == "[]" else result)
    if run.attempt is not None and not worth:
        run.attempt.applied(run, span, name, operands, result)
    if worth and run.ways:
        natives.changed(run, name, operands[0], required_grad)
    if worth or (holds_tensor(result) and not isinstance(result, (tuple, list))):
        run.recorder.op(run.frames[-1], span, name, operands, {}, result, failure, before)
    return result


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
_COMPARES = frozenset("== != < <= > >=".split()) | _OF_OBJECTS


def _is_number(value: Any) -> bool:
    return type(value.sample if type(value) is Unknown else value) in (int, float)


def _guess(name: str, function: Callable[..., Any], operands: list[Any], worth: bool) -> Any:
    """What stands in where an operand is not known: operands with numbers of this world, or an unknown number."""
    lost = next((o for o in operands if type(o) is Unknown), None)
    if lost is None and name in ("[]", "[]="):
        lost = unknown_in(operands[1])
    if lost is None or name in _COMPARES:
        return None
    if not worth:
        if lost.sample is NO_SAMPLE or not all(type(o) in (Unknown, int, float) for o in operands):
            return None
        made = worlds.computed(function, operands, lost.why)
        made.drift = _drift(name, *operands)
        return made
    if name in ("[]", "[]="):
        operands = [operands[0], _any_row(operands[1]), *operands[2:]]
    try:
        plain = [worlds.sampled(o) for o in operands]
        if name == "[]" and unknown_in(operands[1]) is not None:
            worlds.use()  # a slice; where something is written changes no fact of what it is written into
            worlds.take()
    except (LookupError, Lost):
        return None
    return plain


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


def subscript(env: Env, span: Span, value: Any, index: Any) -> Any:
    """`value[index]`."""
    value = likely(value)
    if type(value) is Unknown:
        env.run.unfollowed += 1
    if isinstance(value, type) or type(value).__module__ == "typing":
        try:
            return admit(value[index])
        except Exception:
            return Unknown("a subscripted type")
    if isinstance(value, (list, tuple, dict)) and type(index) is not Unknown and unknown_in(index) is None:
        lost = is_grown(value)
        if lost is not None:
            if type(index) is slice:
                return _part_of(value, lost)
            if isinstance(value, collections.defaultdict) and index not in value:
                return _of_any_key(env.run, value, index)
            try:
                return value_in(value, same) if isinstance(value, dict) else kind_of_items(value, same)
            except LookupError:
                return lost
        if isinstance(value, collections.defaultdict) and value.default_factory is not None:
            env.run.journal.note(CONTENTS, value)
        try:
            return admit(value[index])
        except Exception as error:
            return env.run.absorb(error, value, index)
    if isinstance(value, collections.defaultdict) and value.default_factory is not None:
        return _of_any_key(env.run, value, index)
    if type(index) is slice and type(value) is list:
        lost = unknown_in(index)
        assert lost is not None
        return _part_of(value, lost)
    if type(value) is not arrays.Array:
        index = decided(index)
    if isinstance(value, (list, tuple, dict)) and type(index) is Unknown:
        try:
            if is_grown(value) is not None:
                return value_in(value, same) if isinstance(value, dict) else kind_of_items(value, same)
        except LookupError:
            return is_grown(value)
        items = list(value.values()) if isinstance(value, dict) else list(value)
        if items and all(type(item) in (int, float) for item in items):
            return worlds.one_of(items, index.why)
        if 0 < len(items) <= _ALIKE:
            return env.run.join(items)
    return admit(apply(env, span, "[]", operator.getitem, [value, index]))


def _part_of(value: Any, lost: Unknown) -> Any:
    """A slice of a list of nobody knows how many items, or of nobody knows which."""
    mark = mark_of(value)
    if not isinstance(value, list) or (mark is not None and not mark.alike):
        return Unknown(lost.why)
    made = list(value)
    grown(made, lost.why, alike=True)
    return made


def _mark_among(sets: list[Any]) -> Mark | None:
    """The mark of one of two sets, if nobody knows how many items it has."""
    if not all(isinstance(one, (set, frozenset)) for one in sets):
        return None
    return next((mark for one in sets if (mark := mark_of(one)) is not None), None)


def put_together(run: Run, parts: list[Any], why: str, in_place: bool) -> Any:
    """Two lists, deques or sets in one, of which nobody knows how many items one has. `in_place`: the first becomes longer."""
    marks = [mark for one in parts if (mark := mark_of(one)) is not None]
    made = parts[0] if in_place else parts[0].copy()
    if in_place:
        run.journal.note(CONTENTS, made)
    (made.update if isinstance(made, set) else made.extend)(parts[1])
    grown(made, why, alike=all(mark.alike for mark in marks))
    return made


def store_subscript(env: Env, span: Span, value: Any, index: Any, new: Any) -> None:
    """`value[index] = new`."""
    run, value = env.run, likely(value)
    if type(value) is Unknown:
        return
    if isinstance(value, (list, dict)):
        run.journal.note(CONTENTS, value)
        if unknown_in(index) is not None:
            _set_anywhere(run, value, index, new)
            return
    if isinstance(value, dict) and run.modules.is_names(value):
        run.journal.note(NAME, value, index)
    if isinstance(value, (list, dict)):
        try:
            value[index] = new
        except Exception as error:
            run.absorb(error)
        return
    if isinstance(value, torch.Tensor) and unknown_in((index, new)) is not None:
        if (type(new) is Unknown and new.sample is NO_SAMPLE) or (
            isinstance(new, torch.Tensor) and new.requires_grad
        ):
            doubts.may_require_grad(value)
    apply(env, span, "[]=", operator.setitem, [value, index, new])


def _set_anywhere(run: Run, value: Any, index: Any, new: Any) -> None:
    """An item is set at an unknown index: of a list any may be the new one, of a dict there may be one more."""
    one = type(index) is Unknown and type(index.sample) is int
    if one and isinstance(value, list) and len(value) <= _ALIKE and is_grown(value) is None:
        doubts.choose(doubts.ROUNDS)
        value[:] = [join(item, new, same) for item in value]
        doubts.choose(None)
    elif isinstance(value, list) and type(index) is slice and type(new) is list:
        mark = mark_of(value)
        value.extend(new)  # those that it replaces may be others
        grown(value, "set at an unknown index", alike=mark is None or mark.alike)
    elif type(value) in DICTS:
        fill(value, "set at an unknown index", new, index, same)
    else:
        grown(value, "set at an unknown index")


_LISTS = (list, set, collections.deque)


def _of_any_key(run: Run, value: Any, key: Any) -> Any:
    """`value[key]` of a defaultdict that may or may not have the key: what it made, or makes now, for it.

    One container stands for those of all keys that are not known: it has items such as are put into any of them.
    """
    why, make, mark = "read at an unknown key", value.default_factory, mark_of(value)
    run.journal.note(CONTENTS, value)
    if make in (int, float):
        fill(value, why, 0 if make is int else 0.0, key, same)
        return worlds.number(why) if make is int else worlds.real(why)
    if make not in _LISTS or (mark is not None and type(mark.of) is not make):
        grown(value, why)
        return Unknown(why)
    for one in value.values():
        if type(one) is make:
            run.journal.note(CONTENTS, one)
            grown(one, why)  # it may be the one that is changed through what is given here
    made = make() if mark is None else mark.of
    grown(made, why, alike=not value and ((seen := mark_of(made)) is None or seen.alike))
    grown(value, why, of=made, key=key if mark is None else join(mark.key, key, same))
    return made


def delete_subscript(env: Env, span: Span, value: Any, index: Any) -> None:
    """`del value[index]`."""
    if type(value) is Unknown:
        return
    if isinstance(value, (list, dict)):
        env.run.journal.note(CONTENTS, value)
        mark = mark_of(value)
        if mark is not None and index == slice(None) and not env.run.ways:
            value.clear()
            put_mark(value, None)
            return
        if mark is not None or unknown_in(index) is not None:
            alike = isinstance(value, list) and (mark is None or mark.alike)
            grown(value, "deleted from at an unknown index", alike)
            return
    if isinstance(value, dict) and env.run.modules.is_names(value):
        env.run.journal.note(NAME, value, index)
    apply(env, span, "del []", operator.delitem, [value, index])


def truth(env: Env, value: Any) -> bool | None:
    """Whether a value is true; None where nobody knows."""
    if value is True or value is False or value is None:
        return bool(value)
    if type(value) is Unknown or is_grown(value) is not None:
        return None
    try:
        return bool(value)
    except BudgetExhausted:
        raise
    except Exception:
        return None
