"""All that a call can see, by value: two calls with equal looks do the same."""

from __future__ import annotations

import argparse
import collections
import enum
import functools
import types
import weakref
from abc import ABC
from typing import TYPE_CHECKING, Any, Generic, Protocol

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils import data
from torch.utils._mode_utils import no_dispatch

from .. import arrays
from ..arrays.array import np
from ..fakes.devices import device_of
from ..fakes.torch_versions import has_any_global_hook
from ..gate.own import interpreted_class, is_interpreted
from ..state import is_unsure
from ..stdlib import arguments
from ..unknowns import doubts, values
from ..unknowns.grown import is_grown
from ..unknowns.unknown import NO_SAMPLE, Unknown
from ..wall import allowed
from ..worlds import worlds
from .code import ATOMS, Unfit, is_code

if TYPE_CHECKING:
    from ..run import Run

_ITEMS = 400
_ALL = 6_000
"""Values that are looked at for one call: it is interpreted otherwise."""
_CONTAINERS = (list, tuple, dict, collections.OrderedDict, collections.deque, collections.defaultdict)
_PLAIN_BASES = frozenset(
    (
        object,
        ABC,
        Generic,
        Protocol,
        types.SimpleNamespace,
        argparse.Namespace,
        arguments.Namespace,
        data.Dataset,
        data.IterableDataset,
    )
)
OF_EVERY_TENSOR = frozenset(
    "_fake_device fake_mode constant pytype dispatch_keys real_tensor _nonzero_memo _nonzero_memo_vc "
    "_nonzero_memo_epoch _item_memo _item_memo_vc _item_memo_epoch _unique_memo _unique_memo_vc _unique_memo_epoch "
    "_unique_consecutive_memo _unique_consecutive_memo_vc _unique_consecutive_memo_epoch _nested_int_memo "
    "_nested_int_memo_vc _nested_int_memo_epoch _is_param _shapewise_device _shapewise_value _shapewise_doubts".split()
)
_HOOKS = frozenset(
    name
    for name in vars(nn.Module())
    if name.startswith("_") and "hook" in name and not name.endswith("_set")
)


_USUALLY_EMPTY = frozenset("_parameters _buffers _modules _non_persistent_buffers_set".split())


class Look:
    """What one call sees. `key` says it; `held` are the objects in the order in which they were met."""

    def __init__(self, run: Run, born: Any = None) -> None:
        """`born`: an object that the call is to fill, of which only its class is seen."""
        self._born = born
        self.key: list[Any] = []
        self.held: list[Any] = []
        self.codes: list[Any] = []
        """The functions and classes of the file, each time with all code that they reach."""
        self.tensors: list[tuple[int, torch.Tensor]] = []
        self.buffers: set[int] = set()
        """Tensors (by id) that torch's own layers write to."""
        self._run = run
        self._at: dict[int, int] = {}
        self._memories: dict[int, int] = {}
        self._tokens: dict[int, None] = {}

    def modes(self) -> None:
        """What is switched on. Raises Unfit where it is more than can be compared."""
        run = self._run
        if torch._C._functorch.peek_interpreter_stack() is not None or has_any_global_hook():
            raise Unfit
        if doubts.NOW.contexts or doubts.NOW.written:
            raise Unfit
        autocast = [
            torch.is_autocast_enabled(kind) and torch.get_autocast_dtype(kind) for kind in ("cpu", "cuda")
        ]
        self.key += (
            torch.is_grad_enabled(),
            torch.is_inference_mode_enabled(),
            *autocast,
            torch.get_default_dtype(),
            run.guard.default,
            run.guard.foreign,
            run.guard.shortened,
            run.card,
            *run.switched.state(),
            worlds.here().apart is not None,
            run.random.held is None,
            run.numpy_random.held is None,
            tuple(kind for kinds in run.handlers for kind in kinds),
        )

    def code(self, root: Any) -> None:
        """A function or class of the file, and the values that its code reads."""
        code = self._run.codes.of(root)
        self.key.append(code.token)
        if code.token in self._tokens:
            return
        self._tokens[code.token] = None
        self.codes.append(code)
        for names, name in code.values:
            try:
                self.value(names[name])
            except KeyError:
                raise Unfit from None

    def value(self, value: Any) -> None:
        """Add a value to the key. Raises Unfit."""
        kind = type(value)
        if kind in ATOMS:
            self.key += (kind, value)
            return
        if kind is float:
            self.key += (kind, value if value else str(value))
            return
        if kind is tuple:
            self._container(value, kind)
            return
        at = self._at.get(id(value))
        if at is not None:
            self.key.append(("again", at))
            return
        self._at[id(value)] = len(self.held)
        self.held.append(value)
        if len(self.held) > _ALL:
            raise Unfit
        if value is self._born:
            self.key.append("born")
            self.code(kind)
        elif kind is FakeTensor:
            self._tensor(value)
        elif isinstance(value, torch.Tensor):
            raise Unfit
        elif isinstance(value, nn.Module):
            self._module(value, kind)
        elif kind in _CONTAINERS:
            self._container(value, kind)
        elif kind is Unknown:
            if value.holds_objects:
                raise Unfit
            self.key += (kind, value.why, value.tensor, value.kind, value.limits)
            if value.sample is not NO_SAMPLE:
                if type(value.sample) not in (int, float):
                    raise Unfit
                self.key += (type(value.sample), value.sample)
        elif kind is set or kind is frozenset:
            if len(value) > _ITEMS or not all(type(item) in (str, int) for item in value):
                raise Unfit
            self.key += (kind, frozenset(value))
        elif kind is slice:
            self.key.append(kind)
            for part in (value.start, value.stop, value.step):
                self.value(part)
        elif kind is types.FunctionType and is_code(value):
            self.code(value)
        elif kind is types.MethodType and is_code(value.__func__):
            self.key.append(kind)
            self.code(value.__func__)
            self.value(value.__self__)
        elif kind is functools.partial:
            self.key.append(kind)
            for part in (value.func, value.args, value.keywords):
                self.value(part)
        elif arrays.is_scalar(value) and not isinstance(value, type):
            self.key += (kind, value.item())
        elif kind is arrays.Array:
            if not arrays.is_known(value) or value.size > _ITEMS or not value.is_plain():
                raise Unfit
            self.key += (kind, value.dtype, value.shape, str(value.tolist()))
        elif kind is weakref.ref:  # a recurrent layer's to its weights
            self.key.append(kind)
            self.value(value())
        elif isinstance(value, type):
            if interpreted_class(value):
                self.code(value)
            else:
                self.key.append(value)
        elif isinstance(value, enum.Enum):
            self.code(kind) if interpreted_class(kind) else self.key.append(kind)
            self.key.append(value.name)
        elif allowed.name_of(value) is not None:
            self.key.append(value)
        else:
            self._object(value, kind)

    def _container(self, value: Any, kind: Any) -> None:
        if len(value) > _ITEMS or is_grown(value) is not None:
            raise Unfit
        self.key += (kind, len(value))
        if kind in (list, tuple, collections.deque):
            for item in value:
                self.value(item)
            return
        if kind is collections.defaultdict:
            self.value(value.default_factory)
        for name, item in value.items():
            self.value(name)
            self.value(item)

    def _object(self, value: Any, kind: Any) -> None:
        """An object of a class of the file's."""
        if isinstance(value, tuple) and interpreted_class(kind) and hasattr(kind, "_fields"):
            self.code(kind)
            for item in value:
                self.value(item)
            return
        if not is_plain(kind):
            raise Unfit
        self.code(kind) if interpreted_class(kind) else self.key.append(kind)
        self._attributes(vars(value))

    def _attributes(self, held: dict[str, Any]) -> None:
        self.key.append(len(held))
        for name, item in held.items():
            self.key.append(name)
            self.value(item)

    def _module(self, value: nn.Module, kind: Any) -> None:
        held = vars(value)
        own = interpreted_class(kind)
        if own:
            self.code(kind)
        elif not kind.__module__.startswith("torch.nn"):
            raise Unfit
        else:
            self.key.append(kind)
        if is_grown(value) is not None or has_hooks(held):
            raise Unfit
        if not own:
            self.buffers.update(map(id, held.get("_buffers", {}).values()))
        for name, item in held.items():
            if name in _HOOKS:
                continue
            if name in _USUALLY_EMPTY and isinstance(item, (dict, set)) and not item:
                continue
            self.key.append(name)
            self.value(item)

    def _tensor(self, value: Any) -> None:
        attributes = vars(value)
        if not attributes.keys() <= OF_EVERY_TENSOR or attributes.get("_shapewise_doubts"):
            raise Unfit
        if is_unsure(value):
            raise Unfit
        if value.layout is not torch.strided or value.is_quantized:
            raise Unfit
        if value.is_neg() or value.is_conj() or value._has_symbolic_sizes_strides or value._backward_hooks:
            raise Unfit
        grad = value.grad if value.is_leaf else None
        memory = value.untyped_storage()._cdata
        self.tensors.append((len(self.held) - 1, value))
        self.key += (
            FakeTensor,
            value.shape,
            value.dtype,
            value.stride(),
            value.storage_offset(),
            value.requires_grad,
            value.is_leaf,
            device_of(value),
            "_is_param" in attributes,
            value.is_inference(),
            self._memories.setdefault(memory, len(self._memories)),
            None if grad is None else (grad.dtype, grad.stride(), grad.requires_grad),
        )
        if id(value) in self.buffers:
            return  # a count of batches, say
        carried = values.held(value) if "_shapewise_value" in attributes else None
        if carried is not None:
            self.key += (carried.whole, numbers_of(carried.real))
        if value.constant is not None:
            self.key += ("constant", numbers_of(value.constant))

    def memory_of(self, tensor: torch.Tensor) -> int | None:
        """Which of the memories seen a tensor looks at."""
        return self._memories.get(tensor.untyped_storage()._cdata)

    def place_of(self, value: Any) -> int | None:
        """Where an object was met."""
        at = self._at.get(id(value))
        return at if at is not None and self.held[at] is value else None


def is_plain(kind: type) -> bool:
    """Whether the objects of a class are their attributes, and nothing more."""
    return all(
        not vars(base).get("__slots__") if is_interpreted(base) else base in _PLAIN_BASES or _is_listed(base)
        for base in kind.__mro__
    )


def _is_listed(base: type) -> bool:
    """Distributions are what they are made of."""
    return base.__module__.startswith("torch.distributions.")


def has_hooks(held: dict[str, Any]) -> bool:
    """Whether something is hung on a layer that has these attributes."""
    for name in _HOOKS & held.keys():
        hooks = held[name]
        if bool(hooks) if isinstance(hooks, dict) else hooks not in (None, False):
            return True
    return False


def numbers_of(real: torch.Tensor) -> Any:
    """The numbers in a small real tensor, to be compared."""
    with no_dispatch(), torch._C.DisableTorchFunction():
        if real.is_complex():
            return str(real.tolist())
        if not real.dim():
            return real.dtype, str(real.item())
        flat = real.detach().contiguous().view(torch.uint8).reshape(-1)
        return real.dtype, real.shape, bytes(flat.tolist()) if np is None else flat.numpy().tobytes()
