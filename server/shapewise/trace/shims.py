"""Stand-ins for callables that must not, or cannot, run as they are: one table.

A shim takes the environment and then the call's own arguments. Torch functions that only need
another way through fake tensors, wherever they are called from, are handled in `torchmode`.
"""

from __future__ import annotations

import ast
import collections
import itertools
import math
import typing
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import torch

from . import attributes
from .loaders import Loader, random_split
from .torchmode import array_to_tensor
from .unknown import Lost, Unknown

if TYPE_CHECKING:
    from .run import Env

SHIMS: dict[int, Callable[..., Any]] = {}
"""id of a callable -> what is called in its place."""

ENDLESS = 10_000
"""Rounds after which an endless iterator is no longer followed."""
_LONG = 1_000_000


def _shim(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(shim: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            _KEPT.append(function)
            SHIMS[id(function)] = shim
        return shim

    return register


_KEPT: list[Any] = []

# ---------------------------------------------------------------- builtins


@_shim(print)
def _print(env: Env, *args: Any, **kwargs: Any) -> None:
    return None


@_shim(getattr)
def _getattr(env: Env, value: Any, name: Any, *default: Any) -> Any:
    if type(name) is not str:
        return Unknown("an attribute whose name is not known")
    try:
        return attributes.read(env.run, value, name)
    except AttributeError:
        if default:
            return default[0]
        raise


@_shim(setattr)
def _setattr(env: Env, value: Any, name: Any, new: Any) -> None:
    if type(name) is str:
        attributes.write(env.run, value, name, new)


@_shim(hasattr)
def _hasattr(env: Env, value: Any, name: Any) -> Any:
    if type(value) is Unknown or type(name) is not str:
        return Unknown("whether it has an attribute")
    try:
        found = attributes.read(env.run, value, name)
    except AttributeError:
        return False
    return Unknown(found.why) if type(found) is Unknown else True


@_shim(type)
def _type(env: Env, value: Any, *rest: Any) -> Any:
    if rest or type(value) is Unknown:
        return Unknown("a class made by type()")
    return torch.Tensor if type(value).__name__ == "FakeTensor" else type(value)


@_shim(str, repr, format, ascii)
def _text(env: Env, *args: Any) -> Any:
    plain = (int, float, str, bool, torch.Size, torch.dtype, type(None))
    if (
        len(args) == 1
        and type(args[0]) in plain
        and not (type(args[0]) is int and args[0].bit_length() > 10_000)
    ):
        return str(args[0])
    return Unknown("text of a value")


def _bounded(function: Any) -> Callable[..., Any]:
    def shim(env: Env, *args: Any, **kwargs: Any) -> Any:
        for arg in args:
            if (isinstance(arg, range) and len(arg) > _LONG) or (
                isinstance(arg, torch.Tensor) and arg.dim() and len(arg) > 4096
            ):
                raise Lost("too many items to follow")
            if function in (bytes, bytearray) and isinstance(arg, int) and arg > _LONG:
                raise Lost("too many bytes to follow")
        bounded = [endless(arg) if hasattr(arg, "__next__") else arg for arg in args]
        return function(*bounded, **kwargs)

    return shim


for _function in (
    list,
    tuple,
    set,
    frozenset,
    sorted,
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
):
    SHIMS[id(_function)] = _bounded(_function)


def endless(items: Iterator[Any]) -> Iterator[Any]:
    """An iterator cut off before it holds up the trace."""
    for number, item in enumerate(items):
        if number >= ENDLESS:
            raise Lost("an iterator without end")
        yield item


def _small(function: Any) -> Callable[..., Any]:
    def shim(env: Env, *args: Any) -> Any:
        if any(not isinstance(arg, int) or arg > 1000 for arg in args):
            raise Lost("too large a number to follow")
        return function(*args)

    return shim


for _number in (math.factorial, math.comb, math.perm):
    SHIMS[id(_number)] = _small(_number)


@_shim(pow)
def _pow(env: Env, base: Any, exponent: Any, modulus: Any = None) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * abs(exponent) > 100_000:
        raise Lost("too large a number to follow")
    return pow(base, exponent) if modulus is None else pow(base, exponent, modulus)


for _maker in (itertools.count, itertools.cycle, itertools.repeat):
    SHIMS[id(_maker)] = lambda env, *args, _maker=_maker, **kwargs: endless(_maker(*args, **kwargs))


@_shim(globals)
def _globals(env: Env) -> Any:
    return env.run.globals.names


@_shim(locals, vars)
def _locals(env: Env, *args: Any) -> Any:
    if args:
        return Unknown("vars() is not followed")
    return env.names if env is env.run.globals else dict(env.names)


@_shim(exec)
def _exec(env: Env, code: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Not carried out: what it may have assigned is lost."""
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except (SyntaxError, TypeError, ValueError, RecursionError):
        env.run.forget_all(env, "may have been assigned by exec()")
        return None
    for node in nodes:
        name = getattr(node, "name", None) or (
            node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else None
        )
        if isinstance(name, str):
            env.run.store(env, name, Unknown("assigned by exec()"))
    return None


_NOT_FOLLOWED: tuple[Any, ...] = (
    open,
    eval,
    compile,
    __import__,
    dir,
    input,
    breakpoint,
    memoryview,
    delattr,
)
for _function in _NOT_FOLLOWED:
    SHIMS[id(_function)] = lambda env, *args, _name=_function.__name__, **kwargs: Unknown(
        f"{_name}() is not followed"
    )


@_shim(isinstance)
def _isinstance(env: Env, value: Any, classes: Any) -> Any:
    if (
        type(value) is Unknown
        or type(classes) is Unknown
        or (isinstance(classes, tuple) and any(type(c) is Unknown for c in classes))
    ):
        return Unknown("the type of an unknown value")
    return isinstance(value, classes)


@_shim(collections.namedtuple, typing.NamedTuple)
def _namedtuple(env: Env, name: str, fields: Any = (), defaults: Any = None, **kwargs: Any) -> Any:
    if not isinstance(fields, str):
        fields = [
            field if isinstance(field, str) else field[0] for field in fields
        ]  # typing's come with a type
    made = collections.namedtuple(name, fields, defaults=defaults)  # type: ignore[misc]
    attributes.INTERPRETED[id(made)] = made
    return made


# ---------------------------------------------------------------- torch


@_shim(torch.compile, torch.jit.script, torch.jit.ignore, torch.jit.export, torch.jit.unused)
def _identity(env: Env, value: Any = None, **kwargs: Any) -> Any:
    """Decorators that change how code runs and not what it gives."""
    if value is None:
        attributes.INTERPRETED[id(_same)] = _same
        return _same
    return value


def _same(value: Any) -> Any:
    return value


@_shim(torch.from_numpy)
def _from_numpy(env: Env, array: Any) -> Any:
    tensor = array_to_tensor(array)
    if tensor is None:
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    return tensor.view_as(tensor)


@_shim(torch.allclose, torch.equal, torch.is_nonzero)
def _data_dependent(env: Env, *args: Any, **kwargs: Any) -> Any:
    return Unknown("depends on the data")


@_shim(
    torch.Tensor.tolist,
    torch.Tensor.__repr__,
    torch.Tensor.__str__,
    torch.Tensor.equal,
    torch.Tensor.allclose,
)
def _of_data(env: Env, *args: Any, **kwargs: Any) -> Any:
    return Unknown("depends on the data")


@_shim(torch.manual_seed, torch.cuda.manual_seed, torch.cuda.manual_seed_all)
def _seed(env: Env, *args: Any, **kwargs: Any) -> Any:
    return None


@_shim(torch.set_printoptions, torch.set_float32_matmul_precision, torch.use_deterministic_algorithms)
def _setting(env: Env, *args: Any, **kwargs: Any) -> None:
    return None


@_shim(torch.utils.data.DataLoader)
def _loader(env: Env, *args: Any, **kwargs: Any) -> Loader:
    return Loader(*args, **kwargs)


@_shim(torch.utils.data.random_split)
def _random_split(env: Env, *args: Any, **kwargs: Any) -> Any:
    return random_split(*args, **kwargs)


__all__ = ["ENDLESS", "SHIMS", "endless"]
