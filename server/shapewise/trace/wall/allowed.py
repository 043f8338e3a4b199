"""The first wall: which callables may be called, and which attributes may be read.

Everything is denied that is not listed. A callable is listed by identity, with the name it goes by
in the log; a method by the class that owns it. The list is made once, from public namespaces.
"""

from __future__ import annotations

import builtins
import collections
import functools
import inspect
import types
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import nn

from . import namespaces

_NAMES: dict[int, tuple[Any, str]] = {}
"""id of a callable -> the callable itself (so that the id stays its own) and its name."""

_METHOD_OWNERS: dict[int, type] = {}
"""id of a Python function -> what its first argument must be: such a function reads and writes its attributes."""

NEIGHBOURS_DENY: dict[str, frozenset[str]] = {}
"""Packages of `neighbours` that were imported -> methods of their models that may not be called."""

FINAL: dict[int, type | None] = {}
"""Classes (by id) from which the file's own are not made: they look at the annotations of such classes, or run them."""

TAKES_UNKNOWNS: set[int] = set()
"""ids of listed callables of ours that know what to do with unknown arguments."""

QUICK: set[int] = set()
"""ids of listed callables that Python is quickly done with."""
QUICK_OWNERS: set[type] = set()
"""Classes of ours whose methods are such callables."""

PLAIN = (int, float, complex, bool, str, bytes, type(None), type(Ellipsis), type(NotImplemented))
CONTAINERS = (list, tuple, dict, set, frozenset, range, slice, collections.deque, collections.OrderedDict)
_OWNERS: set[type] = {
    *PLAIN,
    *CONTAINERS,
    bytearray,
    collections.defaultdict,
    collections.Counter,
    collections.ChainMap,
    type({}.keys()),
    type({}.values()),
    type({}.items()),
    types.SimpleNamespace,
    types.GeneratorType,
    torch.Size,
    torch.dtype,
    torch.device,
    torch.Generator,
    torch.layout,
    torch.memory_format,
    torch.finfo,
    torch.iinfo,
}
"""Types whose public methods may be called on their instances."""

DENIED_ATTRIBUTES = frozenset(
    "gi_frame gi_code gi_yieldfrom cr_frame cr_code cr_await ag_frame ag_code tb_frame tb_next f_globals f_locals "
    "f_builtins f_back f_code func_globals func_code co_code ctypes share_memory_ share_memory register_hook_dtype "
    "storage untyped_storage _typed_storage data_ptr __reduce__ __reduce_ex__ format_map mro load_derivation fake_mode fake_device real_tensor constant nonzero_memo item_memo unique_memo _registry _held _memory".split()
)
DUNDERS = frozenset(
    "__name__ __qualname__ __doc__ __class__ __dict__ __init__ __call__ __len__ __getitem__ __setitem__ __iter__ "
    "__next__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__ __bool__ __contains__ "
    "__repr__ __str__ "
    "__version__ __new__ __post_init__ __setattr__ __getattr__ __getattribute__ __delattr__ __annotations__ __set_name__ "
    "__init_subclass__ __members__ __getstate__ __dataclass_fields__ __len_hint__ __int__ __float__ __index__ "
    "__file__ __module__ __path__ __package__ __contains__ __enter__ __exit__ __missing__ __delitem__ __reversed__ __all__".split()
)


def name_of(function: Any) -> str | None:
    """The public name of a listed callable, or None."""
    entry = _NAMES.get(id(function))
    return entry[1] if entry is not None and entry[0] is function else None


def listed() -> Iterable[tuple[Any, str]]:
    """Every listed callable with its name; of two that go by one name the first was listed first."""
    return list(_NAMES.values())


def list_callable(function: Any, name: str) -> None:
    """Put one callable on the list, under its first name."""
    _NAMES.setdefault(id(function), (function, name))


def own_method(function: Any, owner: type) -> None:
    """A method of ours: it must be called on an instance of this class."""
    _METHOD_OWNERS[id(function)] = owner


def owner_of(function: Any) -> type | None:
    """The class that a listed Python method must be called on, or None for any other callable."""
    return _METHOD_OWNERS.get(id(function))


def is_on_its_own(function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Whether a listed function that is a method, or takes a module, is called on one.

    Whatever the value says of itself: its `__class__` may be the file's own.
    """
    owner = _METHOD_OWNERS.get(id(function))
    if owner is None:
        return True
    first = args[0] if args else kwargs.get("module", kwargs.get("model"))
    return issubclass(type(first), owner)


def is_neighbours(method: types.MethodType) -> bool:
    """Whether a bound method is that of a model which a neighbour of torch made."""
    home = type(method.__self__).__module__.split(".")[0]
    denied = NEIGHBOURS_DENY.get(home)
    name = str(getattr(method, "__name__", "_"))
    return (
        denied is not None
        and isinstance(method.__self__, nn.Module)
        and str(method.__func__.__module__).split(".")[0] == home
        and not name.startswith("_")
        and name not in denied
    )


def owner_listed(owner: type) -> bool:
    """Whether the public methods of a class may be called."""
    return owner in _OWNERS or name_of(owner) is not None


def readable(name: str) -> bool:
    """Whether an attribute of this name may be read at all, of anything."""
    if name in DENIED_ATTRIBUTES:
        return False
    return name in DUNDERS if name.startswith("__") and name.endswith("__") else True


def _public(module: types.ModuleType) -> Iterable[tuple[str, Any]]:
    for name in dir(module):
        if not name.startswith("_"):
            value = getattr(module, name, None)
            if callable(value) and not isinstance(value, types.ModuleType):
                yield name, value


def _belongs(value: Any, home: str) -> bool:
    return str(getattr(value, "__module__", None) or home).split(".")[0] == home.split(".")[0]


@functools.cache
def build() -> None:
    """Make the list. Takes some tens of milliseconds, once a process."""
    for path, denied in namespaces.WHOLE.items():
        module = namespaces.behind(path)
        if module is None:
            continue
        for name, value in _public(module):
            if name not in denied and _belongs(value, path):
                home = "torch" if getattr(torch, name, None) is value else path
                list_callable(value, f"{home}.{name}")
    for path, names in namespaces.CHOSEN.items():
        module = namespaces.behind(path)
        for name in names.split():
            value = getattr(module, name, None)
            if value is not None:
                list_callable(value, name if path == "builtins" else f"{path}.{name}")
    for name in dir(torch._C._VariableFunctions):
        public = not name.startswith("_") or name.startswith("_foreach_")  # what optimizers are written with
        if public and name not in namespaces.DENIED_OPS:
            value = getattr(torch, name, None)
            if isinstance(value, (types.BuiltinFunctionType, types.FunctionType)):
                list_callable(value, f"torch.{name}")
    list_callable(str.maketrans, "str.maketrans")
    list_callable(bytes.maketrans, "bytes.maketrans")
    for name in dir(builtins):
        value = getattr(builtins, name)
        if isinstance(value, type) and issubclass(value, BaseException):
            list_callable(value, name)
    _OWNERS.update(cls for cls in (nn.Parameter, nn.Module, torch.Tensor, torch.Tensor.__base__))
    for owner in [entry[0] for entry in _NAMES.values() if isinstance(entry[0], type)]:
        list_methods(owner)
    list_methods(torch.Tensor)
    list_methods(nn.Module)
    for function, name in [*_NAMES.values()]:
        if isinstance(function, types.FunctionType) and name.startswith("torch.") and _takes_module(function):
            _METHOD_OWNERS.setdefault(id(function), nn.Module)


def _takes_module(function: types.FunctionType) -> bool:
    """Whether the first argument of a function is a module: it reads attributes of it by names that it is given."""
    return function.__code__.co_varnames[: function.__code__.co_argcount][:1] in (("module",), ("model",))


_HOMES = ("torch", "collections", "enum", "abc", "typing", "contextlib")


_WITH_PRIVATES = (
    "torch.nn.",
    "torch.optim",
    "torch.distributions",
    "torch.autograd.function",
    "torch.utils.data",
)
"""Where programs override and call methods that begin with an underscore. Elsewhere those are machinery:
`EnumType._convert_` reads any module, and writes into it."""


def list_methods(owner: type, homes: tuple[str, ...] = _HOMES, denied: frozenset[str] = frozenset()) -> None:
    """Python methods of a listed class: reached through instances, known by the function below."""
    for base in owner.__mro__:
        if not str(base.__module__).startswith(homes) or base in namespaces.WITHOUT_METHODS:
            continue
        privates = str(base.__module__).startswith(_WITH_PRIVATES)
        for name, value in vars(base).items():
            if name.startswith("_") and not name.startswith("__") and not privates:
                continue
            function = value
            if isinstance(value, (classmethod, staticmethod)):
                function = inspect.unwrap(value.__func__)
                if not isinstance(function, types.FunctionType):
                    function = value.__func__
            if (
                isinstance(function, types.FunctionType)
                and readable(name)
                and name not in namespaces.DENIED_METHODS
                and name not in denied
            ):
                if name_of(function) is None and not isinstance(value, (classmethod, staticmethod)):
                    _METHOD_OWNERS[id(function)] = base
                list_callable(function, name)
