"""What the interpreted program may hold and call: its own, and what is listed. Everything native comes in through `admit`."""

from __future__ import annotations

import inspect
import types
import typing
from typing import Any

import torch
from torch import nn
from torch._functorch import eager_transforms
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from .. import HOME, arrays, shims
from ..unknowns.unknown import Unknown
from ..wall import allowed, namespaces
from .own import being_made, interpreted_class, is_constructor, is_interpreted

_DECORATORS = (
    "torch.utils._contextlib",
    "torch.amp",
    "torch._functorch",
    "torch.optim",
    "functools",
    "contextlib",
)
"""Modules of torch and Python whose functions around a function of the user's may be called."""


_PULLBACKS = frozenset(
    code
    for code in inspect.unwrap(vars(eager_transforms)["_vjp_with_argnums"]).__code__.co_consts
    if isinstance(code, types.CodeType)
)
"""The code of what `torch.func.vjp` gives beside the output: a function of torch's own, around no function."""

_AROUND_THE_GATE = frozenset("__getattribute__ __getattr__ __setattr__ __delattr__".split())
"""Slots of C classes that read and write attributes natively: see `shims.builtins`."""


_NEVER = (
    types.FrameType,
    types.CodeType,
    types.TracebackType,
    types.MappingProxyType,
    types.CellType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    typing.ForwardRef,
    TorchDispatchMode,
    TorchFunctionMode,
)
"""Values that lead into the machinery of Python, of torch or of this tracer."""
_QUICK = frozenset(
    (
        int,
        float,
        str,
        bool,
        type(None),
        tuple,
        list,
        dict,
        slice,
        range,
        torch.Size,
        torch.dtype,
        torch.device,
        Unknown,
    )
)


_MACHINERY = frozenset(
    "os io _io posix nt socket _socket subprocess ctypes _ctypes threading _thread multiprocessing select mmap "
    "_frozen_importlib _frozen_importlib_external importlib zipimport inspect".split()
)
"""Packages of Python whose objects are handles on the world outside, whatever can be called of them."""
_GIVEN = tuple(f"{HOME}{part}" for part in ("arrays", "stdlib", "neighbours", "unknowns.counted"))
"""Where the objects of ours are made that programs hold."""


def _is_machinery(kind: type) -> bool:
    home = kind.__module__
    if type(home) is not str or interpreted_class(kind):
        return False
    if home.startswith(HOME):
        return not home.startswith(_GIVEN)
    return home.split(".")[0] in _MACHINERY


def _is_namespace(names: dict[Any, Any]) -> bool:
    """Whether a dict is the names of a real module: what is written there, the module does."""
    return names.get("__loader__") is not None or names.get("__builtins__") is not None


def may_hold(value: Any) -> bool:
    """Whether the interpreted program may have this value: anything but a callable that is not listed."""
    if type(value) is dict:
        return not _is_namespace(value)
    if isinstance(value, types.ModuleType):
        return is_interpreted(value) or namespaces.path_of(value) is not None
    if isinstance(value, _NEVER):
        return False
    if isinstance(value, (torch.Tensor, nn.Module, Unknown)):
        return True
    return callable_listed(value) if callable(value) else not _is_machinery(type(value))


def admit(value: Any) -> Any:
    """A value on its way into the program, from native code: itself, its stand-in, or an Unknown."""
    if type(value) is dict and _is_namespace(value):
        return Unknown("the names of a module are not followed")
    if type(value) in _QUICK or isinstance(value, (torch.Tensor, nn.Module)):
        return value
    value = shims.given_out(value)
    return value if may_hold(value) else Unknown("what it gives is not followed")


def callable_listed(value: Any) -> bool:
    """Whether a callable may be called: the user's own, or listed by identity or by its owner."""
    if is_interpreted(value) or allowed.name_of(value) is not None:
        return True
    if not isinstance(value, type) and (interpreted_class(type(value)) or being_made(type(value))):
        return True  # before anything is read of it: it may answer for all its attributes
    if getattr(value, "__name__", None) in ("format", "format_map") and not isinstance(
        value, types.FunctionType
    ):
        return False  # text templates read attributes natively
    if getattr(value, "__name__", None) in _AROUND_THE_GATE and not isinstance(value, types.FunctionType):
        inner = getattr(value, "__func__", value)
        if is_interpreted(inner) or shims.SHIMS.get(id(inner)) is not None:
            return True
        return isinstance(value, types.MethodWrapperType) and interpreted_class(type(value.__self__))
    if isinstance(value, types.MethodType):
        return callable_listed(value.__func__) or allowed.is_neighbours(value)
    if isinstance(value, type):
        return interpreted_class(value) or value in allowed._OWNERS
    if isinstance(value, (types.BuiltinMethodType, types.MethodWrapperType)):
        owner = value.__self__
        if isinstance(owner, types.ModuleType) or owner is None:
            return False
        if arrays.is_scalar(owner):
            return value.__name__ in arrays.SCALAR_METHODS
        cls = owner if isinstance(owner, type) else type(owner)
        return allowed.readable(value.__name__) and (allowed.owner_listed(cls) or _derived(cls))
    if isinstance(
        value, (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)
    ):
        if arrays.is_scalar(value.__objclass__):
            return False
        return allowed.readable(value.__name__) and allowed.owner_listed(value.__objclass__)
    if isinstance(value, types.FunctionType):
        if value.__code__ in _PULLBACKS or is_constructor(value):
            return True
        inner = getattr(value, "__wrapped__", None)  # a decorator of torch's around a function of the user's
        home = str(value.__globals__.get("__name__"))
        return inner is not None and home.startswith(_DECORATORS) and callable_listed(inner)
    if isinstance(value, (nn.Module, torch.Tensor)):
        return True
    partial = getattr(value, "func", None)
    if type(value).__module__ == "functools" and partial is not None:
        return callable_listed(partial)
    if type(value).__module__ == "functools":
        inner = getattr(value, "__wrapped__", None)
        return inner is not None and callable_listed(inner)
    return allowed.owner_listed(type(value)) or type(value).__module__ in (
        "typing",
        "types",
        "operator",
        "contextlib",
    )


def _derived(cls: type) -> bool:
    """A class of the user's, or of a listed library, over listed ones."""
    return interpreted_class(cls) or any(allowed.owner_listed(base) for base in cls.__mro__[:-1])
