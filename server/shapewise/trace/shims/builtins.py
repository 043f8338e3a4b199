"""Python's builtins: those that lead around the gate, out of the process, or on without end."""

from __future__ import annotations

import abc
import collections
import math
import re
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from .. import arrays
from ..gate import admitted, attributes, calls, ordered
from ..gate.own import UNUSED_METHODS, interpreted_class, is_interpreted, own
from ..gate.unfamiliar import lacks, leave_open
from ..gate.unwritten import Unwritten
from ..stdlib import files, formatting
from ..unknowns import texts
from ..unknowns.counted import COUNTED, OfFiles, Uncounted, coming, shortest
from ..unknowns.grown import is_grown, unknown_in
from ..unknowns.unknown import Lost, Unknown, likely, unknown_key
from ..wall import namespaces
from ..worlds import worlds
from . import endless, shim

if TYPE_CHECKING:
    from ..run import Env

_LONG = 1_000_000
_LOOKED_AT = 1_000
"""Items of a set that are looked at where some of them are not known."""


@shim(print)
def _print(env: Env, *args: Any, **kwargs: Any) -> None:
    into = kwargs.get("file")
    if isinstance(into, files.File):
        into.lose()


@shim(getattr)
def _getattr(env: Env, value: Any, name: Any, *default: Any) -> Any:
    if type(name) is not str:
        env.run.unfollowed += 1
        return Unknown("an attribute whose name is not known")
    try:
        with env.run.catching((AttributeError,) if default else ()):
            return attributes.read(env.run, value, name)
    except AttributeError as error:
        if default and not _hangs_on_others(env, value, default[0]):
            return default[0]
        return env.run.absorb(error, value)  # no more than `value.name` says


def _hangs_on_others(env: Env, config: Any, default: Any) -> bool:
    """Whether a field that a made-up configuration lacks would be made of its others: it may have it as well."""
    attempt = env.run.attempt
    return attempt is not None and type(config) is types.SimpleNamespace and attempt.made_up(default)


@shim(setattr)
def _setattr(env: Env, value: Any, name: Any, new: Any) -> None:
    if type(name) is str:
        attributes.write(env.run, value, name, new)
    else:
        leave_open(env.run, value)
        env.run.unfollowed += 1


@shim(hasattr)
def _hasattr(env: Env, value: Any, name: Any) -> Any:
    if type(value) is Unknown or type(name) is not str:
        return Unknown("whether it has an attribute")
    try:
        with env.run.catching((AttributeError,)):
            found = attributes.read(env.run, value, name)
    except AttributeError:
        return False
    if type(found) is Unknown and not _is_there(value, name):
        return Unknown(found.why)
    return True


def _is_there(value: Any, name: str) -> bool:
    """Whether a module of torch's has a name, though the program gets nothing of it."""
    path = namespaces.path_of(value) if isinstance(value, types.ModuleType) else None
    return path is not None and name in vars(namespaces.behind(path))


@shim(hash)
def _hash(env: Env, value: Any) -> Any:
    """Of texts it is another in each process, of objects it is where they lie."""
    return hash(value) if _is_made_of_numbers(value) else worlds.number("a hash differs from run to run")


def _is_made_of_numbers(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_is_made_of_numbers, value))
    return type(value) in (int, float, bool)


@shim(type)
def _type(env: Env, value: Any, *rest: Any) -> Any:
    if rest:
        return _new_class(env, type, value, *rest)
    if type(value) is Unknown:
        return torch.Tensor if value.tensor else Unknown("the type of an unknown value")
    if type(value) is arrays.Number:
        return value.dtype.type
    return torch.Tensor if type(value).__name__ == "FakeTensor" else type(value)


@shim(type.__new__, abc.ABCMeta.__new__)
def _new_class(
    env: Env, kind: Any, name: Any = None, bases: Any = (), names: Any = None, **options: Any
) -> Any:
    """`type(name, bases, names)`, also as a metaclass of the file's own calls it."""
    if type(name) is not str or type(bases) is not tuple or not isinstance(names, dict):
        return Unknown("a class made by type()")
    if not isinstance(kind, type) or not admitted.callable_listed(kind) or not issubclass(kind, type):
        return Unknown("a class made by a metaclass that is not followed")
    if not all(base is object or admitted.callable_listed(base) for base in bases):
        return Unknown("a class made by type() of what is not followed")
    kept = {key: value for key, value in names.items() if key not in UNUSED_METHODS}
    kept.setdefault("__module__", env.module.alias)
    maker = abc.ABCMeta if issubclass(kind, abc.ABCMeta) else type
    return own(maker.__new__(kind, name, bases, kept, **options))


@shim(len)
def _len(env: Env, value: Any) -> Any:
    """A `__len__` of the user's own may give a number that is not known, which native code would not take."""
    counts: Any = getattr(type(value), "__len__", None)
    if is_interpreted(counts):
        found = counts(value)
        if type(found) is Unknown:
            return found
    if isinstance(value, torch.utils.data.Subset) and (many := is_grown(value.indices)) is not None:
        return worlds.count(many.why)
    if isinstance(value, OfFiles):
        return value.count
    return len(value)


@shim(next)
def _next(env: Env, items: Any, *default: Any) -> Any:
    """The next item; of a generator that was lost count of, and is at its end thereby, what it would give."""
    lost = env.run.uncounted
    if id(items) not in lost:
        try:
            return next(items, *default)
        except Uncounted as error:
            lost[id(items)] = items, coming(items, error)
    return env.run.join([*lost[id(items)][1], *default])


@shim(str)
def _str(env: Env, value: Any = "", *args: Any, **options: Any) -> Any:
    return texts.text("text of a value") if args or options else formatting.text_of(value)


@shim(format)
def _format(env: Env, value: Any, spec: Any = "") -> Any:
    return formatting.text_of(value, spec) if type(spec) is str else texts.text("text of a value")


@shim(repr)
def _repr(env: Env, value: Any) -> Any:
    return formatting.text_of(value, conversion="r")


@shim(ascii)
def _ascii(env: Env, value: Any) -> Any:
    return formatting.text_of(value, conversion="a")


_LOCKSTEP = {zip: slice(None), enumerate: slice(1), map: slice(1, None)}
"""Which arguments of these are gone over together."""


_KEYED = (dict, set, frozenset, collections.Counter, collections.OrderedDict)
"""What holds equal keys once: with an unknown one, nobody knows how many."""


def _bounded(function: Any) -> Callable[..., Any]:
    def shim(env: Env, *args: Any, **kwargs: Any) -> Any:
        args = tuple(map(likely, args))
        for arg in args:
            if (isinstance(arg, range) and len(arg) > _LONG) or (
                isinstance(arg, torch.Tensor) and arg.dim() and len(arg) > 4096
            ):
                raise Lost("too many items to follow")
            if function in (bytes, bytearray) and isinstance(arg, int) and arg > _LONG:
                raise Lost("too many bytes to follow")
        bounded = [endless(arg) if hasattr(type(arg), "__next__") else arg for arg in args]
        if function is sorted:
            return ordered.in_order(*bounded, **kwargs)
        if function in (min, max) and len(bounded) == 1 and kwargs.get("key") is not None:
            return ordered.first(env, function, bounded[0], kwargs)
        if ordered.goes_by_items(function, bounded, kwargs):
            return ordered.first(env, function, bounded[0], kwargs)
        if function in _OF_NUMBERS and bounded and hasattr(type(bounded[0]), "__next__"):
            return _of_items(env, function, bounded, kwargs)
        made = function(*bounded, **kwargs)
        if function is max and type(made) is int and _is_at_least(made, bounded):
            return worlds.size()
        if function in _KEYED and (unsure := unknown_key(made)) is not None:
            sets = function in (set, frozenset) and len(made) <= _LOOKED_AT
            return texts.some(env.run.join(list(made)), unsure.why, set) if sets else Unknown(unsure.why)
        if function in _LOCKSTEP:
            return COUNTED[function](made, shortest(args[_LOCKSTEP[function]]))
        return made

    return shim


def _is_at_least(made: int, given: Sequence[Any]) -> bool:
    """Whether a size that data decides is the largest only where it is not less than a number: not one of the same name."""
    apart = worlds.here().apart is not None and worlds.is_given(made)
    return apart and any(type(one) is int and not worlds.is_given(one) for one in given)


_OF_NUMBERS = (sum, min, max, math.prod, math.fsum)


def _of_items(env: Env, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A number made of those that an iterator gives: as of a list of them, whatever is not known of it."""
    found: list[Any] = []
    try:
        found.extend(args[0])
    except Uncounted as error:
        found = texts.some(env.run.join([*found, *error.items]), error.why)
    if unknown_in(found) is None or env.run.site is None:
        return function(found, *args[1:], **kwargs)
    return calls.call(env, env.run.site, function, [found, *args[1:]], kwargs, function.__name__)


_CONSUMERS = (
    list,
    tuple,
    set,
    frozenset,
    sorted,
    collections.deque,
    collections.Counter,
    collections.OrderedDict,
    math.fsum,
    math.prod,
    sum,
    min,
    max,
    any,
    all,
    bytes,
    bytearray,
    dict,
    zip,
    map,
    enumerate,
    iter,
)
for _function in _CONSUMERS:
    shim(_function)(_bounded(_function))


@shim(pow)
def _pow(env: Env, base: Any, exponent: Any, modulus: Any = None) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * abs(exponent) > 100_000:
        raise Lost("too large a number to follow")
    return pow(base, exponent) if modulus is None else pow(base, exponent, modulus)


@shim(globals)
def _globals(env: Env) -> Any:
    return env.module.top().names


@shim(locals, vars)
def _locals(env: Env, *args: Any) -> Any:
    if args:
        return attributes.read(env.run, args[0], "__dict__")
    return (
        env.names
        if env is env.module.top()
        else {name: value for name, value in env.names.items() if name.isidentifier()}
    )


@shim(delattr)
def _delattr(env: Env, value: Any, name: Any) -> None:
    if type(name) is str:
        attributes.delete(env.run, value, name)


@shim(open)
def _open(env: Env, file: Any = None, *args: Any, **kwargs: Any) -> Any:
    return files.opened(file, *args, **kwargs)


_OF_EVERY_MODULE = frozenset(
    "__builtins__ __cached__ __doc__ __file__ __loader__ __name__ __package__ __spec__".split()
)


@shim(dir)
def _dir(env: Env, *of: Any) -> Any:
    """The names of a module of the program's, of its classes and their objects."""
    one = of[0] if len(of) == 1 else None
    if isinstance(one, types.ModuleType) and is_interpreted(one):
        env.run.modules.catch_up(one, "*")
        return sorted(_OF_EVERY_MODULE.union(name for name in one.__dict__ if type(name) is str))
    return dir(one) if _lists_its_names(one) else Unknown("the names of what it is")


def _lists_its_names(value: Any) -> bool:
    """Whether it is an object, a class or a `super()` of the program's that has no other names than those that were seen."""
    kind = value if isinstance(value, type) else getattr(value, "__self_class__", type(value))
    if not isinstance(kind, type) or not interpreted_class(kind) or lacks(value) is not None:
        return False
    bases = kind.__mro__
    asked = bases[bases.index(value.__thisclass__) + 1 :] if isinstance(value, super) else bases  # type: ignore[attr-defined]
    return not any("__dir__" in vars(base) and interpreted_class(base) for base in asked)


@shim(compile, __import__, input, breakpoint, memoryview)
def _not_followed(env: Env, *args: Any, **kwargs: Any) -> Any:
    return Unknown("this builtin is not followed")


@shim(isinstance)
def _isinstance(env: Env, value: Any, classes: Any) -> Any:
    if type(value) is Unknown and value.tensor:
        return _is_tensor(classes)
    if texts.is_text(value) and type(classes) is type:
        return issubclass(str, classes)
    if value is None and _are_of_others(classes):
        return False
    if (
        type(value) is Unknown
        or type(classes) is Unknown
        or (isinstance(classes, tuple) and any(type(c) is Unknown for c in classes))
    ):
        return Unknown("the type of an unknown value")
    if type(value) is arrays.Number:
        return issubclass(value.dtype.type, classes)
    found = isinstance(value, classes)
    return value.lost if type(value) is Unwritten and not found else found


def _are_of_others(classes: Any) -> bool:
    """Whether these are classes of packages that are not followed, or such that None is not of: `isinstance(cache, Cache)`."""
    every = classes if isinstance(classes, tuple) else (classes,)
    return all(
        _NOT_FOLLOWED.search(one.why)
        if type(one) is Unknown
        else isinstance(one, type) and one not in _OF_NONE
        for one in every
    )


_NOT_FOLLOWED = re.compile(r"is not followed$|No module named")
_OF_NONE = (object, type(None))


def _is_tensor(classes: Any) -> Any:
    """Whether what is surely a tensor, if nothing else is known of it, is of these classes."""
    answers: set[bool | None] = set()
    for cls in classes if isinstance(classes, tuple) else (classes,):
        if not isinstance(cls, type) or (cls is not torch.Tensor and issubclass(cls, torch.Tensor)):
            answers.add(None)
        else:
            answers.add(issubclass(torch.Tensor, cls))
    return True if True in answers else Unknown("the type of an unknown value") if None in answers else False
