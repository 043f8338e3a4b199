"""numpy for the interpreted program: modules, functions and classes in the place of numpy's own.

No function of numpy's is ever given out. The stand-ins let through what `functions` lists, on
numbers alone, and say of it what `compute` finds.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable
from typing import Any

from .. import shims
from ..disk import lose
from ..unknowns import texts
from ..unknowns.joining import BESIDE_PLAIN, JOINS
from ..unknowns.unknown import Lost, Unknown
from ..wall import allowed, namespaces
from . import operators, random, stored
from .array import KINDS, Array, Number, blank, forget_numbers, is_known, item, np, number
from .compute import compute
from .functions import KINDS as LISTED
from .functions import NOTHING, READS
from .inputs import CONVERTED, Inputs
from .joining import beside_plain, joined
from .operators import beside_unknown
from .tensors import array_to_tensor, of_unknown, on_arrays, shared, stacked, tensor_to_array, torch_dtype

__all__ = [
    "CONVERTED",
    "SCALAR_METHODS",
    "Array",
    "Number",
    "array_to_tensor",
    "beside_unknown",
    "blank",
    "forget_numbers",
    "is_known",
    "is_scalar",
    "list_stand_ins",
    "number",
    "of_unknown",
    "on_arrays",
    "shared",
    "stacked",
    "tensor_to_array",
    "torch_dtype",
]

_MODULES: dict[str, types.ModuleType] = {}


# ---------------------------------------------------------------- functions


def _stand_in(name: str, function: Callable[..., Any], kind: str) -> Any:
    def stand_in(*args: Any, **kwargs: Any) -> Any:
        try:
            return compute(name, function, kind, args, kwargs)
        except Lost as error:  # `map` would lose all that it gives with it
            if (env := shims.here()) is not None:
                env.run.spoiled += 1
            return Unknown(error.why)

    stand_in.__name__ = stand_in.__qualname__ = name
    return stand_in


def _given_up(why: str) -> Any:
    def unknown(*args: Any, **kwargs: Any) -> Any:
        return Unknown(why)

    return unknown


def _nothing(*args: Any, **kwargs: Any) -> None:
    lose((*args, *kwargs.values()))
    for arg in args:
        if type(arg) is Array:
            arg._memory.known = False


def _errstate(**kwargs: Any) -> Any:
    return contextlib.nullcontext()


# ---------------------------------------------------------------- classes


class Subscripted:
    """`np.r_`, `np.mgrid` and the like."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, index: Any) -> Any:
        if self._name in ("s_", "index_exp"):
            return index
        real = getattr(np, self._name)
        return compute(self._name, real.__getitem__, "heavy", (index,), {})


def _scalar(kind: Any) -> Any:
    """`np.float32(x)`."""

    def construct(env: Any, value: Any = 0, *args: Any) -> Any:
        if args:
            raise Lost(f"{kind.__name__} of several arguments")
        if type(value) in (Array, Number):
            return (
                compute("astype", np.ndarray.astype, "linear", (value, kind), {})
                if type(value) is Array
                else Number(np.dtype(kind))
            )
        inputs = Inputs()
        real = kind(inputs.real(value))
        if isinstance(real, np.generic):
            return _unknown(kind, real.dtype, value) if inputs.unknown else real
        return compute("array", np.array, "linear", (value,), {"dtype": kind})

    return construct


def _unknown(kind: Any, dtype: Any, value: Any) -> Number:
    """A scalar of a number that is not known: of the one that it is in this world, so that `i` and `i + 32` stay 32 apart."""
    made = Number(dtype)
    if type(value) is Unknown and type(value.sample) in (int, float) and dtype.kind in "iuf":
        with contextlib.suppress(OverflowError):
            made.stand_for(kind(value.sample).item())
    return made


def _dtype(env: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
    made = np.dtype(Inputs().real(value))
    return made if made.kind in KINDS else Unknown(f"the dtype {made.name}")


def _ndarray(env: Any, *args: Any, **kwargs: Any) -> Any:
    return Unknown("an array made by numpy.ndarray()")


def is_scalar(value: Any) -> bool:
    """Whether a value is one of numpy's own scalars (a known one), or a class of them."""
    return np is not None and (
        isinstance(value, np.generic) or (isinstance(value, type) and issubclass(value, np.generic))
    )


SCALAR_METHODS = frozenset(
    "item astype tolist round sum mean max min all any copy squeeze conj conjugate is_integer".split()
)
"""Methods of numpy's scalars that may be called."""


# ---------------------------------------------------------------- modules


def list_stand_ins() -> None:
    """Once a process: make the modules, and put what they hold on the list of callables."""
    if np is None:
        return
    for path in ("torch._numpy", "torch._numpy.linalg", "torch._numpy.fft"):
        namespaces.behind(path)
    operators.install()
    numpy = _module("numpy", np)
    for name in dir(np):
        value = getattr(np, name, None)
        if isinstance(value, np.ufunc):
            setattr(numpy, name, _stand_in(name, value, "ufunc"))
        elif isinstance(value, type) and issubclass(value, np.generic) and value.__module__ == "numpy":
            setattr(numpy, name, value)
            if np.dtype(value).kind in KINDS if value not in _ABSTRACT else False:
                shims.shim(value)(_scalar(value))
    for name in (
        "pi",
        "e",
        "inf",
        "nan",
        "newaxis",
        "euler_gamma",
        "Inf",
        "NaN",
        "Infinity",
        "PINF",
        "NINF",
        "__version__",
    ):
        if hasattr(np, name):
            setattr(numpy, name, getattr(np, name))
    numpy.ndarray = Array
    numpy.dtype = np.dtype
    shims.shim(np.dtype)(_dtype)
    shims.shim(Array)(_ndarray)
    for name in ("finfo", "iinfo"):
        setattr(numpy, name, getattr(np, name))
    for name in ("r_", "c_", "mgrid", "ogrid", "s_", "index_exp"):
        setattr(numpy, name, Subscripted(name))
    numpy.errstate = _errstate
    for name, why in READS.items():
        setattr(numpy, name, _given_up(why))
    for name in NOTHING:
        setattr(numpy, name, _nothing)
    for name, function in stored.FUNCTIONS.items():
        setattr(numpy, name, function)
    for part in ("linalg", "fft"):
        inner = _module(f"numpy.{part}", getattr(np, part))
        setattr(numpy, part, inner)
        for name, value in vars(np.linalg).items():
            if isinstance(value, type) and issubclass(value, Exception):
                setattr(inner, name, value)
    _list_random(numpy)
    numpy.polynomial = polynomial = types.ModuleType("numpy.polynomial")
    _MODULES["numpy.polynomial"] = polynomial
    for part in ("legendre", "hermite", "laguerre", "chebyshev"):
        setattr(polynomial, part, _module(f"numpy.polynomial.{part}", getattr(np.polynomial, part)))
    lib: Any = types.ModuleType("numpy.lib")
    numpy.lib = lib
    lib.stride_tricks = _module("numpy.lib.stride_tricks", np.lib.stride_tricks)
    _MODULES["numpy.lib"] = lib
    for module in _MODULES.values():
        namespaces.INSTEAD[module.__name__] = module
        for name, value in vars(module).items():
            if callable(value):
                _list(value, f"{module.__name__}.{name}")
    for owner in (Array, Number, random.Generator, random.RandomState):
        _list(owner, f"numpy.{owner.__name__}")
        for name, value in vars(owner).items():
            function = value.__func__ if isinstance(value, staticmethod) else value
            if callable(function) and allowed.readable(name):
                _list(function, name)
                if isinstance(value, types.FunctionType):
                    allowed.own_method(value, owner)
    JOINS.update(dict.fromkeys([Array, Number, *filter(is_scalar, vars(numpy).values())], joined))
    BESIDE_PLAIN[:] = [beside_plain]
    texts.ITEMS[Array] = item


def _list(value: Any, name: str) -> None:
    """They look for unknown arguments themselves."""
    allowed.list_callable(value, name)
    allowed.TAKES_UNKNOWNS.add(id(value))


def _module(path: str, real: types.ModuleType) -> Any:
    """A module with stand-ins for what `functions` lists of the real one."""
    module = _MODULES[path] = types.ModuleType(path)
    for name, kind in LISTED.items():
        function = getattr(real, name, None)
        if callable(function) and not isinstance(function, (type, np.ufunc)):
            setattr(module, name, _stand_in(name, function, kind))
    return module


def _list_random(numpy: Any) -> None:
    inner: Any = types.ModuleType("numpy.random")
    _MODULES["numpy.random"] = numpy.random = inner
    for name, function in random.SHARED.items():
        setattr(inner, name, function)
    inner.RandomState, inner.Generator, inner.default_rng = (
        random.RandomState,
        random.Generator,
        random.default_rng,
    )


_ABSTRACT = (
    ()
    if np is None
    else (
        np.generic,
        np.number,
        np.integer,
        np.signedinteger,
        np.unsignedinteger,
        np.inexact,
        np.floating,
        np.complexfloating,
        np.flexible,
        np.character,
    )
)
