"""The gate: every call of the interpreted program goes through `call`."""

from __future__ import annotations

import collections
import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ..vocabulary.events import Failure
from ..vocabulary.span import Span
from . import doubts, entries, natives, texts, values, worlds
from .attributes import admit, callable_listed, may_hold
from .control import BudgetExhausted
from .devices import common, place, tensors_in
from .failures import failed
from .meant import meant
from .own import interpreted_class, is_interpreted
from .recorder import holds_tensor, same
from .shims import SHIMS, real
from .state import CONTENTS, grown, grown_in, is_grown, kind_of_items, mark_of, unknown_in
from .unknown import Lost, Unknown, decided, likely
from .wall import allowed, namespaces

if TYPE_CHECKING:
    from .run import Env, Run

SLOTS = {slot.__name__: slot for slot in (object.__getattribute__, object.__setattr__, object.__delattr__)}
"""Called on an object (`super().__setattr__(...)`) they are called as what they are: see `shims.builtins`."""

MUTATORS = frozenset(
    "append extend insert pop remove clear update setdefault add discard sort reverse popitem appendleft popleft "
    "extendleft rotate subtract move_to_end difference_update intersection_update symmetric_difference_update".split()
)
_PASSIVE = (
    isinstance,
    issubclass,
    callable,
    type,
    list,
    tuple,
    dict,
    set,
    zip,
    enumerate,
    reversed,
    iter,
    id,
    slice,
)
_TOLERANT = {id(function) for function in _PASSIVE}
"""Builtins that may be handed an Unknown inside a container: they do not look at the items."""
_WALKS = {id(function) for function in (list, tuple, dict, set, zip, enumerate, reversed, iter)}
"""Those of them that go over the items: of a container of unknown length they give the same."""
_TAKE_NUMBERS = {id(torch.tensor), id(torch.as_tensor)}
"""Calls that may be handed a numpy scalar whose value is not known: only its dtype matters."""
_COUNTED = (list, tuple, dict, set, collections.deque)
"""Containers whose length is known, whatever is known of their items."""
_LONG = 1_000_000
_MANY = 20_000
"""Tensors in one list that a call may be given: `torch.cat` of as many takes seconds, and cannot be stopped."""
_LOOKED_AT = 64
"""Values of a dict that are looked at where its key is not known."""
_LAZY = {id(f) for f in (iter, enumerate, zip, map, filter, reversed, len, isinstance, type, callable)}
"""Builtins that do not walk over what they are given."""
_HEAVY = {"backward": 20, "step": 10}


def call(env: Env, span: Span, function: Any, args: Sequence[Any], kwargs: dict[str, Any], shown: str) -> Any:
    """Call a value. `shown` is how the source names it. Raises only what an `except` of the user's catches."""
    run, function = env.run, likely(function)
    if type(function) is Unknown:
        if function.options:
            return _any_of(env, span, function, args, kwargs, shown)
        if function.answer is not None:
            try:
                return function.answer(*args, **kwargs)
            except Exception as error:
                return run.absorb(error, function)
        _may_change(args, function.why)
        entries.hand_over(run, args, kwargs)
        run.unfollowed += 1
        return Unknown(function.why, function.tensor)
    if not callable(function):
        return run.absorb(TypeError(f"'{type(function).__name__}' object is not callable"), function)
    run.budget.step()
    run.site = span
    if isinstance(function, types.GenericAlias) or type(function).__module__ == "typing":
        function = getattr(function, "__origin__", function)
    if isinstance(function, types.MethodWrapperType) and function.__name__ in SLOTS:
        args, function = [function.__self__, *args], SLOTS[function.__name__]
    if run.changed_layers and isinstance(function, nn.Module) and _is_changed(run, function):
        return Unknown("a method of this layer was replaced", True)
    if is_interpreted(function) and isinstance(function, types.FunctionType):
        return _into(env, span, function, args, kwargs)
    if SHIMS.get(_key(function)) is None and not callable_listed(function):
        _may_change(args, shown)
        entries.hand_over(run, args, kwargs)
        run.unfollowed += 1
        return Unknown(f"{shown} is not followed")
    if any(callable(item) and not may_hold(item) for item in (*args, *kwargs.values())):
        return Unknown(f"what {shown} is given is not followed")
    if not allowed.is_on_its_own(function, args, kwargs):
        return Unknown(f"{shown} on something that is not its own")
    if _too_long(function, args):
        return Unknown("too long a text to follow")
    if any(type(arg) in (list, tuple) and len(arg) > _MANY and _is_tensor(arg[0]) for arg in args):
        return Unknown("too many tensors to follow")
    if (
        any(isinstance(item, range) and len(item) > _LONG for item in args)
        and id(real(function)) not in _LAZY
    ):
        return Unknown("too many items to follow")
    if type(function) is types.BuiltinMethodType and (place := _place_in(function, args)) is not None:
        return place
    if id(real(function)) in texts.GATHER:
        lost = next((found for arg in args if (found := _uncounted(arg)) is not None), None)
        try:
            if lost is not None:
                return _gathered(env, span, function, args, kwargs, lost, shown)
        except LookupError:
            pass
    lost = None if _takes_unknowns(function, args) else unknown_in((*args, *kwargs.values()))
    if lost is not None and real(function) is len and type(args[0]) in _COUNTED and is_grown(args[0]) is None:
        lost = None
    if lost is not None and id(function) in _TAKE_NUMBERS:
        lost = unknown_in((*args, *kwargs.values()), undecided=False)
    if lost is None and id(real(function)) in _WALKS:
        lost = next((found for arg in args if (found := is_grown(arg)) is not None), None)
    if lost is not None:
        args, kwargs = [decided(arg) for arg in args], {key: decided(arg) for key, arg in kwargs.items()}
        return _guessed(env, span, function, args, kwargs, lost)
    return _native(env, span, function, args, kwargs)


def _is_changed(run: Run, layer: nn.Module) -> bool:
    """Whether torch itself would run a method that the file has replaced."""
    if is_interpreted(type(layer).forward):
        return False
    return any(isinstance(part, tuple(run.changed_layers)) for part in layer.modules())


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def _any_of(
    env: Env, span: Span, function: Unknown, args: Sequence[Any], kwargs: dict[str, Any], shown: str
) -> Any:
    """Call what is one of a few: each in turn, from the same state."""
    values: list[Any] = []

    def way(option: Any) -> Any:
        return lambda: values.append(call(env, span, option, args, kwargs, shown))

    env.run.both(env, [way(option) for option in function.options])
    return env.run.join(values) if values else Unknown("every way through this call fails")


def _guessed(
    env: Env, span: Span, function: Any, args: Sequence[Any], kwargs: dict[str, Any], lost: Unknown
) -> Any:
    """A call with an unknown argument: torch's is made with numbers of this world in their place, if there are."""
    asked = real(function)
    if asked is len and len(args) == 1 and not kwargs:
        return _length(env, likely(args[0]), lost)
    owner = getattr(function, "__self__", None)
    if isinstance(owner, str) and (made := texts.given(function.__name__, lost.why)) is not None:
        return made
    if type(owner) is dict and function.__name__ == "get":
        found = [*owner.values(), *(args[1:] or [None])]
        if all(type(one) in (int, float) for one in found):
            return worlds.one_of(found, lost.why)
        if len(found) <= _LOOKED_AT:
            return env.run.join(found)
    if worlds.is_pure(asked) and not kwargs:
        return worlds.computed(asked, args, lost.why)
    name, _, worth = _named(function, args)
    if worth or name.startswith("torch."):
        args, kwargs = (
            [_each_likely(arg) for arg in args],
            {k: _each_likely(arg) for k, arg in kwargs.items()},
        )
        still = unknown_in((*args, *kwargs.values()))
        if still is None:
            return _native(env, span, function, args, kwargs, guessed=lost)
        lost = still
        free = _only_values(name, args, kwargs)
        try:
            plain = [_number_for(arg) for arg in args], {key: _number_for(arg) for key, arg in kwargs.items()}
            if not free:
                worlds.use()
        except (LookupError, Lost):
            return _unasked(env, span, function, args, kwargs, lost)
        result = _native(env, span, function, *plain, guessed=lost)
        if free:
            for tensor in tensors_in(result):
                values.hold_sample(tensor, tensor)
        elif isinstance(result, torch.Tensor):
            values.hold_no_whole(result)
        return result
    return _unasked(env, span, function, args, kwargs, lost)


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


def _place_in(method: types.BuiltinMethodType, args: Sequence[Any]) -> Unknown | None:
    """`items.index(thing)` of what is not known: one of their places."""
    items: Any = method.__self__
    if (
        method.__name__ != "index"
        or type(items) not in (list, tuple)
        or len(args) != 1
        or type(args[0]) is not Unknown
    ):
        return None
    known = items and is_grown(items) is None
    return worlds.between(0, len(items) - 1, args[0].why) if known else worlds.number(args[0].why)


def _uncounted(arg: Any) -> Unknown | None:
    """An Unknown in place of what has nobody knows how many items, else None."""
    return arg if type(arg) is Unknown else is_grown(arg)


def _gathered(
    env: Env,
    span: Span,
    function: Any,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    lost: Unknown,
    shown: str,
) -> Any:
    """What goes over items, of nobody knows how many. Raises LookupError where the items are not known."""
    return texts.gathered(
        real(function), args, kwargs, lost.why, lambda of, item: call(env, span, of, [item], {}, shown)
    )


def _length(env: Env, value: Any, lost: Unknown) -> Any:
    """The length of what is not known, or of a container in which something is not."""
    if type(value) is Unknown:
        return worlds.length(lost.why)
    if is_grown(value) is not None:
        return worlds.count(lost.why)
    try:
        return len(value)
    except Exception as error:
        return env.run.absorb(error)


def _number_for(arg: Any) -> Any:
    """An argument with numbers in place of unknown ones, and a list of unknown length as one of some length."""
    if is_grown(arg) is not None:
        return [worlds.sampled(likely(kind_of_items(arg, same)))] * worlds.count("").sample
    if type(arg) in (list, tuple) and grown_in(arg) is not None:
        return type(arg)([_number_for(item) for item in arg])
    return worlds.sampled(arg)


def _may_change(args: Sequence[Any], why: str) -> None:
    """A call that is not followed may change the lists it is given (`random.shuffle`, `heapq.heappush`)."""
    for arg in args:
        if isinstance(arg, (list, set, collections.deque)):
            grown(arg, why)


def _too_long(function: Any, args: Sequence[Any]) -> bool:
    """Whether a method of a text would make a far longer one."""
    text = getattr(function, "__self__", None)
    if not isinstance(text, (str, bytes)) or not isinstance(function, types.BuiltinMethodType):
        return False
    if function.__name__ == "replace":
        return len(text) * max((len(arg) for arg in args if isinstance(arg, (str, bytes))), default=0) > _LONG
    return any(isinstance(arg, int) and arg > _LONG for arg in args)


def _takes_unknowns(function: Any, args: Sequence[Any]) -> bool:
    """Whether a call may go ahead with unknown arguments: the user's own code, and what does not look at them."""
    if isinstance(function, types.BuiltinMethodType):
        owner = function.__self__
        if isinstance(owner, dict) and args and function.__name__ != "update":
            return unknown_in(args[0]) is None
        return isinstance(owner, (list, dict, collections.deque)) and all(
            is_grown(arg) is None for arg in args
        )
    if isinstance(function, types.MethodType):
        return is_interpreted(function.__func__) or id(function.__func__) in allowed.TAKES_UNKNOWNS
    if isinstance(function, type) and (interpreted_class(function) or issubclass(function, BaseException)):
        return True
    return (
        id(real(function)) in _TOLERANT
        or id(function) in allowed.TAKES_UNKNOWNS
        or (isinstance(function, nn.Module) and interpreted_class(type(function)))
    )


def _unasked(
    env: Env, span: Span, function: Any, args: Sequence[Any], kwargs: dict[str, Any], lost: Unknown
) -> Any:
    """A call that is not made, because an argument is not known."""
    env.run.unfollowed += 1
    changed = _changed(function)
    if changed is not None:
        env.run.journal.note(CONTENTS, changed)
        grown(changed, lost.why)
    name, full, worth = _named(function, args)
    result: Any = Unknown(lost.why, worth and _gives_tensor(name, function))
    natives.lose(env.run, name, full, lost)
    if full and isinstance(full[0], torch.Tensor) and name.endswith("_") and not name.endswith("__"):
        result = full[0]  # written in place: whatever was written, it is the same tensor
        if name in natives.SHAPES:
            doubts.lose(result)
        elif name not in _FILLS:
            doubts.may_require_grad(result)
    if worth:
        env.run.recorder.op(env.run.frames[-1], span, name, full, kwargs, result, None)
    return result


_FILLS = frozenset("masked_fill_ zero_ normal_ uniform_ bernoulli_ random_ requires_grad_".split())
"""Writes of what never requires grad."""


def _native(
    env: Env,
    span: Span,
    function: Any,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    guessed: Unknown | None = None,
) -> Any:
    """Make the call, and write it down if it is torch's. One with a guessed argument never fails."""
    run = env.run
    name, full, worth = _named(function, args)
    changed = _changed(function)
    if changed is not None:
        run.journal.note(CONTENTS, changed)
    required_grad = False
    if run.ways:
        natives.note(run, name, full)
        required_grad = bool(full) and isinstance(full[0], torch.Tensor) and full[0].requires_grad
    run.budget.op(_HEAVY.get(name, 1))
    worth = worth and not run.recorder.quiet[run.frames[-1]]
    before = [run.recorder.describe(item) for item in full] if worth else None
    shim = SHIMS.get(_key(function))
    failure: Failure | None = None
    try:
        if run.attempt is not None:
            run.attempt.calling(function, args)
        if shim is None:
            result = admit(function(*args, **kwargs))
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
        if raises is not None:
            run.recorder.op(run.frames[-1], span, name, full, kwargs, result, failure)
            raise raises from None
        if changed is not None and failure is None:
            grown(changed, result.why)
        changed = None
        if failure is not None:
            worth, instead = True, meant(name, full, kwargs)
            result = result if instead is None else instead
    if changed is not None:
        for arg in args:
            if (mark := mark_of(arg)) is not None and name != "append":  # of unknown length itself
                grown(changed, mark.why, mark.alike)
    if run.attempt is not None:
        run.attempt.called(run, span, name, args, result)
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


def _home(function: Any) -> str:
    """The module in which a Python function was written, whatever it is wrapped around."""
    return str(getattr(function, "__globals__", {}).get("__name__", ""))


def _changed(function: Any) -> Any | None:
    """The container that a method of it is about to change."""
    if isinstance(function, (types.BuiltinMethodType, types.MethodType)) and function.__name__ in MUTATORS:
        target = function.__self__
        if isinstance(target, (list, dict, set, collections.deque)):
            return target
    return None


def _key(function: Any) -> int:
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


def _into(env: Env, span: Span, function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """A call of the user's own function."""
    try:
        return function(*args, **kwargs)
    except BudgetExhausted:
        raise
    except Lost as error:
        return Unknown(error.why)
    except Exception as error:
        return env.run.absorb(error)


def _named(function: Any, args: Sequence[Any]) -> tuple[str, list[Any], bool]:
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


def _gives_tensor(name: str, function: Any) -> bool:
    """Whether a call of torch's surely gives one tensor, whatever its arguments."""
    if isinstance(function, nn.Module):
        return isinstance(
            function,
            (nn.Linear, nn.LayerNorm, nn.ReLU, nn.GELU, nn.Dropout, nn.Embedding, nn.Conv2d, nn.BatchNorm2d),
        )
    short = name.rsplit(".", 1)[-1]
    return short in namespaces.TENSOR_TO_TENSOR
