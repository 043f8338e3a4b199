"""A call that is made for real, and what is written down of it."""

from __future__ import annotations

import collections
import math
import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ...vocabulary.events import Failure
from ...vocabulary.span import Span
from ..control import BudgetExhausted
from ..fakes.devices import common, place, tensors_in
from ..log.facts import holds_tensor
from ..refusals.failures import failed
from ..refusals.meant import meant
from ..shims import SHIMS, real
from ..state import CONTENTS
from ..stdlib import chance
from ..stdlib.patterns import Pattern
from ..unknowns.grown import grown, mark_of, put_mark
from ..unknowns.unknown import Unknown, yes_or_no
from ..wall import allowed
from . import natives, unfamiliar
from .admitted import admit
from .own import is_interpreted

if TYPE_CHECKING:
    from ..run import Env

MUTATORS = frozenset(
    "append extend insert pop remove clear update setdefault add discard sort reverse popitem appendleft popleft "
    "extendleft rotate subtract move_to_end difference_update intersection_update symmetric_difference_update".split()
)
_HEAVY = {"backward": 20, "step": 10}
_COLLECTIONS = (collections.deque, collections.defaultdict, collections.OrderedDict, collections.Counter)
_OF_PLAIN = 1 / 8
"""What a call weighs that Python is quickly done with: a vocabulary is made of many."""
_PLAIN = frozenset((str, list, dict, set, tuple, *_COLLECTIONS, Pattern))
_QUICK = frozenset(
    map(id, (len, range, int, float, str, min, max, abs, ord, chr, isinstance, zip, enumerate, iter, next))
) | frozenset(id(function) for function in vars(math).values() if callable(function))
"""Objects whose methods are such calls, and functions."""
_MAKES = frozenset(map(id, (list, dict, set, sorted, *_COLLECTIONS)))
"""Calls that give a container which was not there before."""


def make(
    env: Env,
    span: Span,
    function: Any,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    guessed: Unknown | None = None,
) -> Any:
    """Make the call, and write it down if it is torch's. One with a guessed argument never fails."""
    run = env.run
    name, full, worth = named(function, args)
    changed = changed_by(function)
    if changed is not None:
        run.journal.note(CONTENTS, changed)
        run.perhaps(env, changed, lambda other: getattr(other, name)(*args, **kwargs))
    required_grad = False
    if run.ways:
        natives.note(run, name, full)
        required_grad = bool(full) and isinstance(full[0], torch.Tensor) and full[0].requires_grad
    run.budget.op(_OF_PLAIN if _is_quick(function) else _HEAVY.get(name, 1))
    worth = worth and not run.recorder.quiet[run.frames[-1]]
    before = [run.recorder.describe(item) for item in full] if worth else None
    shim = SHIMS.get(key_of(function))
    failure: Failure | None = None
    try:
        if run.attempt is not None:
            run.attempt.begins(run, span, name)
            run.attempt.calling(function, args, kwargs)
        if shim is None:
            result = admit(function(*args, **kwargs))
            if isinstance(function, type) and (lost := unfamiliar.unmade(result)) is not None:
                result = Unknown(lost.why)
            if run.guard.foreign and _home(function).startswith("torch._functorch"):
                place(result, common(tensors_in((args, kwargs))))
        elif _is_bound(function):
            result = admit(shim(env, function.__self__, *args, **kwargs))
        else:
            result = admit(shim(env, *args, **kwargs))
    except BudgetExhausted:
        raise
    except Exception as error:
        result, failure, raises = failed(env, name, error, (*full, *kwargs.values()))
        if guessed is not None:
            result, failure, raises = Unknown(guessed.why, result.tensor), None, None
        if real(function) is bool and failure is None:
            result = yes_or_no(result.why)
        if raises is not None:
            run.recorder.op(run.frames[-1], span, name, full, kwargs, result, failure)
            raise raises from None
        if changed is not None and failure is None:
            _not_carried_out(name, changed, result)
            result = None if name == "sort" and type(changed) is list else result
        changed = None
        if failure is not None:
            if run.attempt is not None:
                run.recorder.op(run.frames[-1], span, name, full, kwargs, result, failure, before)
                run.attempt.ends()
            worth, instead = True, meant(name, full, kwargs)
            result = result if instead is None else instead
    if changed is not None:
        if name == "clear" and not run.ways:
            put_mark(changed, None)
        for arg in args:
            if (mark := mark_of(arg)) is not None and name != "append":  # of unknown length itself
                grown(changed, mark.why, mark.alike)
    if id(real(function)) in _MAKES:
        run.journal.born(result)
    if run.attempt is not None:
        run.attempt.called(run, span, name, args, result)
    if failure is None and guessed is None:
        natives.told(name, full)
    if run.ways and full:
        natives.changed(run, name, full[0], required_grad)
    if worth and (
        failure is not None
        or holds_tensor(full)
        or holds_tensor(result)
        or _keeps(full)
        or isinstance(result, nn.Module)
    ):
        run.recorder.op(run.frames[-1], span, name, full, kwargs, result, failure, before)
    return result


def _is_quick(function: Any) -> bool:
    if type(function) is types.MethodType and is_interpreted(function.__func__):
        return True  # what it does counts, not that it is called
    owner, number = type(getattr(function, "__self__", None)), id(real(function))
    return owner in _PLAIN or owner in allowed.QUICK_OWNERS or number in _QUICK or number in allowed.QUICK


def _not_carried_out(name: str, changed: Any, lost: Unknown) -> None:
    """A method would have changed a container, and nobody knows how: sorting leaves in it what is there."""
    if name != "sort" or type(changed) is not list:
        grown(changed, lost.why)
    elif mark_of(changed) is None:
        changed[:] = chance.in_some_order(list(changed), lost.why)


def _home(function: Any) -> str:
    """The module in which a Python function was written, whatever it is wrapped around."""
    return str(getattr(function, "__globals__", {}).get("__name__", ""))


def changed_by(function: Any) -> Any | None:
    """The container that a method of it is about to change."""
    if isinstance(function, (types.BuiltinMethodType, types.MethodType)) and function.__name__ in MUTATORS:
        target = function.__self__
        if isinstance(target, (list, dict, set, collections.deque)):
            return target
    return None


def key_of(function: Any) -> int:
    """The identity under which a call is shimmed: of a bound method, its function."""
    if isinstance(function, types.MethodType):
        return id(function.__func__)
    if _is_bound(function):
        return id(getattr(torch.Tensor, function.__name__, None))
    return id(function)


def _is_bound(function: Any) -> bool:
    """Whether a shim of it is to be given the object that it is bound to."""
    return isinstance(function, types.MethodType) or (
        type(function) is types.BuiltinMethodType and isinstance(function.__self__, torch.Tensor)
    )


def named(function: Any, args: Sequence[Any]) -> tuple[str, list[Any], bool]:
    """The name of a call in the log, what it is called on before its arguments, and whether it is worth an event."""
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, (types.ModuleType, type)):
        torchs = isinstance(owner, (torch.Tensor, nn.Module)) or type(owner).__module__.startswith("torch.")
        own = isinstance(function, types.MethodType) and is_interpreted(function.__func__)
        return function.__name__, [owner, *args], torchs and not own
    if isinstance(function, nn.Module):
        return f"{module_name(type(function))}()", [function, *args], True
    name = allowed.name_of(function)
    if name is None:
        name = getattr(function, "__name__", type(function).__name__)
        return (
            name,
            list(args),
            isinstance(function, (types.MethodDescriptorType, types.WrapperDescriptorType)),
        )
    return name, list(args), name.startswith(("torch.", "einops."))


def module_name(cls: type) -> str:
    """A module's class as people write it."""
    return f"nn.{cls.__name__}" if cls.__module__.startswith("torch.nn") else cls.__name__


def _keeps(full: Sequence[Any]) -> bool:
    """Whether the call is on a thing whose order of calls matters: an optimizer, a scheduler, a model."""
    return (
        bool(full) and type(full[0]).__module__.startswith(("torch.optim", "torch.amp", "torch.cuda.amp"))
    ) or (bool(full) and isinstance(full[0], nn.Module))
