"""Python's library: what makes functions and classes out of the user's."""

from __future__ import annotations

import collections
import dataclasses
import fractions
import functools
import itertools
import keyword
import math
import operator
import typing
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..gate.operators import too_large
from ..gate.own import CONSTRUCTORS, is_interpreted, own
from ..unknowns.unknown import Lost, Unknown
from ..wall import allowed
from . import SHIMS, endless, given_out, shim

if TYPE_CHECKING:
    from ..run import Env


def _small(function: Any) -> Callable[..., Any]:
    def shim(env: Env, *args: Any) -> Any:
        if any(not isinstance(arg, int) or arg > 1000 for arg in args):
            raise Lost("too large a number to follow")
        return function(*args)

    return shim


for _number in (math.factorial, math.comb, math.perm):
    shim(_number)(_small(_number))


@shim(fractions.Fraction)
def _fraction(env: Env, *args: Any) -> Any:
    if any(isinstance(arg, str) and (len(arg) > 40 or "e" in arg.lower()) for arg in args):
        raise Lost("too large a number to follow")  # "1e999999999" has as many digits
    return fractions.Fraction(*args)


for _maker in (itertools.count, itertools.cycle, itertools.repeat):
    shim(_maker)(lambda env, *args, _maker=_maker, **kwargs: endless(_maker(*args, **kwargs)))


@shim(typing.cast)
def _cast(env: Env, typ: Any, val: Any) -> Any:
    """Whatever type is said, a value stays what it is."""
    return val


allowed.TAKES_UNKNOWNS.add(id(given_out(typing.cast)))


@shim(collections.namedtuple)
def _namedtuple(env: Env, name: str, fields: Any = (), defaults: Any = None, **kwargs: Any) -> Any:
    if not isinstance(fields, str):
        fields = [
            field if isinstance(field, str) else field[0] for field in fields
        ]  # typing's come with a type
    made: Any = collections.namedtuple(name, fields, defaults=defaults, module=env.module.alias)  # type: ignore[misc]
    for method in (made._replace, made._asdict, made.__new__):
        own(method)
    return own(made)


def _as_operator(name: str, function: Any) -> Any:
    def shim(env: Env, *operands: Any) -> Any:
        if too_large(name, list(operands)):
            raise Lost("too large a value to follow")
        return function(*operands)

    return shim


for _sign, _called in (
    ("+", operator.add),
    ("*", operator.mul),
    ("**", operator.pow),
    ("+", operator.concat),
):
    shim(_called)(_as_operator(_sign, _called))


SHIMS[id(typing.NamedTuple)] = _namedtuple  # and no stand-in: classes inherit from it


def _is_name(name: Any) -> bool:
    return type(name) is str and str.isidentifier(name) and not keyword.iskeyword(name)


@shim(dataclasses.dataclass)
def _dataclass(env: Env, cls: Any = None, **options: Any) -> Any:
    """dataclasses writes field names into code that it executes: they must be names and nothing else."""
    if cls is None:
        return own(lambda made: _dataclass(env, made, **options))
    if not is_interpreted(cls):
        return Unknown("a dataclass of a class that is not the file's own")
    for base in cls.__mro__:
        names, fields = vars(base).get("__annotations__", {}), vars(base).get("__dataclass_fields__", {})
        if type(names) is not dict or type(fields) is not dict or not all(map(_is_name, names)):
            raise TypeError("Field names must be valid identifiers")
        if not all(type(field) is dataclasses.Field and _is_name(field.name) for field in fields.values()):
            raise TypeError("Fields must be made by dataclasses.field")
    made = dataclasses.dataclass(cls, **options)
    constructor = vars(made).get("__init__")
    if constructor is not None and not is_interpreted(constructor):
        CONSTRUCTORS[id(constructor)] = (constructor, made)
    return made


@shim(functools.lru_cache, functools.cache)
def _cache(env: Env, function: Any = None, *args: Any, **options: Any) -> Any:
    """Every call is followed: a remembered one would have no facts."""
    return function if is_interpreted(function) else own(lambda made: made)


@shim(functools.wraps)
def _wraps(env: Env, wrapped: Any, *args: Any, **options: Any) -> Any:
    return own(lambda wrapper: _update_wrapper(env, wrapper, wrapped))


@shim(functools.update_wrapper)
def _update_wrapper(env: Env, wrapper: Any, wrapped: Any = None, *args: Any, **options: Any) -> Any:
    if is_interpreted(wrapper) and is_interpreted(wrapped):
        wrapper.__name__, wrapper.__doc__ = wrapped.__name__, wrapped.__doc__
    return wrapper
