"""Code of the file that torch's own would run, where that is given what nobody knows and is not called.

It must come by all the same: else what a function shows is only what its other calls are given.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from torch import nn
from torch.autograd import Function

from ...vocabulary.span import Span
from ..unknowns.unknown import Unknown
from ..wall import allowed
from .entries import arguments
from .own import is_interpreted

if TYPE_CHECKING:
    from ..run import Env

_RUN_WHAT_THEY_ARE_GIVEN = (
    "torch.func.",
    "torch.autograd.functional.",
    "torch.nn.utils.stateless.",
    "torch.utils.checkpoint.",
)
"""Functions of torch's whose arguments that can be called are called."""
_APPLY: Any = Function.apply.__func__


def run_within(
    env: Env, span: Span, function: Any, args: Sequence[Any], kwargs: dict[str, Any], why: str
) -> Any:
    """Run what is of the file in a call that is not made. Returns what the call gives, as far as that shows it."""
    if isinstance(function, nn.Module):
        return _through(env, span, function, args, kwargs, why)
    if (op := own_op(function)) is not None:
        _both_passes(env, span, op, args, kwargs, why)
        return Unknown(why, True)
    wrapped = inspect.unwrap(function) if isinstance(function, types.FunctionType) else function
    if wrapped is not function and _is_of_the_file(wrapped):  # `vmap(f)`
        _run(env, span, wrapped, why)
    elif (allowed.name_of(function) or "").startswith(_RUN_WHAT_THEY_ARE_GIVEN):
        run_given(env, span, args, kwargs, why)
    return Unknown(why)


def run_given(env: Env, span: Span, args: Sequence[Any], kwargs: dict[str, Any], why: str) -> None:
    """Run what is of the file among arguments: what they are given to calls it with it is not known what."""
    for given in (*args, *kwargs.values()):
        if _is_of_the_file(given):
            _run(env, span, given, why)


def _through(
    env: Env, span: Span, layer: nn.Module, args: Sequence[Any], kwargs: dict[str, Any], why: str
) -> Any:
    """What a layer gives: of the file's it is run, of torch's what is within it."""
    from .calls import call

    if is_interpreted(type(layer).forward):
        return call(env, span, layer, args, kwargs, type(layer).__name__)
    if not any(_is_of_the_file(part) for part in layer.modules()):
        return Unknown(why)
    if isinstance(layer, nn.Sequential):
        for part in layer:
            args, kwargs = [_through(env, span, part, args, kwargs, why)], {}
        return args[0]
    if isinstance(layer, (nn.DataParallel, nn.parallel.DistributedDataParallel)):
        return _through(env, span, layer.module, args, kwargs, why)
    for part in layer.children():
        if _is_of_the_file(part):
            _run(env, span, part, why)
    return Unknown(why)


def own_op(function: Any) -> type[Function] | None:
    """The `autograd.Function` of the file whose `apply` this is."""
    if not isinstance(function, types.MethodType) or function.__func__ is not _APPLY:
        return None
    op: Any = function.__self__
    return op if is_interpreted(op.forward) else None


def _both_passes(
    env: Env, span: Span, op: type[Function], args: Sequence[Any], kwargs: dict[str, Any], why: str
) -> None:
    from .calls import call

    is_apart = op.setup_context is not Function.setup_context
    context = [] if is_apart else [Unknown(why)]
    call(env, span, op.forward, [*context, *args], kwargs, f"{op.__name__}.forward")
    for method in (op.setup_context, op.backward):
        if is_interpreted(method):
            _run(env, span, method, why)


def _is_of_the_file(value: Any) -> bool:
    return is_interpreted(type(value).forward if isinstance(value, nn.Module) else value)


def _run(env: Env, span: Span, function: Any, why: str) -> None:
    """Run a function or a layer on what nobody knows."""
    from .calls import call

    is_layer = isinstance(function, nn.Module)
    taken = inspect.signature(function.forward if is_layer else function)
    given, named = arguments(taken, with_defaults=True)
    unknown = [Unknown(why, True) if type(one) is Unknown else one for one in given]
    call(env, span, function, unknown, named, getattr(function, "__name__", type(function).__name__))
