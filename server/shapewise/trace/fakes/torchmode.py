"""What torch is made to do differently while a trace runs.

`Guard` sees every torch function, those called inside torch's own modules included. It carries the
device, remembers the innermost call that failed (for `replay`), and stands in where fake tensors
cannot go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses import fake_tensor
from torch.overrides import TorchFunctionMode
from torch.utils._device import _device_constructors

from .. import arrays
from ..arrays import array_to_tensor, tensor_to_array
from ..refusals import checks
from ..refusals.fitting import fitted
from ..state import Journal
from ..unknowns import doubts, values
from ..unknowns.carriers import MAKERS
from ..unknowns.unknown import Lost
from ..worlds import worlds
from . import across, autocast, beforehand, devices, generators, no_kernel
from .devices import CPU, common, device_of, place, tensors_in, with_index

if TYPE_CHECKING:
    from ..run import Run

Handler = Callable[["Guard", tuple[Any, ...], dict[str, Any]], Any]
_HANDLERS: dict[Any, Handler] = {}

DATA_DEPENDENT = tuple(
    getattr(fake_tensor, name)
    for name in (
        "DataDependentOutputException",
        "DynamicOutputShapeException",
        "UnsupportedOperatorException",
        "UnsupportedFakeTensorException",
    )
    if hasattr(fake_tensor, name)
)
"""Legal code whose outcome only data decides: never a finding."""


_FILLS = frozenset((torch.Tensor.uniform_, torch.Tensor.normal_, torch.Tensor.zero_, torch.Tensor.fill_))
"""Writes that change no fact."""


class Guard(TorchFunctionMode):
    """Active for the whole of a trace, around FakeTensorMode."""

    def __init__(self, journal: Journal) -> None:
        super().__init__()
        self.journal = journal
        self.valued = False
        """Whether any tensor of this trace carries its value."""
        self.foreign = False
        """Whether any tensor of this trace stands elsewhere than on the CPU."""
        self.shortened = False
        """Whether an encoder was asked for that cuts padding off."""
        self.default = CPU
        """Where tensors are made that name no device."""
        self.measured = False
        """Whether it is counted what is run: then no part of it may be left out."""
        self.failed: tuple[Exception, Any, tuple[Any, ...], dict[str, Any]] | None = None
        self.run: Run | None = None
        """The trace, while it is on made-up inputs: see `uncalled`."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        assumed = self.run
        attempt = assumed.attempt if assumed is not None else None
        if attempt is not None and assumed is not None:
            attempt.before(func, args, kwargs)
            if func in _FILLS:
                if assumed.recorder.mute:
                    return args[0]  # values do not matter while inputs are looked for
                attempt.is_unlike_a_look = True
        devices.SHOWN.on = False
        try:
            if self.foreign:
                args, kwargs = autocast.cast(func, args, kwargs)
                if autocast.meant_for_the_cpu(args, kwargs):
                    with torch.autocast("cpu", enabled=False):
                        return self._call(func, args, kwargs)
            if doubts.NOW.active:
                result = doubts.follow(self._call, func, args, kwargs)
            else:
                result = self._call(func, args, kwargs)
        except Exception as error:
            if self.failed is None or self.failed[0] is not error:
                self.failed = (error, func, args, kwargs)
            raise
        finally:
            devices.SHOWN.on = self.foreign
        if attempt is not None:
            assert assumed is not None
            attempt.after(assumed, func, args, kwargs, result)
        if self.valued or func in MAKERS:
            self.valued |= values.follow(func, args, kwargs, result, self.journal.note_numbers)
        return result

    def __exit__(self, *details: Any) -> None:
        devices.SHOWN.on = False
        super().__exit__(*details)

    def plainly(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call as it is, on the device that its arguments name or stand on."""
        if kwargs.get("device") is not None:
            device = with_index(kwargs["device"])
            return self.put(self._asked(func, args, {**kwargs, "device": CPU}), device)
        if not self.foreign:
            return self._asked(func, args, kwargs)
        if self.default != CPU and func in _device_constructors():
            return self.put(self._asked(func, args, kwargs), self.default)
        given = tensors_in(args) + tensors_in(kwargs)
        if across.several(given):
            return across.call(lambda: self._asked(func, args, kwargs), given)
        return place(self._asked(func, args, kwargs), devices.where(given[0]) if given else CPU)

    def _asked(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call; where it asks a tensor for its number (`torch.arange(n)`), with a number in its place."""
        try:
            return func(*args, **kwargs)
        except DATA_DEPENDENT:
            plain = [_numbered(arg) for arg in args], {key: _numbered(arg) for key, arg in kwargs.items()}
            if not any(one is not arg for one, arg in zip(plain[0], args)) and all(
                plain[1][key] is kwargs[key] for key in kwargs
            ):
                raise
            return func(*plain[0], **plain[1])

    def carry(self, tensor: torch.Tensor, real: torch.Tensor) -> None:
        """Let a tensor carry its value from now on."""
        values.carry(tensor, real)
        self.valued = True

    def _call(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        generator = kwargs.get("generator")
        if isinstance(generator, torch.Generator):
            generators.drawn(generator, args, kwargs, self.default)
        made: list[Any] = []
        if self.foreign and across.several(tensors_in(args) + tensors_in(kwargs)):
            made = self._between_devices(func, args, kwargs)
        try:
            error = checks.refused(func, args, kwargs)
            if error is not None:
                raise error
            result = made[0] if made else self._handled(func, args, kwargs)
        except RuntimeError:
            fitting = fitted(func, args) if worlds.used() else None
            if fitting is None:
                raise
            result = self._handled(func, fitting, kwargs)
        if self.foreign:
            no_kernel.lacking(func, args)
        return result

    def _between_devices(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The result, if the call gives one: torch asks where tensors stand before all else. Raises DeviceMismatch."""
        beforehand.refuse(func, args, kwargs)
        if func not in _HANDLERS:
            try:
                return [self.plainly(func, args, kwargs)]
            except devices.DeviceMismatch:
                raise
            except Exception:
                pass  # it is raised again, if nothing is said of dtypes
        return []

    def _handled(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        handler = _HANDLERS.get(func)
        return self.plainly(func, args, kwargs) if handler is None else handler(self, args, kwargs)

    def make_on(self, device: torch.device) -> None:
        """From now on tensors are made there, where nothing else is said."""
        self.default = device
        self.foreign = self.foreign or device != CPU

    def put(self, value: Any, device: torch.device) -> Any:
        """Place a result on a device."""
        if device != CPU:
            self.foreign = True
        return place(value, device)


def handles(*functions: Any) -> Callable[[Handler], Handler]:
    """Register what is called in the place of these functions of torch, wherever they are called from."""

    def register(handler: Handler) -> Handler:
        for function in functions:
            _HANDLERS[function] = handler
        return handler

    return register


# ---------------------------------------------------------------- values


def number_in(tensor: torch.Tensor) -> int | float:
    """The number in a tensor of no dims, or one that it may be in this world."""
    worlds.use()
    number = values.element(tensor)
    if number is not None:
        if worlds.here().counted:
            worlds.take()
        return number
    worlds.take()
    sample = worlds.real("") if tensor.is_floating_point() else worlds.number("")
    return sample.sample


def _numbered(value: Any) -> Any:
    """A tensor of no dims as its number, in a size or a slice too."""
    if isinstance(value, torch.Tensor) and value.dim() == 0 and value.dtype != torch.bool:
        return number_in(value)
    if type(value) in (tuple, list):
        made = type(value)([_numbered(item) for item in value])
        return made if any(one is not item for one, item in zip(made, value)) else value
    return value


def whole_index(index: Any) -> Any:
    """An index whose 0-dim integer tensors are a number: the same view, whatever the number is."""
    if isinstance(index, tuple):
        return tuple(whole_index(item) for item in index)
    if type(index) is slice:
        return slice(_numbered(index.start), _numbered(index.stop), _numbered(index.step))
    if type(index) is arrays.Number and index.dtype.kind in "iu":
        return 0
    if type(index) is arrays.Array:
        index = array_to_tensor(index)
    if (
        isinstance(index, torch.Tensor)
        and index.dim() == 0
        and not index.is_floating_point()
        and index.dtype != torch.bool
    ):
        return 0
    return index


@handles(torch.Tensor.numpy)
def _numpy(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    tensor = args[0]
    if tensor.requires_grad and devices.where(tensor) == CPU and not kwargs.get("force"):
        raise devices.spoken(
            RuntimeError,
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
        )
    return tensor_to_array(tensor)


_LITERAL = 1_000_000
_SHORT = 64


def _numbers_in(value: Any) -> int:
    """How many numbers a nested list holds, by the length of its first items."""
    count, depth = 1, 0
    while isinstance(value, (list, tuple)) and value and depth < 32:
        count, value, depth = count * len(value), value[0], depth + 1
    return count


def _literal(source: Any) -> tuple[Any, torch.dtype] | None:
    """A short array of known numbers as Python's, so that the tensor knows them too."""
    if (
        type(source) is arrays.Array
        and 0 < source.size <= _SHORT
        and arrays.is_known(source)
        and source.is_plain()
    ):
        return source.tolist(), arrays.torch_dtype(source.dtype)
    return None


def _constructor(function: Any, copies: bool) -> Handler:
    def handler(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        device = kwargs.pop("device", None)
        source = args[0] if args else None
        literal = _literal(source)
        if literal is not None:
            made = function(literal[0], *args[1:], **{"dtype": literal[1], **kwargs})
        elif (tensor := array_to_tensor(source)) is not None:
            made = tensor.clone() if copies else arrays.shared(source, tensor)
            if kwargs.get("dtype") is not None:
                made = made.to(kwargs["dtype"])
            if kwargs.get("requires_grad"):
                made.requires_grad_()
        else:
            if _numbers_in(source) > _LITERAL:
                raise Lost("too large a literal to follow")
            stacked = arrays.stacked(source) if isinstance(source, (list, tuple)) else None
            if stacked is None:
                made = function(*args, **kwargs)
            else:
                made = stacked.to(kwargs.get("dtype") or stacked.dtype)
                made.requires_grad_(bool(kwargs.get("requires_grad")))
        here = torch.device(device_of(source)) if isinstance(source, torch.Tensor) else guard.default
        return guard.put(made, here if device is None else with_index(device))

    return handler


_HANDLERS[torch.tensor] = _constructor(torch.tensor, True)
_HANDLERS[torch.as_tensor] = _constructor(torch.as_tensor, False)
_HANDLERS[torch.asarray] = _constructor(torch.asarray, False)


@handles(torch.Tensor.new_tensor)
def _new_tensor(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    like, rest = args[0], args[1:]
    options = {"dtype": like.dtype, "device": device_of(like), **kwargs}
    return _HANDLERS[torch.tensor](guard, rest, options)


# ---------------------------------------------------------------- what fake tensors get wrong


@handles(torch._native_multi_head_attention)
def _fast_attention(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The fast path of MultiheadAttention: its output is contiguous (the fake one is transposed, 2.13).

    Weights that are not asked for are None (the fake ones are an empty tensor).
    """
    out, weights = torch._native_multi_head_attention(*args, **kwargs)
    weights = None if weights is None or weights.shape == (0,) else weights
    return place((out.contiguous(), weights), common(tensors_in(args)))


@handles(torch.ctc_loss)
def _ctc_loss(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Its lengths are data; its result is a number for each sequence, or one for all."""
    log_probs, reduction = args[0], args[5] if len(args) > 5 else kwargs.get("reduction", 1)
    each = log_probs.sum((0, 2)) if log_probs.dim() == 3 else log_probs.sum()
    return guard.put(each if reduction == 0 else each.sum(), devices.where(log_probs))
