"""Stand-ins for callables that must not, or cannot, run as they are: one table.

A shim takes the environment and then the call's own arguments. Torch functions that only need
another way through fake tensors, wherever they are called from, are handled in `torchmode`.

The interpreted program is never given the real function of a shim, only a stand-in that goes
through it: else `map(getattr, ...)` would call the real one behind the gate's back.
"""

from __future__ import annotations

import importlib
import itertools
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..unknowns.unknown import Lost
from ..wall import allowed

if TYPE_CHECKING:
    from ..run import Env

Shim = Callable[..., Any]

SHIMS: dict[int, Shim] = {}
"""id of a callable -> what is called in its place."""

ENDLESS = 10_000
"""Rounds after which an endless iterator is no longer followed."""

_KEPT: list[Any] = []  # what SHIMS and the tables below know by id stays alive
_STAND_INS: dict[int, Any] = {}
_REAL: dict[int, Any] = {}


_NO_CLASSES = (
    types.BuiltinFunctionType,
    types.FunctionType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
)


class _Here:
    env: Env | None = None


def enter(env: Env | None) -> None:
    """The environment in which native code calls stand-ins: that of the running file, None between two."""
    _Here.env = env


def here() -> Env | None:
    """The environment of the running file."""
    return _Here.env


def shim(*functions: Any) -> Callable[[Shim], Shim]:
    """Register a shim for these callables. A plain function gets a stand-in; a class stays itself."""

    def register(body: Shim) -> Shim:
        for function in functions:
            _KEPT.append(function)
            SHIMS[id(function)] = body
            if isinstance(function, _NO_CLASSES):
                _make_stand_in(function, body)
        return body

    return register


def _make_stand_in(function: Any, body: Shim) -> None:
    def stand_in(*args: Any, **kwargs: Any) -> Any:
        return body(_Here.env, *args, **kwargs)

    stand_in.__name__ = stand_in.__qualname__ = function.__name__
    _STAND_INS[id(function)] = stand_in
    _REAL[id(stand_in)] = function
    SHIMS[id(stand_in)] = body


def stand_for(ours: type, *classes: type) -> None:
    """Give out a class of ours for these: native code that is handed one (`map`, `partial`) makes ours, too."""
    for cls in classes:
        _KEPT.append(cls)
        _STAND_INS[id(cls)] = ours


def prepare() -> None:
    """Fill the table, and put every stand-in on the list of callables under the name of what it stands for."""
    for part in (
        "builtins",
        "evaluated",
        "stdlib",
        "torchs",
        "buffers",
        "attention",
        "running",
        "distributed",
        "importing",
        "saved",
        "slots",
        "trees",
    ):
        importlib.import_module(f"{__name__}.{part}")
    for stand_in in _STAND_INS.values():
        if id(stand_in) not in _REAL:
            continue  # a class of ours, listed where it is written
        function = _REAL[id(stand_in)]
        home = (
            str(getattr(function, "__module__", ""))
            .removesuffix("._VariableFunctions")
            .removeprefix("builtins")
        )
        name = allowed.name_of(function) or f"{home}.{function.__name__}".lstrip(".")
        allowed.list_callable(stand_in, name)


def given_out(value: Any) -> Any:
    """What the program gets where it asks for this value."""
    if type(value) is types.FunctionType and (owner := allowed.owner_of(value)) is not None:
        return _STAND_INS.get(id(value)) or _guarded(value, owner)
    return _STAND_INS.get(id(value), value)


def _guarded(function: Any, owner: type) -> Any:
    """A method as the program holds it: wherever it is called from, it is called on what it belongs to."""
    if id(function) in _REAL:
        return function  # a stand-in itself

    def stand_in(*args: Any, **kwargs: Any) -> Any:
        if not allowed.is_on_its_own(function, args, kwargs):
            raise Lost(f"{function.__name__} on something that is not its own")
        return function(*args, **kwargs)

    stand_in.__name__, stand_in.__qualname__ = function.__name__, function.__qualname__
    _KEPT.append(function)
    _STAND_INS[id(function)] = stand_in
    _REAL[id(stand_in)] = function
    allowed.list_callable(stand_in, allowed.name_of(function) or function.__name__)
    allowed.own_method(stand_in, owner)
    if id(function) in allowed.TAKES_UNKNOWNS:
        allowed.TAKES_UNKNOWNS.add(id(stand_in))
    return stand_in


def real(function: Any) -> Any:
    """What a stand-in stands for."""
    return _REAL.get(id(function), function)


def endless(items: Iterator[Any]) -> Iterator[Any]:
    """An iterator cut off before it holds up the trace."""
    yield from itertools.islice(items, ENDLESS)
    for _ in items:
        raise Lost("an iterator without end")
