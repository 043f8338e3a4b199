"""Calls with arguments that are not known: what they give all the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ...vocabulary.span import Span
from ..fakes.devices import tensors_in
from ..log.facts import same
from ..shims import real
from ..state import CONTENTS
from ..unknowns import doubts, samples, taken, texts, values
from ..unknowns.alike import kind_of_items, with_unknown
from ..unknowns.grown import grown_in, is_grown, unknown_in
from ..unknowns.lengths import length_of, many_in
from ..unknowns.unknown import NO_SAMPLE, TRUTH, Lost, Undecided, Unknown, likely, yes_or_no
from ..wall import namespaces
from ..worlds import worlds
from . import natives, unfamiliar
from .making import changed_by, make, named
from .within import run_within

if TYPE_CHECKING:
    from ..run import Env

_LOOKED_AT = 64
"""Values of a dict that are looked at where its key is not known."""


def guessed_call(
    env: Env, span: Span, function: Any, args: Sequence[Any], kwargs: dict[str, Any], lost: Unknown
) -> Any:
    """A call with an unknown argument: torch's is made with numbers of this world in their place, if there are."""
    asked = real(function)
    if asked is len and len(args) == 1 and not kwargs:
        return _length(env, likely(args[0]), lost)
    if asked is bool and len(args) == 1 and not kwargs:
        return yes_or_no(lost.why)
    owner = getattr(function, "__self__", None)
    if isinstance(owner, str) and (made := texts.given(function.__name__, lost.why)) is not None:
        return made
    if type(owner) is dict and function.__name__ == "get":
        found = [*owner.values(), *(args[1:] or [None])]
        if all(type(one) in (int, float) for one in found):
            return worlds.one_of(found, lost.why)
        if len(found) <= _LOOKED_AT:
            return env.run.join(found)
    if samples.is_pure(asked) and not kwargs:
        made = samples.computed(asked, args, lost.why)
        if asked in _CONVERSIONS and len(args) == 1 and lost.kind == TRUTH:
            return _CONVERSIONS[asked](lost.why)
        return _GIVES[asked](lost.why) if made.sample is NO_SAMPLE and asked in _GIVES else made
    name, full, worth = named(function, args)
    if worth or name.startswith("torch."):
        args, kwargs = (
            [_each_likely(arg) for arg in args],
            {k: _each_likely(arg) for k, arg in kwargs.items()},
        )
        still = unknown_in((*args, *kwargs.values()))
        if still is None:
            return make(env, span, function, args, kwargs, guessed=lost)
        lost = still
        if env.run.attempt is None:
            taken.take(asked, args, kwargs)
        free = _only_values(name, args, kwargs)
        if free:
            args, values_of = (
                samples.beside_floats(some, [*full, *kwargs.values()])
                for some in (args, list(kwargs.values()))
            )
            kwargs = dict(zip(kwargs, values_of))
        try:
            plain = [_number_for(arg) for arg in args], {key: _number_for(arg) for key, arg in kwargs.items()}
            if not free:
                worlds.use()
                worlds.take()
        except (LookupError, Lost):
            return _unasked(env, span, function, args, kwargs, lost)
        result = make(env, span, function, *plain, guessed=lost)
        if free:
            for tensor in tensors_in(result):
                values.hold_sample(tensor, tensor)
        elif isinstance(result, torch.Tensor):
            values.hold_no_whole(result)
        return result
    return _unasked(env, span, function, args, kwargs, lost)


_CONVERSIONS: dict[Any, Callable[[str], Unknown]] = {int: worlds.number, float: worlds.real}
"""What they make of a truth value."""
_FLOATS = (
    "acos acosh asin asinh atan atan2 atanh copysign cos cosh degrees dist erf exp expm1 fabs fmod fsum gamma "
    "hypot ldexp lgamma log log10 log1p log2 pow radians remainder sin sinh sqrt tan tanh"
)
_GIVES: dict[Any, Callable[[str], Unknown]] = _CONVERSIONS | {
    getattr(math, name): worlds.real for name in _FLOATS.split()
}
"""Functions that give a float, or an integer, whatever they are given."""
_OF_VALUES = frozenset(
    "tensor as_tensor fill_ masked_fill masked_fill_ clamp clamp_ clip clip_ clamp_min clamp_max add add_ sub sub_ mul mul_ "
    "div div_ true_divide pow lerp lerp_ addcmul addcmul_ addcdiv addcdiv_ threshold dropout dropout_ uniform_ normal_ "
    "exponential_ bernoulli_ where eq ne lt le gt ge isclose nan_to_num leaky_relu elu huber_loss smooth_l1_loss "
    "cross_entropy clip_grad_norm_ clip_grad_value_ step".split()
)
"""Calls whose numbers decide what is in their results, and no other fact of them."""
_OF_A_FILL = {"full": 1, "full_like": 1, "new_full": 1}
"""Calls of which this argument does no more, and `fill_value` by name."""


def _only_values(name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Whether what is not known of the arguments decides nothing but the values of what a call gives."""
    if any(grown_in(arg) is not None for arg in (*args, *kwargs.values())):
        return False
    short = name.rsplit(".", 1)[-1]
    if short in _OF_VALUES:
        return True
    if name == "torch.randint" and args:  # how far it goes: its size comes last
        return (
            unknown_in((args[-1], *(arg for key, arg in kwargs.items() if key not in ("low", "high"))))
            is None
        )
    fill = _OF_A_FILL.get(short)
    rest = [arg for at, arg in enumerate(args) if at != fill]
    rest += [arg for key, arg in kwargs.items() if key != "fill_value"]
    return fill is not None and unknown_in(rest) is None


def _each_likely(arg: Any) -> Any:
    """An argument, and what is in it, as they are if they are not None: else the call would raise, or go without."""
    if is_grown(arg) is not None:
        return arg
    if type(arg) in (list, tuple) and any(likely(item) is not item for item in arg):
        return type(arg)([likely(item) for item in arg])
    return likely(arg)


def _length(env: Env, value: Any, lost: Unknown) -> Any:
    """The length of what is not known, or of a container in which something is not."""
    if type(value) is Unknown:
        return worlds.length(lost.why)
    if is_grown(value) is not None:
        return length_of(value, lost.why)
    try:
        return len(value)
    except Exception as error:
        return env.run.absorb(error)


def _number_for(arg: Any, depth: int = 3) -> Any:
    """An argument with numbers in place of unknown ones, and a list of unknown length as one of some length."""
    if is_grown(arg) is not None:
        return [_number_for(likely(kind_of_items(arg, same)), depth - 1)] * (many_in(arg) or 1)
    if isinstance(arg, Undecided):
        return arg
    if depth and type(arg) in (list, tuple) and unknown_in(arg) is not None:
        return type(arg)([_number_for(item, depth - 1) for item in arg])
    return samples.sampled(arg)


def _unasked(
    env: Env, span: Span, function: Any, args: Sequence[Any], kwargs: dict[str, Any], lost: Unknown
) -> Any:
    """A call that is not made, because an argument is not known."""
    env.run.unfollowed += 1
    changed = changed_by(function)
    if changed is not None:
        env.run.journal.note(CONTENTS, changed)
        with_unknown(changed, function.__name__, args, lost.why)
        env.run.perhaps(env, changed, lambda other: with_unknown(other, function.__name__, args, lost.why))
    name, full, worth = named(function, args)
    result = run_within(env, span, function, args, kwargs, lost.why)
    if type(result) is Unknown and not result.tensor:
        result = Unknown(lost.why, worth and _gives_tensor(name, function))
    natives.lose(env.run, name, full, lost)
    unfamiliar.left_out(function, full, lost.why)
    if full and isinstance(full[0], torch.Tensor) and name.endswith("_") and not name.endswith("__"):
        result = full[0]  # written in place: whatever was written, it is the same tensor
        values.overwritten(result)
        if name in natives.SHAPES:
            doubts.lose(result)
        elif name not in _FILLS:
            doubts.may_require_grad(result)
    if worth:
        env.run.recorder.op(env.run.frames[-1], span, name, full, kwargs, result, None)
    return result


_FILLS = frozenset("masked_fill_ zero_ normal_ uniform_ bernoulli_ random_ requires_grad_".split())
"""Writes of what never requires grad."""


def _gives_tensor(name: str, function: Any) -> bool:
    """Whether a call of torch's surely gives one tensor, whatever its arguments."""
    if isinstance(function, nn.Module):
        return isinstance(
            function,
            (nn.Linear, nn.LayerNorm, nn.ReLU, nn.GELU, nn.Dropout, nn.Embedding, nn.Conv2d, nn.BatchNorm2d),
        )
    short = name.rsplit(".", 1)[-1]
    return short in namespaces.TENSOR_TO_TENSOR
