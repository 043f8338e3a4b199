"""Operators of the interpreted program."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import torch

from ...vocabulary.events import Failure
from ...vocabulary.span import Span
from .. import arrays
from ..control import BudgetExhausted
from ..log.facts import holds_tensor
from ..refusals.failures import failed
from ..refusals.meant import meant
from ..state import CONTENTS
from ..stdlib import formatting
from ..unknowns import values
from ..unknowns.grown import is_grown
from ..unknowns.joining import one_of
from ..unknowns.unknown import MISSING, Unknown, likely
from ..worlds import worlds
from . import lost_operands, natives
from .own import interpreted_class

if TYPE_CHECKING:
    from ..run import Env, Run

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
_ARITHMETIC = frozenset("+ - * / ** // % @".split())
_QUICK = frozenset("+ - * / // % < <= > >= == != += -= *= /= //= %=".split())
_WORD = 2**63
_BITS = 100_000
_ITEMS = 1_000_000


def apply(env: Env, span: Span, name: str, function: Callable[..., Any], operands: list[Any]) -> Any:
    """One operator on its operands; an event where a tensor is among them."""
    run = env.run
    run.budget.step()
    if name in _QUICK and _are_short(operands):
        try:
            return _of_numbers(run, span, name, function, operands)
        except ArithmeticError:
            pass
    if name not in lost_operands.COMPARES:
        operands = [likely(operand) for operand in operands]
    worth = any(isinstance(operand, torch.Tensor) for operand in operands)
    found = lost_operands.decided(env, name, function, operands)
    if found is not MISSING:
        return found
    guessed = lost_operands.guess(name, function, operands, worth)
    if type(guessed) is list:
        operands = guessed
    elif guessed is not None:
        return guessed
    if name.rstrip("=") in _ARITHMETIC and any(type(one) is Unknown and one.either for one in operands):
        return _with_each(env, span, name, function, operands)
    found = lost_operands.absorbed(env, span, name, function, operands, worth)
    if found is not MISSING:
        return found
    if name.rstrip("=") == "%" and isinstance(operands[0], (str, bytes)):
        return formatting.percent(*operands)
    if too_large(name, operands):
        return Unknown("too large a value to follow")
    if name in ("+", "+=") and any(type(one) is torch.Size for one in operands):
        operands = _as_tuples(operands)
    return _applied(env, span, name, function, operands, worth, guessed is not None)


def _as_tuples(sizes: list[Any]) -> list[Any]:
    """Two parts of a shape, of which one has a size that nobody knows: torch's own tuple of sizes holds numbers alone."""
    if all(type(one) in (torch.Size, tuple) for one in sizes) and any(
        Unknown in map(type, one) for one in sizes
    ):
        return [tuple(one) for one in sizes]
    return sizes


def _of_numbers(run: Run, span: Span, name: str, function: Binary, operands: list[Any]) -> Any:
    run.site = span
    if run.attempt is None:
        return function(*operands)
    run.attempt.begins(run, span, name)
    result = function(*operands)
    run.attempt.applied(run, span, name, operands, result)
    return result


def _applied(
    env: Env,
    span: Span,
    name: str,
    function: Callable[..., Any],
    operands: list[Any],
    worth: bool,
    is_guess: bool,
) -> Any:
    """Python's own answer, or torch's. `worth`: a tensor is among the operands. `is_guess`: so is a number of this world, so that nothing fails."""
    run = env.run
    changes = name.endswith("=") and name not in lost_operands.COMPARES
    if changes and isinstance(operands[0], (list, dict, set)):
        run.journal.note(CONTENTS, operands[0])
        run.perhaps(env, operands[0], lambda other: function(other, *operands[1:]))
    run.site = span
    noted = worth and not run.recorder.quiet[run.frames[-1]]
    before = [run.recorder.describe(operand) for operand in operands] if noted else None
    failure: Failure | None = None
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
        if is_guess:
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
            if any(type(o) is arrays.Array or _is_of_tensors(o) for o in operands):
                run.recorder.op(run.frames[-1], span, name, operands, {}, result, failure)
            return operands[0] if name in lost_operands.IN_PLACE else result
    if is_guess:
        if lost_operands.writes(name) and isinstance(operands[0], torch.Tensor):
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


def _is_of_tensors(operand: Any) -> bool:
    """Whether it is what a call gave instead of one tensor: `x.max(1)`, which has values and indices; `lstm(x)`."""
    return isinstance(operand, (tuple, list)) and bool(operand) and holds_tensor(operand)


def _are_short(operands: list[Any]) -> bool:
    """Whether these are two plain numbers of at most 64 bits: Python's own arithmetic is all there is to them."""
    for operand in operands:
        if type(operand) is not float and not (type(operand) is int and -_WORD < operand < _WORD):
            return False
    return len(operands) == 2


def _with_each(env: Env, span: Span, name: str, function: Callable[..., Any], operands: list[Any]) -> Any:
    """An operator on what is one of a few tensors and numbers: if it gives the same of each, that is known.

    What is refused of one of them is no mistake unless all are: a condition before may have asked which one it is.
    """
    run, recorder = env.run, env.run.recorder
    at, lost = next((i, one) for i, one in enumerate(operands) if type(one) is Unknown and one.either)

    def of_each() -> list[Any]:
        return [
            apply(env, span, name, function, [*operands[:at], one, *operands[at + 1 :]])
            for one in lost.either
        ]

    mute, recorder.mute = recorder.mute, True
    run.contrary += 1
    try:
        given = of_each()
    except Exception:
        given = [Unknown(lost.why)]
    finally:
        recorder.mute = mute
        run.contrary -= 1
    if len(given) > 1 and all(type(one) is Unknown and not one.either for one in given):
        given = of_each()
    lost_again = next((one for one in given if type(one) is Unknown and not one.either), None)
    every = [term for one in given for term in (one.either if type(one) is Unknown else (one,))]
    result = one_of(every, lost.why) if lost_again is None else Unknown(lost.why, lost_again.tensor)
    if any(isinstance(one, torch.Tensor) for one in (*operands, *lost.either)):
        recorder.op(run.frames[-1], span, name, operands, {}, result, None)
    return result


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


def decides(env: Env, span: Span, value: Any) -> bool | None:
    """The truth of what a condition comes to: torch refuses that of several elements, as some dim that no data decides has.

    Inputs that are made up may have one in truth.
    """
    if isinstance(value, torch.Tensor) and env.run.attempt is None:
        if any(size > 1 and not worlds.is_of_given(size) for size in value.shape):
            apply(env, span, "bool", bool, [value])
            return None
    return truth(env, value)


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
