"""Reading and writing attributes of live values, through the wall."""

from __future__ import annotations

import collections
import contextlib
import enum
import importlib.util
import sys
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from .. import arrays, shims
from ..fakes.devices import device_of
from ..log.facts import same
from ..state import ATTRIBUTE, NAME, settle, unsure
from ..state import write as put
from ..stdlib import formatting
from ..unknowns import doubts, records, texts
from ..unknowns.alike import kind_of_items
from ..unknowns.grown import DICTS, STORES, Mark, copied, grown, mark_of, surely_has
from ..unknowns.unknown import MISSING, Unknown, likely
from ..unknowns.values import strip
from ..wall import allowed, namespaces
from ..worlds import worlds
from . import copies, replaced, resized
from .admitted import may_hold
from .own import being_made, interpreted_class, is_interpreted, named_by, own
from .unfamiliar import lacks

if TYPE_CHECKING:
    from ..run import Run


def read(run: Run, value: Any, name: str) -> Any:
    """`value.name`. Unknown where the wall does not give it out; raises what Python raises."""
    if run.switched.replaced and (instead := replaced.read(run, value, name)) is not MISSING:
        return instead
    try:
        found = _read(run, value, name)
        return resized.read(run, value, found) if run.switched.resized else found
    except AttributeError:
        if (lost := lacks(value)) is not None:
            return lost
        raise


def _read(run: Run, value: Any, name: str) -> Any:
    value = likely(value)
    if type(value) is Unknown:
        if name == "backward":
            run.switched.gradients = False
        if value.kind is not None and (method := texts.method(value, name)) is not None:
            return method
        if value.options and all(isinstance(one, nn.Module) for one in value.options):
            with contextlib.suppress(AttributeError):
                return run.join([_read(run, one, name) for one in value.options])
        return Unknown(value.why, value.tensor and name in namespaces.TENSOR_TO_TENSOR)
    if not allowed.readable(name) and not _is_a_name_of_its_own(value, name):
        return _own_protocol(value, name)
    if isinstance(value, types.ModuleType):
        return _of_interpreted(run, value, name) if is_interpreted(value) else _of_module(value, name)
    if name == "__module__":
        home = getattr(value, name)
        return named_by(home) if type(home) is str else Unknown("the module of what it is")
    if (lost := unsure(value, name)) is not None:
        return lost
    if isinstance(value, torch.Tensor):
        if doubts.NOW.active and (why := doubts.hidden(value, name)) is not None:
            return Unknown(why, name == "grad")
        if name == "device":
            return torch.device(device_of(value))
        if name in ("is_cuda", "is_cpu", "is_mps"):
            return device_of(value).split(":")[0] == name[3:]
    elif (isinstance(value, str) or (isinstance(value, type) and issubclass(value, str))) and name in (
        "format",
        "format_map",
    ):
        if type(value) is not str or name != "format":
            return Unknown("text of a value")
        return own(lambda *args, **named: formatting.filled(value, args, named))
    elif isinstance(
        value, (types.FunctionType, types.CodeType, types.FrameType, types.TracebackType)
    ) and name not in (
        "__name__",
        "__qualname__",
        "__doc__",
        "__annotations__",
        "cache_clear",
    ):
        return _of_function(value, name)
    if name == "setdefault" and (mark := mark_of(value)) is not None and mark.sure:
        grown(value, *mark[1:5])  # it may have had the key
    if isinstance(value, _CONTAINERS) and name not in _MUTATORS and (mark := mark_of(value)) is not None:
        if mark.sure and name in ("get", "pop"):
            return own(_of_some_items(value, name, mark))
        if name in _TAKES:
            grown(value, *mark[1:5])  # changed once more
            if name in ("pop", "popleft") and mark.alike and isinstance(value, (list, collections.deque)):
                return _one_of(value, mark.why)
        if (copy := copies.method(value, name)) is not None:
            return copy
        if name in _COUNTS:
            return texts.counting(mark.why)
        if type(value) is list and not hasattr(value, name) and hasattr(nn.ModuleList, name):
            return Unknown(mark.why)  # it may be one of torch's
        reading = texts.reading(value, name) if isinstance(value, dict) and type(value) in DICTS else None
        return Unknown(mark.why) if reading is None else reading
    if name == "__members__" and isinstance(value, enum.EnumMeta):
        return dict(value.__members__)
    if name == "__dict__" and (names := _names_of(value)) is not None:
        return names
    result = shims.given_out(getattr(value, name))
    if name == "grad" and result is None and not run.switched.gradients and isinstance(value, torch.Tensor):
        return Unknown("whether it has a gradient")
    if type(result) is float and worlds.is_real(result):
        return worlds.real("a number that nobody knows")
    if isinstance(result, (list, dict, set)) and _is_shared(value, name):
        result = copied(result)  # a change of the file's must not reach the next file
    return result if may_hold(result) else Unknown(f"{_owner(value)}.{name} is not followed")


def _names_of(value: Any) -> Any:
    """`__dict__`: a copy of that of a class of the file's or of a layer of torch's; None of the file's own objects, which give theirs."""
    if isinstance(value, type) and interpreted_class(value):
        return {
            key: one if may_hold(one) else Unknown(f"{_owner(value)}.{key}")
            for key, one in vars(value).items()
        }
    if not isinstance(value, type) and interpreted_class(type(value)):
        return None
    if isinstance(value, types.SimpleNamespace):
        return None
    if isinstance(value, nn.Module):
        return dict(vars(value))  # its tables of weights and layers are the ones it has
    return Unknown("the __dict__ of what is not the file's own")


def _of_some_items(value: Any, name: str, mark: Mark) -> Callable[..., Any]:
    """`get` or `pop` of a dict that has some of its items for certain."""

    def read(key: Any, *default: Any) -> Any:
        found = value[key] if surely_has(value, key) else Unknown(mark.why)
        if name == "pop":
            grown(value, *mark[1:5])
        return found

    return read


def _of_function(value: Any, name: str) -> Any:
    """An attribute that the file itself has set on a function."""
    if isinstance(value, types.FunctionType):
        if name in value.__dict__:
            found = value.__dict__[name]
            return found if may_hold(found) else Unknown(f"{name} of a function")
        if is_interpreted(value) and not hasattr(value, name):
            raise AttributeError(f"'function' object has no attribute '{name}'")
    return Unknown(f"{name} of a function")


def _is_a_name_of_its_own(value: Any, name: str) -> bool:
    """Whether what leads into the machinery elsewhere (`constant` of a fake tensor) is a name of the file's here."""
    cls = type(value)
    if name.startswith("_") or isinstance(value, (torch.Tensor, type, types.ModuleType)):
        return False
    if not (interpreted_class(cls) or issubclass(cls, torch.autograd.function.FunctionCtx)):
        return False
    return not any(name in vars(base) and not interpreted_class(base) for base in cls.__mro__)


def _own_protocol(value: Any, name: str) -> Any:
    """`Base.__add__`, `self.__matmul__`: of the file's own classes what they define themselves, of others nothing."""
    cls = value if isinstance(value, type) else type(value)
    for base in cls.__mro__:
        if name in vars(base):
            found = vars(base)[name]
            if isinstance(found, types.FunctionType) and is_interpreted(found):
                return found if value is cls else types.MethodType(found, value)
            break
    return Unknown(f"{name} is not followed")


def _is_shared(value: Any, name: str) -> bool:
    """Whether an attribute belongs to a class that is not the user's, and so to every file."""
    if name in getattr(value, "__dict__", ()) and not isinstance(value, type):
        return False
    for cls in (value if isinstance(value, type) else type(value)).__mro__:
        if name in vars(cls):
            return not is_interpreted(cls)
    return False


def _one_of(items: Any, why: str) -> Unknown:
    """What takes an item out of a list of unknown length, whose items are alike."""
    made = Unknown(why)

    def answer(*args: Any) -> Any:
        try:
            return kind_of_items(items, same)
        except LookupError:
            return Unknown(why)

    made.answer = answer
    return made


_CONTAINERS = (list, dict, set, collections.deque)
_COUNTS = frozenset("index count".split())
_TAKES = frozenset("pop remove popitem popleft sort reverse rotate".split())
_MUTATORS = {"append", "extend", "insert", "update", "setdefault", "add", "clear", "appendleft", "extendleft"}


def _owner(value: Any) -> str:
    return value.__name__ if isinstance(value, (type, types.ModuleType)) else type(value).__name__


def _of_interpreted(run: Run, module: types.ModuleType, name: str) -> Any:
    """A name of a module of the user's. Raises AttributeError."""
    names = module.__dict__
    if name in names or (run.modules.catch_up(module, name) and name in names):
        return names[name]
    hook = names.get("__getattr__")
    if hook is not None and is_interpreted(hook):
        return hook(name)
    if name == "__dict__":
        return names
    raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")


def _of_module(held: types.ModuleType, name: str) -> Any:
    path = namespaces.path_of(held)
    module = None if path is None else namespaces.behind(path)
    if path is None or module is None:
        return Unknown(f"{name} of a module is not followed")
    instead = namespaces.MEMBERS.get((path, name))
    if instead is not None:
        return instead
    if name == "__dict__":
        return {one: _of_module(held, one) for one in dir(module) if not one.startswith("__")}
    try:
        result = shims.given_out(getattr(module, name))
    except AttributeError:
        found = namespaces.find(f"{path}.{name}") if namespaces.is_listed(f"{path}.{name}") else None
        if found is not None:
            return found
        if path not in namespaces.WHOLE and not _has_not(module, name):
            return Unknown(f"{path}.{name} is not followed")
        raise
    if isinstance(result, types.ModuleType):
        stand_in = namespaces.find(result.__name__) if namespaces.is_listed(result.__name__) else None
        return Unknown(f"{path}.{name} is not followed") if stand_in is None else stand_in
    if namespaces.INSTEAD.get(path) is module:
        return result
    plain = isinstance(result, (*allowed.PLAIN, torch.dtype, torch.layout, torch.memory_format, torch.device))
    if plain or allowed.name_of(result) is not None:
        return result
    if type(result).__module__.startswith("typing") or type(result) in (tuple,):
        return result
    return Unknown(f"{path}.{name} is not followed")


def _has_not(module: types.ModuleType, name: str) -> bool:
    """Whether torch itself has no such name in this version: what asks for it raises (`torch.ifft` in the branch for old ones)."""
    if sys.modules.get(module.__name__) is not module or not module.__name__.startswith("torch"):
        return False
    try:
        return importlib.util.find_spec(f"{module.__name__}.{name}") is None
    except (ImportError, ValueError):
        return True


def write(run: Run, value: Any, name: str, new: Any) -> None:
    """`value.name = new`, noted in the journal. What is not the user's own is left as it is."""
    replaced.note(run, value, name, new)
    if isinstance(value, types.ModuleType):
        if is_interpreted(value) and allowed.readable(name):
            run.journal.note(NAME, value.__dict__, name)
            value.__dict__[name] = new
        return
    is_torchs = isinstance(value, type) and issubclass(value, nn.Module) and not interpreted_class(value)
    if is_torchs and hasattr(value, name):
        run.switched.changed_layers.add(value)
    if type(value) in STORES and not name.startswith("_"):
        setattr(value, name, new)
        return
    if not _writable(value, name) or (isinstance(value, torch.Tensor) and type(new) is Unknown):
        return
    if (
        isinstance(value, (type, types.FunctionType))
        and name in ("__name__", "__qualname__")
        and type(new) is not str
    ):
        return
    run.journal.note(ATTRIBUTE, value, name)
    for other in records.others(value):
        run.journal.note(ATTRIBUTE, other, name)
        vars(other)[name] = run.join([getattr(other, name, MISSING), new])
    settle(value, name)
    if name == "data" and isinstance(value, torch.Tensor):
        strip(value)
    if type(new) is Unknown and isinstance(value, nn.Module):
        put(ATTRIBUTE, value, name, new)  # torch takes no such thing in the place of a parameter or a layer
    elif name in ("real", "imag") and isinstance(value, torch.Tensor):
        getattr(value, name).copy_(new)  # as its setter does where no mode of torch's sees it
    elif isinstance(new, (nn.Parameter, nn.Module)):
        # torch asks whether it has one already: a property of the file's may fail
        with run.catching((AttributeError,)):
            setattr(value, name, new)
    else:
        setattr(value, name, new)


def delete(run: Run, value: Any, name: str) -> None:
    """`del value.name`, likewise."""
    if _writable(value, name) and not isinstance(value, torch.Tensor):
        run.journal.note(ATTRIBUTE, value, name)
        delattr(value, name)


def _writable(value: Any, name: str) -> bool:
    if type(value) is Unknown or isinstance(value, types.ModuleType):
        return False
    if not allowed.readable(name) and not _is_a_name_of_its_own(value, name):
        return False
    writable = interpreted_class(value if isinstance(value, type) else type(value)) or isinstance(
        value,
        (torch.Tensor, nn.Module, arrays.Array, types.SimpleNamespace, torch.autograd.function.FunctionCtx),
    )
    if being_made(type(value)):
        return True
    if isinstance(value, types.FunctionType):
        writable = is_interpreted(value)
    elif type(value).__module__.startswith(("torch.optim", "torch.utils.data", "transformers.")):
        writable = True
    return writable
