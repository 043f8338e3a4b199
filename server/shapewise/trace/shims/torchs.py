"""Torch: what depends on data."""

from __future__ import annotations

import contextlib
import types
from typing import TYPE_CHECKING, Any

import torch

from .. import arrays
from ..arrays import array_to_tensor
from ..fakes import across
from ..fakes.devices import tensors_in
from ..fakes.torchmode import DATA_DEPENDENT
from ..loading.collate import collate
from ..loading.loaders import random_split
from ..unknowns import samples, values
from ..unknowns.unknown import Lost, Unknown, is_truth, yes_or_no
from ..wall import allowed
from ..worlds import worlds
from . import SHIMS, given_out, shim

if TYPE_CHECKING:
    from ..run import Env


@shim(torch.from_numpy)
def _from_numpy(env: Env, array: Any) -> Any:
    tensor = array_to_tensor(array)
    if tensor is None:
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    return arrays.shared(array, tensor)


@shim(torch.cuda.is_available)
def _has_card(env: Env) -> bool:
    """What the file does where there is a card is followed too, in a run of its own."""
    env.run.switched.asked_for_card = True
    return env.run.card or torch.cuda.is_available()


@shim(torch.cuda.device_count)
def _cards(env: Env) -> int:
    env.run.switched.asked_for_card = True
    return 1 if env.run.card else torch.cuda.device_count()


_RANDOM_STATE = torch.get_rng_state().numel()


@shim(torch.get_rng_state)
def _rng_state(env: Env) -> torch.Tensor:
    return torch.empty(_RANDOM_STATE, dtype=torch.uint8)


@shim(torch.set_rng_state)
def _set_rng_state(env: Env, new_state: Any) -> None:
    """What is drawn from it is not known anyway."""


_DATA = "depends on the data"


@shim(torch.allclose, torch.equal, torch.Tensor.allclose, torch.Tensor.equal)
def _alike(env: Env, *args: Any, **kwargs: Any) -> Any:
    """They are compared where they stand on one device."""
    both = tensors_in(args) + tensors_in(kwargs)
    if across.several(both):
        torch.eq(*both)
    return yes_or_no(_DATA)


@shim(torch.is_nonzero)
def _data_dependent(env: Env, *args: Any, **kwargs: Any) -> Any:
    return yes_or_no(_DATA)


@shim(torch.Tensor.item)
def _item(env: Env, tensor: torch.Tensor) -> Any:
    """The number in a tensor: known, or one that it may be in this world."""
    if tensor.numel() != 1:
        return tensor.item()
    real = values.known(tensor)
    if real is not None:
        return tensor.item()
    return _some_number(tensor)


def _number_of(kind: Any) -> Any:
    def convert(env: Env, *args: Any, **kwargs: Any) -> Any:
        if not args or not isinstance(args[0], torch.Tensor):
            return kind(*args, **kwargs)
        found = _item(env, args[0])
        if is_truth(found) and type(found) is Unknown:
            return worlds.real(_DATA) if kind is float else worlds.between(0, 1, _DATA)
        return samples.computed(kind, [found], _DATA) if type(found) is Unknown else kind(found)

    return convert


shim(int)(_number_of(int))
shim(float)(_number_of(float))


def _most(function: Any) -> Any:
    """`max` and `min`: of a whole number in a tensor and others, one of them."""
    plain = SHIMS[id(function)]

    def shim(env: Env, *args: Any, **kwargs: Any) -> Any:
        try:
            return plain(env, *args, **kwargs)
        except (Lost, *DATA_DEPENDENT):
            if len(args) < 2 or kwargs or not all(map(_is_a_whole_number, args)):
                raise
        return samples.computed(
            function, [_item(env, arg) if isinstance(arg, torch.Tensor) else arg for arg in args], _DATA
        )

    return shim


def _is_a_whole_number(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return value.dim() == 0 and value.dtype in _WHOLE
    return type(value) is int


_WHOLE = (torch.int64, torch.int32)
shim(max)(_most(max))
shim(min)(_most(min))


def _some_number(tensor: torch.Tensor) -> Unknown:
    sample = values.each(tensor)
    if sample is not None:
        return Unknown(_DATA, sample=sample)
    if tensor.is_floating_point():
        return worlds.real(_DATA)
    return yes_or_no(_DATA) if tensor.dtype == torch.bool else worlds.number(_DATA)


@shim(torch.Tensor.tolist)
def _tolist(env: Env, tensor: torch.Tensor) -> Any:
    """The numbers in a tensor, nested as its dims are."""
    if values.known(tensor) is not None:
        return tensor.tolist()
    if tensor.numel() > values.LIMIT:
        return Unknown(_DATA)
    made: Any = [_some_number(tensor) for _ in range(tensor.numel())]
    for size in reversed(tensor.shape[1:]):
        made = [made[start : start + size] for start in range(0, len(made), size)] if size else []
    return made if tensor.dim() else made[0]


@shim(torch.Tensor.__repr__, torch.Tensor.__str__)
def _of_data(env: Env, *args: Any, **kwargs: Any) -> Any:
    return Unknown("depends on the data")


@shim(torch.Tensor.apply_, torch.Tensor.map_, torch.Tensor.map2_)
def _each(env: Env, tensor: torch.Tensor, *args: Any) -> torch.Tensor:
    """They write where a fake tensor has no memory: torch's own ends the process."""
    values.strip(tensor)
    return tensor


@shim(torch.quantize_per_tensor, torch.quantize_per_channel, torch.quantize_per_tensor_dynamic)
def _quantized(env: Env, *args: Any, **kwargs: Any) -> Any:
    """A fake one has the dtype of what was quantized."""
    raise Lost("a quantized tensor")


@shim(torch.utils.data.default_collate)
def _collate(env: Env, batch: Any, **kwargs: Any) -> Any:
    return collate(list(batch))


allowed.TAKES_UNKNOWNS.add(id(given_out(torch.utils.data.default_collate)))


@shim(torch.utils.data.random_split)
def _random_split(env: Env, *args: Any, **kwargs: Any) -> Any:
    return random_split(*args, **kwargs)


allowed.TAKES_UNKNOWNS.add(id(given_out(torch.utils.data.random_split)))


def _of_array(kind: Any, dtype: torch.dtype) -> Any:
    """`torch.FloatTensor(array)`: torch's own reads the array's memory, which a stand-in has none of.

    Of an array of that dtype it is a tensor over the same memory, as `torch.from_numpy` gives.
    """

    def construct(env: Env, *args: Any, **kwargs: Any) -> Any:
        sizes = args[0] if len(args) == 1 and isinstance(args[0], torch.Size) else args
        if all(type(size) is int for size in sizes) and not kwargs:
            # Of what torch's own makes no view can be taken: its fake tensor stands on a real one.
            return torch.empty(sizes or (0,), dtype=None if kind is torch.Tensor else dtype)
        tensor = array_to_tensor(args[0]) if args else None
        if tensor is None and args and type(args[0]) in (list, tuple, range) and not kwargs:
            tensor = None if type(args[0]) is range else arrays.stacked(args[0])
            if tensor is None:
                return torch.tensor(args[0], dtype=dtype)
        if tensor is not None and tensor.dtype == dtype and type(args[0]) is arrays.Array:
            return arrays.shared(args[0], tensor)
        return kind(*args, **kwargs) if tensor is None else tensor.to(dtype, copy=True)

    return construct


_LEGACY = {
    "Float": torch.float32,
    "Double": torch.float64,
    "Half": torch.float16,
    "BFloat16": torch.bfloat16,
    "Long": torch.int64,
    "Int": torch.int32,
    "Short": torch.int16,
    "Char": torch.int8,
    "Byte": torch.uint8,
    "Bool": torch.bool,
}
for _name, _dtype in _LEGACY.items():
    _kind = getattr(torch, f"{_name}Tensor")
    shim(_kind)(_of_array(_kind, _dtype))
shim(torch.Tensor)(_of_array(torch.Tensor, torch.float32))


@shim(torch.autograd.set_detect_anomaly, torch.autograd.detect_anomaly)
def _anomaly(env: Env, *args: Any, **kwargs: Any) -> Any:
    """Anomaly mode looks at the numbers of gradients, which are not there."""
    return contextlib.nullcontext()


@shim(torch.jit.isinstance)
def _is_instance(env: Env, obj: Any, target_type: Any) -> Any:
    """Of a class, Python's own; what it says of `list[torch.Tensor]` and the like is not known."""
    kinds = target_type if isinstance(target_type, tuple) else (target_type,)
    if not all(isinstance(one, type) and not isinstance(one, types.GenericAlias) for one in kinds):
        return yes_or_no("torch.jit.isinstance of what is within")
    return isinstance(obj, kinds)
