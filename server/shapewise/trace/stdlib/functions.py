"""Modules that make functions out of functions, or look into them, through the gate."""

from __future__ import annotations

import ast
import bisect
import functools
import heapq
import inspect
import itertools
import statistics
import types
from collections.abc import Callable
from typing import Any

from ..compiler.nodes import own_nodes, yields
from ..gate import admitted, attributes
from ..gate.own import NODES, interpreted_class, is_interpreted, own
from ..shims import endless, here, real, shim
from ..state import CONTENTS
from ..unknowns import texts
from ..unknowns.grown import grown, is_grown, mark_of, unknown_in
from ..unknowns.unknown import Lost, Unknown
from ..wall import namespaces
from ..worlds import worlds
from . import list_member, stand_in
from .chance import may_stand_twice
from .texts import on_plain_values

# ---------------------------------------------------------------- operator


def _read(value: Any, path: str) -> Any:
    env = here()
    for name in path.split("."):
        value = Unknown("an attribute") if env is None else attributes.read(env.run, value, name)
    return value


def attrgetter(*names: Any) -> Any:
    """`operator.attrgetter`."""
    if not names or not all(type(name) is str for name in names):
        return Unknown("an attribute whose name is not known")

    def get(value: Any) -> Any:
        found = tuple(_read(value, name) for name in names)
        return found[0] if len(found) == 1 else found

    return own(get)


def methodcaller(name: Any, *args: Any, **options: Any) -> Any:
    """`operator.methodcaller`."""
    if type(name) is not str:
        return Unknown("a method whose name is not known")

    def call_it(value: Any) -> Any:
        from ..gate.calls import call

        env = here()
        if env is None or env.run.site is None:
            return Unknown("a method")
        return call(env, env.run.site, _read(value, name), args, options, name)

    return own(call_it)


for _made in (attrgetter, methodcaller):
    list_member(_made, f"operator.{_made.__name__}")
    namespaces.MEMBERS["operator", _made.__name__] = _made

# ---------------------------------------------------------------- types

namespaces.MEMBERS["types", "DynamicClassAttribute"] = property
"""On objects it is one; on the class itself, where it is none, an Enum's members of that name come first anyway."""

# ---------------------------------------------------------------- itertools


class Chain:
    """`itertools.chain`, which would go through lists of unknown length as if their items were all."""

    def __new__(cls, *parts: Any) -> Any:
        return _chained(parts)

    @staticmethod
    def from_iterable(parts: Any) -> Any:
        lost = _uncounted(parts)
        if lost is not None:
            parts = [texts.some(texts.item_of(texts.item_of(parts)), lost.why)]
        return _chained(parts)


def _chained(parts: Any) -> Any:
    parts = list(endless(iter(parts)))
    lost = next((found for part in parts if (found := _uncounted(part)) is not None), None)
    if lost is None:
        return itertools.chain(*parts)
    env = here()
    items = [texts.item_of(part) for part in parts if type(part) is Unknown or part]
    return texts.some(items[0] if env is None else env.run.join(items), lost.why)


def _uncounted(part: Any) -> Unknown | None:
    return part if type(part) is Unknown else is_grown(part)


list_member(Chain, "itertools.chain")
namespaces.MEMBERS["itertools", "chain"] = Chain

# ---------------------------------------------------------------- heapq, bisect


def _in_some_order(
    name: str, items: list[Any], added: tuple[Any, ...], join: Callable[[list[Any]], Any]
) -> Any:
    """What a function of `heapq` does with items whose order is not known: each is one of them all, and so is what it gives."""
    held = [*items, *added]
    one = join(held) if name in _MORE and held and is_grown(items) is None else Unknown(_ORDER)
    if type(one) is Unknown or (len(held) > 1 and not may_stand_twice(one)):
        grown(items, _ORDER)
        return Unknown(_ORDER)
    items[:] = [one] * (len(items) + _MORE[name])
    return None if name in ("heappush", "heapify") else one


_ORDER = "ordered by what is not known"
_MORE = {"heappush": 1, "heappop": -1, "heapify": 0, "heapreplace": 0, "heappushpop": 0}


def _changes(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that changes the list it is given first."""

    def change(items: Any, *args: Any, **options: Any) -> Any:
        env = here()
        if type(items) is not list or env is None:
            return Unknown("of a list that is not known")
        env.run.journal.note(CONTENTS, items)
        if unknown_in((items, *args)) is not None:
            return _in_some_order(function.__name__, items, args, env.run.join)
        try:
            return function(items, *args, **options)
        except Lost as error:
            grown(items, error.why)
            raise

    change.__name__ = function.__name__
    return change


stand_in(
    "heapq",
    {
        **{
            name: _changes(getattr(heapq, name))
            for name in "heappush heappop heapify heapreplace heappushpop".split()
        },
        **{name: on_plain_values(getattr(heapq, name)) for name in ("nlargest", "nsmallest")},
    },
)
stand_in(
    "bisect",
    {
        **{name: _changes(getattr(bisect, name)) for name in ("insort", "insort_left", "insort_right")},
        **{
            name: on_plain_values(getattr(bisect, name)) for name in ("bisect", "bisect_left", "bisect_right")
        },
    },
)
# ---------------------------------------------------------------- statistics


def _of_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    plainly = on_plain_values(function)

    def give(data: Any, *args: Any, **options: Any) -> Any:
        made = plainly(data, *args, **options)
        return worlds.real(made.why) if type(made) is Unknown and _are_floats(data) else made

    give.__name__ = function.__name__
    return give


def _are_floats(items: Any) -> bool:
    """Whether these are floats, known or not, however many there are."""
    mark = mark_of(items)
    return (
        isinstance(items, (list, tuple))
        and bool(items)
        and (mark is None or mark.alike)
        and all(type(item.sample if type(item) is Unknown else item) is float for item in items)
    )


stand_in(
    "statistics",
    {
        name: _of_numbers(getattr(statistics, name))
        for name in "mean fmean median median_low median_high mode stdev pstdev variance pvariance geometric_mean harmonic_mean".split()
    },
)

# ---------------------------------------------------------------- inspect


class Parameter:
    """`inspect.Parameter`."""

    empty = inspect.Parameter.empty
    POSITIONAL_ONLY = inspect.Parameter.POSITIONAL_ONLY
    POSITIONAL_OR_KEYWORD = inspect.Parameter.POSITIONAL_OR_KEYWORD
    VAR_POSITIONAL = inspect.Parameter.VAR_POSITIONAL
    KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
    VAR_KEYWORD = inspect.Parameter.VAR_KEYWORD

    def __init__(self, name: str, kind: Any, default: Any, annotation: Any) -> None:
        self.name = name
        self.kind = kind
        self.default = default
        self.annotation = annotation


class Signature:
    """`inspect.Signature`, its parameters in a dict."""

    empty = inspect.Signature.empty

    def __init__(self, real: inspect.Signature) -> None:
        self._real = real
        self.parameters = {
            name: Parameter(name, one.kind, admitted.admit(one.default), Unknown("an annotation"))
            for name, one in real.parameters.items()
        }
        self.return_annotation = Unknown("an annotation")

    def bind(self, *args: Any, **options: Any) -> Any:
        return BoundArguments(self._real.bind(*args, **options))

    def bind_partial(self, *args: Any, **options: Any) -> Any:
        return BoundArguments(self._real.bind_partial(*args, **options))


class BoundArguments:
    """`inspect.BoundArguments`."""

    def __init__(self, real: inspect.BoundArguments) -> None:
        self._real = real
        self.arguments = dict(real.arguments)

    def apply_defaults(self) -> None:
        self._real.apply_defaults()
        self.arguments = {name: admitted.admit(value) for name, value in self._real.arguments.items()}

    @property
    def args(self) -> Any:
        return self._real.args

    @property
    def kwargs(self) -> Any:
        return dict(self._real.kwargs)


def signature(value: Any, **options: Any) -> Any:
    """`inspect.signature` of the file's own functions and of those that are listed."""
    if type(value) is Unknown or not callable(value) or not admitted.may_hold(value):
        return Unknown("the signature of what is not known")
    if isinstance(value, type) and interpreted_class(value) and value.__text_signature__:
        return Unknown(
            "the signature of what is not known"
        )  # read from its docstring, whose names are evaluated
    try:
        found = inspect.signature(real(value))
    except (TypeError, ValueError):
        return Unknown("the signature of what is not known")
    return Signature(found)


def _is_generator_function(value: Any) -> bool:
    """`inspect.isgeneratorfunction`: of the file's own by what they are written as."""
    inner = value
    while isinstance(inner, (types.MethodType, functools.partial)):
        inner = inner.__func__ if isinstance(inner, types.MethodType) else inner.func
    node = NODES.get(id(inner)) if is_interpreted(inner) else None
    return (
        yields(own_nodes(node.body))
        if isinstance(node, ast.FunctionDef)
        else inspect.isgeneratorfunction(value)
    )


def _asks(function: Callable[[Any], bool]) -> Callable[[Any], Any]:
    return lambda value: (
        Unknown("the type of an unknown value") if type(value) is Unknown else function(value)
    )


_OF_ASYNC = "iscoroutinefunction iscoroutine isawaitable isasyncgenfunction isasyncgen".split()
for _class in (Parameter, Signature, BoundArguments):
    list_member(_class, f"inspect.{_class.__name__}")
stand_in(
    "inspect",
    {
        "signature": signature,
        "Signature": Signature,
        "Parameter": Parameter,
        "isclass": _asks(lambda value: isinstance(value, type)),
        "isfunction": _asks(lambda value: isinstance(value, types.FunctionType)),
        "ismethod": _asks(lambda value: isinstance(value, types.MethodType)),
        "isgenerator": _asks(lambda value: isinstance(value, types.GeneratorType)),
        "ismodule": _asks(lambda value: isinstance(value, types.ModuleType)),
        "isabstract": _asks(inspect.isabstract),
        "isgeneratorfunction": _asks(_is_generator_function),
        **{name: _asks(getattr(inspect, name)) for name in _OF_ASYNC},  # the file's own are unknown
    },
)

# ---------------------------------------------------------------- functools.singledispatch


class SingleDispatch:
    """What `functools.singledispatch` makes of a function."""

    def __init__(self, function: Any) -> None:
        self._registered: dict[Any, Any] = {object: function}

    def register(self, cls: Any, function: Any = None) -> Any:
        if not isinstance(cls, type):
            raise Lost("a type that is not known")
        if function is None:
            return own(lambda made: self.register(cls, made))
        self._registered[cls] = function
        return function

    def __call__(self, *args: Any, **options: Any) -> Any:
        if not args or type(args[0]) is Unknown:
            raise Lost("dispatched on a value that is not known")
        for cls in type(args[0]).__mro__:
            if cls in self._registered:
                return self._registered[cls](*args, **options)
        raise Lost("dispatched on a type that is not known")


list_member(SingleDispatch, "functools.singledispatch")


@shim(functools.singledispatch)
def _singledispatch(env: Any, function: Any) -> Any:
    return SingleDispatch(function)
