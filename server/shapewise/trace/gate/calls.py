"""The gate: every call of the interpreted program goes through `call`."""

from __future__ import annotations

import collections
import contextlib
import itertools
import operator
import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ...vocabulary.span import Span
from ..control import BudgetExhausted
from ..disk import lose
from ..log.facts import same
from ..shims import SHIMS, real
from ..state import CONTENTS
from ..unknowns import texts
from ..unknowns.alike import fill, value_in
from ..unknowns.grown import DICTS, any_grown, as_list, decided, grown, is_grown, unknown_in
from ..unknowns.lengths import together
from ..unknowns.unknown import Lost, Undecided, Unknown, likely
from ..wall import allowed
from ..worlds import worlds
from . import absent, copies, entries, lacking, ordered, resized, subscripts, unwritten
from .admitted import callable_listed, may_hold
from .guesses import guessed_call
from .lost_operands import put_together
from .making import key_of, make
from .own import interpreted_class, is_constructor, is_interpreted, is_on_its_class, own
from .within import own_op, run_given

if TYPE_CHECKING:
    from ..run import Env, Run

SLOTS = {slot.__name__: slot for slot in (object.__getattribute__, object.__setattr__, object.__delattr__)}
"""Called on an object (`super().__setattr__(...)`) they are called as what they are: see `shims.slots`."""
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
    getattr,
    setattr,
    object.__setattr__,
)
_TOLERANT = {id(function) for function in _PASSIVE}
"""Builtins that may be handed an Unknown inside a container: they do not look at the items."""
_PICK = {
    id(function)
    for function in (
        itertools.islice,
        itertools.cycle,
        itertools.product,
        itertools.permutations,
        itertools.combinations,
        itertools.zip_longest,
        itertools.pairwise,
    )
}
"""Others that may, where what they are given itself is known."""
_WALKS = {id(function) for function in (list, tuple, dict, set, zip, enumerate, reversed, iter)} | _PICK
"""Those of them that go over the items: of a container of unknown length they give the same."""
_TAKE_NUMBERS = {id(torch.tensor), id(torch.as_tensor)}
"""Calls that may be handed a numpy scalar whose value is not known: only its dtype matters."""
_BY_OPERATORS = {id(function) for function in (abs, pow, round, sum)}
"""Builtins that leave it to the operators of what they are given: of numpy scalars they make such."""
_COUNTED = (list, tuple, dict, set, collections.deque)
"""Containers whose length is known, whatever is known of their items."""
_LONG = 1_000_000
_MANY = 20_000
"""Tensors in one list that a call may be given: `torch.cat` of as many takes seconds, and cannot be stopped."""
_LAZY = {id(f) for f in (iter, enumerate, zip, map, filter, reversed, len, isinstance, type, callable)}
"""Builtins that do not walk over what they are given."""


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
        _may_change(args, kwargs, function.why)
        resized.hand_over(env, span, (*args, *kwargs.values()), function.why)
        entries.hand_over(run, args, kwargs)
        run.unfollowed += 1
        return Unknown(function.why, function.tensor)
    if not callable(function):
        return absent.not_callable(env, span, function, args)
    run.budget.step()
    run.site = span
    if isinstance(function, types.GenericAlias) or type(function).__module__ == "typing":
        function = getattr(function, "__origin__", function)
    if isinstance(function, types.MethodWrapperType) and function.__name__ in SLOTS:
        args, function = [function.__self__, *args], SLOTS[function.__name__]
    if run.switched.changed_layers and isinstance(function, nn.Module) and _is_changed(run, function):
        return Unknown("a method of this layer was replaced", True)
    if any_grown() and isinstance(function, nn.Module) and (lost := _uncounted_layers(function)) is not None:
        return lost
    if run.switched.resized and (lost := resized.called(run, function)) is not None:
        return lost
    if run.switched.has_unwritten and isinstance(function, nn.Module) and unwritten.holds_unwritten(function):
        return unwritten.called(env, span, function, args, kwargs)
    if is_interpreted(function) and isinstance(function, types.FunctionType):
        return _into(env, span, function, args, kwargs)
    if SHIMS.get(key_of(function)) is None and not callable_listed(function):
        _may_change(args, kwargs, shown)
        entries.hand_over(run, args, kwargs)
        run.unfollowed += 1
        return Unknown(f"{shown} is not followed")
    if any(callable(item) and not may_hold(item) for item in (*args, *kwargs.values())):
        return Unknown(f"what {shown} is given is not followed")
    if not (allowed.is_on_its_own(function, args, kwargs) and is_on_its_class(function, args)):
        return Unknown(f"{shown} on something that is not its own")
    if (more := lacking.lost_in(function)) is not None:
        return lacking.and_more(make(env, span, function, args, kwargs), more.why)
    if (listed := lacking.listed(function, args)) is not None:
        return listed
    args = unwritten.with_places(run, function, args)
    args, kwargs = lacking.known_of(function, args, kwargs)
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
        args = [as_list(arg) for arg in args] if id(real(function)) in texts.GO_OVER else args
        lost = next((found for arg in args if (found := _uncounted(arg)) is not None), None)
        if lost is not None:
            try:
                return _gathered(env, span, function, args, kwargs, lost, shown)
            except LookupError:
                run_given(env, span, args, kwargs, lost.why)
    if any_grown():
        with contextlib.suppress(LookupError):
            return copies.made(env, span, function, args, kwargs)
    if len(args) == 1 and not kwargs and (why := _uncounted(args[0])) is not None:
        try:
            return _put_into(env, function, args[0], why.why)
        except LookupError:
            pass
    if real(function) is map and args and any_grown() and not is_interpreted(args[0]):
        args = [_as_called_here(env, span, args[0]), *args[1:]]  # its items may be lists of unknown length
    takes = _takes_unknowns(function, args) or ordered.goes_by_items(real(function), args, kwargs)
    lost = None if takes else unknown_in((*args, *kwargs.values()))
    if lost is not None and real(function) is len and type(args[0]) in _COUNTED and is_grown(args[0]) is None:
        lost = None
    if lost is not None and id(function) in _TAKE_NUMBERS:
        lost = unknown_in((*args, *kwargs.values()), undecided=False)
    if lost is not None and _are_numpy_scalars(args) and not _may_be_sizes(args):
        if id(real(function)) in _BY_OPERATORS:
            lost = unknown_in(tuple(kwargs.values()))
        elif real(function) in (min, max) and not kwargs:
            return subscripts.any_of(env.run, _items(args), lost.why)
    if lost is None and id(real(function)) in _WALKS:
        lost = next((found for arg in args if (found := is_grown(arg)) is not None), None)
    if lost is not None and id(function) in _TAKE_NUMBERS:
        return guessed_call(env, span, function, args, kwargs, lost)
    if lost is not None:
        args, kwargs = [decided(arg) for arg in args], {key: decided(arg) for key, arg in kwargs.items()}
        return guessed_call(env, span, function, args, kwargs, lost)
    return make(env, span, function, args, kwargs)


def _items(args: Sequence[Any]) -> list[Any]:
    return [item for arg in args for item in (arg if type(arg) in (list, tuple) else (arg,))]


def _are_numpy_scalars(args: Sequence[Any]) -> bool:
    """Whether nothing else in these is unknown than what numpy scalars are."""
    return unknown_in(tuple(args), undecided=False) is None


def _may_be_sizes(args: Sequence[Any]) -> bool:
    """Whether all of these are integers, and sizes may be among them, which are known in this world."""
    items = _items(args)
    sizes = [isinstance(item, Undecided) and item.may_be_a_size for item in items]
    return any(sizes) and all(size or type(item) is int for size, item in zip(sizes, items))


def _as_called_here(env: Env, span: Span, function: Any) -> Any:
    return own(lambda *args: call(env, span, function, args, {}, "what is mapped"))


def _is_changed(run: Run, layer: nn.Module) -> bool:
    """Whether torch itself would run a method that the file has replaced."""
    if is_interpreted(type(layer).forward):
        return False
    return any(isinstance(part, tuple(run.switched.changed_layers)) for part in layer.modules())


def _uncounted_layers(layer: nn.Module) -> Unknown | None:
    """An Unknown where torch would run nobody knows how many layers: those of an `nn.Sequential`, or of one in it."""
    if is_interpreted(type(layer).forward):
        return None
    lost = is_grown(layer)
    each = (_uncounted_layers(part) for part in layer.children()) if lost is None else ()
    found = next((one for one in each if one is not None), lost)
    return None if found is None else Unknown(found.why, True)


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


_PUTS = frozenset("extend update difference_update intersection_update".split())


def _put_into(env: Env, method: Any, items: Any, why: str) -> None:
    """A container gets nobody knows how many more items, or loses some. Raises LookupError where they are not known."""
    owner: Any = getattr(method, "__self__", None)
    name = getattr(method, "__name__", "")
    if name not in _PUTS:
        raise LookupError
    if isinstance(owner, (list, set, collections.deque)):
        more = [] if name.startswith(("diff", "inter")) else [texts.item_of(items)]
        many = (
            together([owner, items])
            if type(owner) is list and name == "extend" and type(items) is list
            else None
        )
        put_together(env, [owner, more], why, True, many)
    elif isinstance(owner, collections.Counter) and name == "update":
        key = texts.item_of(items)
        env.run.journal.note(CONTENTS, owner)
        fill(owner, why, worlds.number(why), key, same)
    elif type(owner) in DICTS and type(items) in DICTS:
        key, of = texts.item_of(items), value_in(items, same)
        env.run.journal.note(CONTENTS, owner)
        fill(owner, why, of, key, same)
    else:
        raise LookupError


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


def _may_change(args: Sequence[Any], kwargs: dict[str, Any], why: str) -> None:
    """A call that is not followed may change the lists it is given (`random.shuffle`, `heapq.heappush`)."""
    lose((*args, *kwargs.values()))
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


_PUT_WHOLE = frozenset(("append", "appendleft"))
"""Methods that put what they are given into a container as it is, however many items it has itself."""


def _takes_unknowns(function: Any, args: Sequence[Any]) -> bool:
    """Whether a call may go ahead with unknown arguments: the user's own code, and what does not look at them."""
    if isinstance(function, types.BuiltinMethodType):
        owner = function.__self__
        if isinstance(owner, dict) and args and function.__name__ != "update":
            return unknown_in(args[0]) is None
        if not isinstance(owner, (list, dict, collections.deque)):
            return False
        return function.__name__ in _PUT_WHOLE or all(is_grown(arg) is None for arg in args)
    if isinstance(function, types.MethodType):
        inner = function.__func__
        if own_op(function) is not None:  # torch hands on what is no tensor
            return not any(type(arg) is Unknown for arg in args)
        known = is_interpreted(inner) or is_constructor(inner)
        return known or id(inner) in allowed.TAKES_UNKNOWNS or _hands_on(inner)
    if isinstance(function, type) and (interpreted_class(function) or issubclass(function, BaseException)):
        return True
    if real(function) is map:
        return bool(args) and is_interpreted(args[0])
    if id(real(function)) in _PICK or type(function) is operator.itemgetter:
        return not any(type(arg) is Unknown for arg in args)
    return (
        id(real(function)) in _TOLERANT
        or id(function) in allowed.TAKES_UNKNOWNS
        or _hands_on(function)
        or is_constructor(function)
        or (isinstance(function, nn.Module) and interpreted_class(type(function)))
        or _is_called_by_its_own(type(function))
    )


def _hands_on(function: Any) -> bool:
    """Whether this is a function of the file in a mode of torch's or a context (`@torch.no_grad()`): it gets what it is given."""
    return (
        isinstance(function, types.FunctionType)
        and function.__globals__.get("__name__") in _DECORATORS
        and is_interpreted(vars(function).get("__wrapped__"))
    )


_DECORATORS = {"torch.utils._contextlib", "torch.amp.autocast_mode", "contextlib"}


def _is_called_by_its_own(cls: type) -> bool:
    """Whether calling an object of this class runs the user's own code."""
    return any(is_interpreted(vars(base).get("__call__")) for base in cls.__mro__)


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
