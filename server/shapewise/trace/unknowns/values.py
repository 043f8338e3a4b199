"""Values of small tensors, where the text decides them and not data.

A small tensor made of literals (`torch.tensor([3, 5])`, `torch.eye(4)`, `torch.arange(n)`) and what
is computed of such carries a real tensor beside it. So `x[~torch.eye(4, dtype=torch.bool)]`,
`lengths.tolist()` and `int(mask.sum())` have their sizes. A tensor of random integers carries one
number that each of its elements may be in the world that is traced: see `worlds`.

Writing in place is followed. Where it is not, or is taken back since it was done on one way of an unknown condition, the
version counters of the two tensors no longer move together, and the value is void.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch.utils._mode_utils import no_dispatch

from ..fakes.devices import tensors_in
from ..worlds import worlds
from .carriers import CAST, COUNTS, DRAWN, FILLED, KEEP, MAKERS, OF_NUMBERS, POINTWISE, WHOLE

LIMIT = 4096
"""Elements of the largest tensor that carries its value."""
_ATTRIBUTE = "_shapewise_value"
_DATA_OF = "_shapewise_data_of"
"""On what `tensor.data` gave, and on its views: the tensor. They share memory, and no version counter."""


class _Value(NamedTuple):
    real: torch.Tensor
    whole: bool
    """Whether `real` is the tensor's whole value; else it has no dims and is what an element may be."""
    lead: int
    """By how much the version of the fake tensor is ahead of the real one's."""
    limits: tuple[int, int] | None = None
    """Between which each element is another number; None if `real` is what every one is."""


class _Numbers:
    """The numbers of a real tensor, as the journal knows them."""

    def writes(self, real: torch.Tensor) -> int:
        """How often they were written."""
        return real._version

    def void(self, real: torch.Tensor) -> None:
        """Whatever lies over its memory carries no value any more."""
        with torch.inference_mode(False), no_dispatch(), torch._C.DisableTorchFunction():
            real.zero_()


_NUMBERS = _Numbers()


def held(tensor: torch.Tensor) -> _Value | None:
    """What a tensor carries, if it still holds."""
    value: _Value | None = getattr(tensor, _ATTRIBUTE, None)
    if value is None:
        return None
    with torch._C.DisableTorchFunction():
        if tensor.requires_grad or tensor.is_inference():
            return None
        return value if tensor._version - value.real._version == value.lead else None


def known(tensor: torch.Tensor) -> torch.Tensor | None:
    """The whole value of a tensor, as a real one, or None where it is not known."""
    value = held(tensor)
    return value.real if value is not None and value.whole else None


def element(tensor: torch.Tensor) -> int | float | None:
    """A number that every element may be in this world, or None where there is none."""
    value = held(tensor)
    if value is None or (value.whole and value.real.numel() != 1):
        return None
    with no_dispatch(), torch._C.DisableTorchFunction():
        number = value.real.item()
    return number if isinstance(number, (int, float)) else None


def each(tensor: torch.Tensor) -> int | float | None:
    """What one of its elements may be in this world: apart, each is another number."""
    value = held(tensor)
    if value is None or value.limits is None:
        return element(tensor)
    return worlds.within(*value.limits)


def carry(
    tensor: torch.Tensor, real: torch.Tensor, whole: bool = True, limits: tuple[int, int] | None = None
) -> None:
    """From now on the tensor has this value."""
    if tensor.requires_grad or tensor.is_inference():
        return
    if real.is_inference():  # computed by real torch while inference mode is on: no version is counted
        with torch.inference_mode(False), no_dispatch(), torch._C.DisableTorchFunction():
            real = real.clone()
    setattr(tensor, _ATTRIBUTE, _Value(real, whole, tensor._version - real._version, limits))


def strip(tensor: torch.Tensor) -> None:
    """The value is no longer known: the tensor stands for several."""
    if hasattr(tensor, _ATTRIBUTE):
        delattr(tensor, _ATTRIBUTE)
    if getattr(tensor, "constant", None) is not None:  # FakeTensor's own memory of a single number
        tensor.constant = None


def overwritten(tensor: torch.Tensor) -> None:
    """Something was written into a tensor, and nobody knows what: neither it nor what lies over its memory carries a value."""
    value: _Value | None = getattr(tensor, _ATTRIBUTE, None)
    strip(tensor)
    if value is not None:
        _NUMBERS.void(value.real)
    source = getattr(tensor, _DATA_OF, None)
    if source is not None:
        overwritten(source)


def hold_no_whole(tensor: torch.Tensor) -> None:
    """The tensor was made of samples: each of its numbers may be any of them."""
    value = held(tensor)
    if value is not None and value.whole and value.real.numel() > 1:
        hold_sample(tensor, tensor)


def hold_sample(tensor: torch.Tensor, source: torch.Tensor) -> None:
    """Each number of the tensor may be any of those of another: the lowest in one world, the highest in the next."""
    value = held(source)
    strip(tensor)
    if value is not None and value.real.numel() and not value.real.is_complex():
        worlds.take()
        with no_dispatch(), torch._C.DisableTorchFunction():
            numbers = value.real.flatten().sort().values
            chosen = numbers[worlds.within(0, len(numbers) - 1)].clone()
            if tensor.dtype == chosen.dtype:
                carry(tensor, chosen, whole=False)


def alike(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Whether two tensors carry the same value, or none."""
    first, second = held(left), held(right)
    if first is None or second is None:
        return first is second and getattr(left, "constant", None) is getattr(right, "constant", None)
    with no_dispatch(), torch._C.DisableTorchFunction():
        return first.whole == second.whole and torch.equal(first.real, second.real)


# ---------------------------------------------------------------- following what torch computes


def follow(
    func: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    result: Any,
    note: Callable[[torch.Tensor, Any], None],
) -> bool:
    """Carry values on to what a call gave. `note` is told what is about to be written. True if it did."""
    done = _follow(func, args, kwargs, result, note)
    if not args or (source := getattr(args[0], _DATA_OF, None)) is None:
        return done
    name = getattr(func, "__name__", "")
    if (name.endswith("_") and not name.endswith("__")) or name in _IN_PLACE:
        value = held(source) if done else None
        if value is None:
            overwritten(source)
        else:
            with torch.inference_mode(False), no_dispatch(), torch._C.DisableTorchFunction():
                value.real.copy_(value.real.clone())
            carry(source, value.real, value.whole)
    elif done and name.strip("_") in KEEP:
        for made in tensors_in(result):
            setattr(made, _DATA_OF, source)
    return done


def _follow(
    func: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    result: Any,
    note: Callable[[torch.Tensor, Any], None],
) -> bool:
    name = getattr(func, "__name__", "")
    if name == "__get__":
        name = getattr(func.__self__, "__name__", "")
        if name == "data" and (value := held(args[0])) is not None:
            with no_dispatch(), torch._C.DisableTorchFunction():
                carry(result, value.real.data, value.whole)
            setattr(result, _DATA_OF, getattr(args[0], _DATA_OF, args[0]))
            return True
    if func in DRAWN or func in COUNTS:
        if _draw(name, args, kwargs, result) if func in DRAWN else _count(args, kwargs, result):
            return True
    elif func in MAKERS:
        return _made(func, name, args, kwargs, result)
    plain = name.strip("_")
    if plain not in WHOLE and plain not in CAST:
        return False
    in_place = (name.endswith("_") and not name.startswith("__")) or name in _IN_PLACE
    given = tensors_in(args) + tensors_in(kwargs)
    values = [held(tensor) for tensor in given]
    if in_place and given:  # it was written to just now: if its value held before, it will again
        values[0] = getattr(given[0], _ATTRIBUTE, None)
    if not given or None in values:
        return False
    by_id = {id(tensor): value for tensor, value in zip(given, values) if value is not None}
    if plain in CAST:
        value = by_id[id(given[0])]
        if isinstance(result, torch.Tensor) and result is not given[0]:
            with no_dispatch(), torch._C.DisableTorchFunction():
                carry(result, value.real.to(result.dtype, copy=True), value.whole)
        return True
    whole = all(value.whole for value in by_id.values())
    if not whole and (in_place or not (plain in KEEP or plain in POINTWISE)):
        return False
    if not all(tensor.numel() <= LIMIT for tensor in tensors_in(result)):
        return False
    if not whole and plain in KEEP:
        sample = next(value for value in by_id.values() if not value.whole)
        for one in tensors_in(result):
            if sample.limits is None:
                carry(one, sample.real, False)
            else:
                _one_between(one, sample.limits, are_several=one.numel() != 1)
        return True
    if not whole and any(value.whole and value.real.numel() != 1 for value in by_id.values()):
        return False
    if in_place:
        note(by_id[id(given[0])].real, _NUMBERS)
        source = held(getattr(given[0], _DATA_OF, given[0]))
        if source is not None:
            note(source.real, _NUMBERS)
    try:
        with no_dispatch(), torch._C.DisableTorchFunction():
            real = func(*_real(args, by_id, whole), **_real(kwargs, by_id, whole))
    except Exception:
        return False
    if in_place:
        return True
    return _pair(result, real, whole)


_IN_PLACE = frozenset("__setitem__ __iadd__ __isub__ __imul__ __iand__ __ior__ __ixor__".split())


def _real(value: Any, by_id: dict[int, _Value], whole: bool) -> Any:
    if isinstance(value, torch.Tensor):
        real = by_id[id(value)].real
        return real if whole else real.reshape(())
    if isinstance(value, (tuple, list)):  # no fake tensor may be left anywhere: torch would read its memory
        items = [_real(item, by_id, whole) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if type(value) is slice:
        return slice(*[_real(part, by_id, whole) for part in (value.start, value.stop, value.step)])
    if isinstance(value, dict):
        return {key: _real(item, by_id, whole) for key, item in value.items() if key != "device"}
    if not isinstance(value, _PLAIN):
        raise TypeError
    return value


_PLAIN = (
    int,
    float,
    complex,
    str,
    type(None),
    type(Ellipsis),
    torch.dtype,
    torch.layout,
    torch.memory_format,
)


def _pair(result: Any, real: Any, whole: bool) -> bool:
    if isinstance(result, torch.Tensor) and isinstance(real, torch.Tensor):
        if result.dtype != real.dtype or (whole and result.shape != real.shape):
            return False
        return _attach(result, real, whole)
    if isinstance(result, (tuple, list)) and isinstance(real, (tuple, list)) and len(result) == len(real):
        return all(_pair(one, other, whole) for one, other in zip(result, real))
    return False


def _attach(tensor: torch.Tensor, real: torch.Tensor, whole: bool) -> bool:
    carry(tensor, real, whole)
    return True


def _made(func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> bool:
    """A tensor made of literals."""
    if not isinstance(result, torch.Tensor) or result.requires_grad or result.numel() > LIMIT:
        return False
    if func is torch.arange and worlds.is_given(len(result)):
        return False  # how far it goes only data decides
    if name in ("tensor", "as_tensor", "asarray", "new_tensor"):
        source = args[-1] if args else None
        given = tensors_in(source)
        values = {id(tensor): value for tensor in given if (value := held(tensor)) is not None}
        if len(values) != len({id(tensor) for tensor in given}) or not all(v.whole for v in values.values()):
            return False
        if not given and not isinstance(source, (int, float, bool, complex, list, tuple)):
            return False
        if given and isinstance(source, torch.Tensor) and name != "tensor":
            return False
    with no_dispatch(), torch._C.DisableTorchFunction():
        try:
            if name in FILLED:
                real = torch.full(tuple(result.shape), FILLED[name], dtype=result.dtype)
            elif func in OF_NUMBERS:
                plain = {key: value for key, value in kwargs.items() if key not in _WHERE}
                real = func(*args, **{**plain, "dtype": result.dtype})
            else:
                real = torch.tensor(_real(source, values, True), dtype=result.dtype)
        except Exception:
            return False
    return real.shape == result.shape and _attach(result, real, True)


_WHERE = frozenset("device pin_memory requires_grad layout out dtype".split())


def _draw(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> bool:
    """A tensor of integers that data or chance decides, between limits that the text decides."""
    if not isinstance(result, torch.Tensor) or result.is_floating_point() or result.requires_grad:
        return False
    limits = limits_of(name, args, kwargs)
    if limits is None or limits[0] > limits[1]:
        return False
    _one_between(result, limits, are_several=result.numel() != 1)
    return True


def _one_between(tensor: torch.Tensor, limits: tuple[int, int], are_several: bool) -> None:
    """It holds a number between these; apart, each of several is another."""
    with no_dispatch(), torch._C.DisableTorchFunction():
        real = torch.tensor(worlds.within(*limits), dtype=tensor.dtype)
    carry(tensor, real, False, limits if are_several and worlds.here().apart is not None else None)


def _count(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> bool:
    """How much of a mask is true, which is the length of what it takes: `x[mask]`, `torch.zeros(mask.sum())`."""
    if len(args) != 1 or kwargs or not isinstance(args[0], torch.Tensor) or args[0].dtype != torch.bool:
        return False
    if known(args[0]) is not None or not args[0].dim():
        return False
    worlds.note("counted")
    with no_dispatch(), torch._C.DisableTorchFunction():
        real = torch.tensor(worlds.length("", args[0]).sample, dtype=result.dtype)
    return _attach(result, real, False)


def limits_of(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[int, int] | None:
    """The lowest and the highest number that an element may be."""
    numbers = [arg for arg in args if type(arg) is int]
    if name == "randint":
        low = kwargs.get("low", numbers[0] if len(numbers) > 1 else 0)
        high = kwargs.get("high", numbers[1] if len(numbers) > 1 else numbers[0] if numbers else None)
        return (low, high - 1) if type(low) is int and type(high) is int else None
    if name == "randperm":
        return (0, numbers[0] - 1) if numbers else None
    if not args or not isinstance(args[0], torch.Tensor) or not args[0].dim():
        return None
    source = args[0]
    if known(source) is not None:
        return None  # it is computed
    if name == "multinomial":
        return 0, source.shape[-1] - 1
    dim = kwargs.get("dim", args[1] if len(args) > 1 else None)
    return 0, (source.numel() if dim is None else source.shape[dim]) - 1
