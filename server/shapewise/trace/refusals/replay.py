"""What real torch says of one call: it is made again on real CPU tensors.

People search for the real text of an error, and fake tensors word a fifth of all errors differently
and miss one in twenty (measured on torch's error inputs). The stand-ins have the same shapes,
strides, dtypes and shared memory, and the numbers that are known (see `values`). Where none are
known an integer is 0 and any other number 1: an index and a probability in range.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import torch
from torch._C._functorch import (
    _add_batch_dim,
    _wrap_for_grad,
    get_unwrapped,
    is_batchedtensor,
    is_gradtrackingtensor,
    maybe_get_bdim,
    maybe_get_level,
)
from torch.utils._python_dispatch import _disable_current_modes

from .. import HOME, memory
from ..unknowns.values import known
from .asked_before import once

_LIMIT = 256 * 1024 * 1024
"""Bytes of address space one stand-in may reserve; beyond that all of it is one element (stride 0)."""
_FILLED = 1_000_000
"""Elements up to which a stand-in is filled: torch checks before it computes, so the others stay untouched."""

_COMPUTE_FIRST = frozenset("cross_entropy cross_entropy_loss multi_head_attention_forward".split())
"""What computes with the first that it is given before it looks at the rest: not asked about what is large."""
_ATTENTION = "scaled_dot_product_attention"
"""It computes all weights before it looks at the mask: asked about few, of queries and keys as narrow as can be."""
_COMPUTE_BEFORE_DTYPES = frozenset(
    f"conv{transposed}{rank}d" for transposed in ("", "_transpose") for rank in (1, 2, 3)
)
"""What lays out its whole input before it looks at the dtypes, after the sizes: asked about one sample of a batch."""
_LAID_OUT = 4_000_000
"""Elements up to which that takes no more than some tenths of a second."""


_FEW = 32
"""Of a dim that is large, as much as is asked about where sizes do not matter."""

_MOST_DETAILS = 6
"""Lines below the first that are told."""

_ARRAY = re.compile(
    r"(?<=got )ndarray\b|(?<=not )ndarray\b|(?<=['(=!])ndarray(?=[',)!])|(?<=, )ndarray(?=[,)])"
)
"""Where native code says of an array of ours what its class is called: of numpy's it says more."""


def first_line(error: BaseException) -> str:
    """The first line of an error's message; a fake tensor is a tensor in it, our array numpy's."""
    return _as_of_real(str(error).strip().split("\n")[0])


def _as_of_real(line: str) -> str:
    return _ARRAY.sub("numpy.ndarray", line.replace("FakeTensor", "Tensor"))


def details(error: BaseException) -> tuple[str, ...]:
    """The lines below a first one that only announces them: `Error(s) in loading state_dict for Net:`."""
    first, *rest = str(error).strip().split("\n")
    return tuple(_as_of_real(line.strip()) for line in rest[:_MOST_DETAILS]) if first.endswith(":") else ()


class _StandIns:
    """Real tensors for those of one call; what shares memory goes on sharing it.

    Those made in inference mode are made there too: autograd refuses to keep them. `computed`: for a call whose result
    is wanted. Integers are 1 then (a weight), and what is computed of something that requires grad does so as well.
    """

    def __init__(self, computed: bool = False) -> None:
        self._computed = computed
        self._tensors: dict[int, torch.Tensor] = {}
        self._memories: dict[tuple[int, torch.dtype, bool], torch.Tensor] = {}
        self.faithful = True
        """Whether every stand-in has the memory layout of what it stands for."""

    def of(self, value: Any) -> Any:
        """The same value with real tensors.

        Raises NotImplementedError for a stand-in of ours, which real torch does not know, and
        RuntimeError for a tensor that has no memory of its own.
        """
        if isinstance(value, torch.Tensor):
            if id(value) not in self._tensors:
                with torch.inference_mode(value.is_inference()):
                    self._tensors[id(value)] = self._tensor(value)
            return self._tensors[id(value)]
        if type(value) in (tuple, list):
            return type(value)(self.of(item) for item in value)
        if type(value) is dict:
            return {key: self.of(item) for key, item in value.items()}
        if type(value) is slice:
            return slice(self.of(value.start), self.of(value.stop), self.of(value.step))
        if str(type(value).__module__).startswith(HOME):
            raise NotImplementedError
        return value

    def _tensor(self, value: torch.Tensor) -> torch.Tensor:
        if is_batchedtensor(value) or is_gradtrackingtensor(value):
            return self._within(value)
        storage = value.untyped_storage()
        size = storage.nbytes()
        if size > _LIMIT:
            self.faithful = False
            real = torch.ones((), dtype=value.dtype).expand(value.shape)
        else:
            memory = self._memory(storage._cdata, size, value.dtype)
            real = memory.as_strided(value.shape, value.stride(), value.storage_offset())
            numbers = known(value)
            if numbers is not None:
                once = tuple(slice(0, 1) if step == 0 else slice(None) for step in value.stride())
                real[once].copy_(numbers[once])  # what is expanded lies there once
        if real.is_floating_point() or real.is_complex():
            if value.requires_grad and (value.is_leaf or self._computed):
                real = real.data.requires_grad_()  # a leaf is no view
        return real

    def _within(self, value: torch.Tensor) -> torch.Tensor:
        """One of those that `vmap` goes over, or that `grad` differentiates by: it has no memory of its own."""
        whole, level = self.of(get_unwrapped(value)), maybe_get_level(value)
        while is_gradtrackingtensor(whole) and maybe_get_level(whole) >= level:  # made within it
            whole = get_unwrapped(whole)
        if is_gradtrackingtensor(value):
            return _wrap_for_grad(whole, level)
        return _add_batch_dim(whole, maybe_get_bdim(value), level)

    def _memory(self, number: int, size: int, dtype: torch.dtype) -> torch.Tensor:
        key = (number, dtype, torch.is_inference_mode_enabled())
        made = self._memories.get(key)
        if made is None:
            shared = next((one for (other, *_), one in self._memories.items() if other == number), None)
            if shared is not None:
                made = torch.empty(0, dtype=dtype).set_(shared.untyped_storage())
            else:
                made = torch.empty(size // dtype.itemsize, dtype=dtype)
                if made.numel() <= _FILLED:
                    made.fill_(self._computed or dtype.is_floating_point or dtype.is_complex)
            self._memories[key] = made
        return made


@contextlib.contextmanager
def _unwatched() -> Iterator[None]:
    """Real torch, and what is looked at meanwhile is not what the user's code looks at."""
    with _disable_current_modes(), torch._C.DisableTorchFunction():
        yield


_OF_THIS_MACHINE = ("can't allocate memory", "INTERNAL ASSERT FAILED")
"""What this machine, or torch, says of itself, and not of the call."""


def replay(error: Exception, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception | None:
    """What real torch raises at a call that fake tensors refused with `error`.

    None if it does not refuse it; `error` itself where it cannot be asked.
    """
    with _unwatched():
        name = getattr(func, "__name__", "")
        args = _narrow(func, args)
        if (name in _COMPUTE_FIRST and _largest(args) > _FILLED) or _is_dear(func, args):
            return error
        raised = once(_answer, func, args, kwargs)
    return error if isinstance(raised, _Unasked) else raised


class _Unasked(Exception):
    """Real torch cannot be asked."""


def _answer(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception | None:
    stand_ins = _StandIns()
    try:
        real_args, real_kwargs = stand_ins.of(args), stand_ins.of(kwargs)
    except (RuntimeError, NotImplementedError):
        return _Unasked()
    raised = _raised(func, real_args, real_kwargs)
    if isinstance(raised, MemoryError) or any(words in str(raised) for words in _OF_THIS_MACHINE):
        return _Unasked()
    if not stand_ins.faithful and _asks_for_layout(func):
        return _Unasked()
    return raised


def _is_dear(func: Any, args: tuple[Any, ...]) -> bool:
    """Whether a call computes much before it refuses what it is given.

    A convolution lays out its input before it looks at dtypes. It looks at sizes before: of those it is asked.
    """
    name = getattr(func, "__name__", "")
    if name == _ATTENTION:
        return _weights(args) > _FILLED
    dtypes = {arg.dtype for arg in args if isinstance(arg, torch.Tensor)}
    of_dtypes = len(dtypes) > 1 or not any(dtype.is_floating_point for dtype in dtypes)
    first = name in _COMPUTE_BEFORE_DTYPES and of_dtypes
    return first and _largest(_one_sample(args)) > _LAID_OUT


def verdict(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], cut: bool = False) -> Exception | None:
    """What real torch raises at a call that fake tensors let pass, if it does and can be asked.

    `replay` need not ask about such an error again: it is `spoken`. `cut`: asked with less of what is large, for what
    does not hang on sizes.
    """
    with _unwatched():
        if cut:
            args, kwargs = _cut(args), _cut(kwargs)
        args = _narrow(func, args)
        if _is_dear(func, args):
            return None
        raised = once(_answer, func, args, kwargs)
    if raised is None or isinstance(raised, _Unasked):
        return None
    raised.spoken = type(raised)  # type: ignore[attr-defined]
    return raised


def computed(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What real torch gives for a call, of which no value is true. Raises what torch raises."""
    with _unwatched():
        stand_ins = _StandIns(computed=True)
        return func(*stand_ins.of(args), **stand_ins.of(kwargs))


def _raised(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception | None:
    if getattr(func, "__name__", "") in _COMPUTE_BEFORE_DTYPES and _largest(args) > _FILLED:
        raised = _raised_by(func, _one_sample(args), kwargs)
        if raised is None or "[" not in str(raised):  # no word on sizes
            return raised
    return _raised_by(func, args, kwargs)


def _narrow(func: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Queries, keys and values with one feature each: what is said of a mask does not hang on how many there are."""
    given = args[:3] if getattr(func, "__name__", "") == _ATTENTION else ()
    if len(given) == 3 and all(isinstance(one, torch.Tensor) and one.dim() >= 2 for one in given):
        query, key, value = given
        if query.shape[-1] == key.shape[-1]:
            return (query[..., :1], key[..., :1], value[..., :1], *args[3:])
    return args


def _cut(value: Any) -> Any:
    """The same with the first of what is many, in each dim."""
    if isinstance(value, torch.Tensor):
        return value[tuple(slice(_FEW) if size > _FEW else slice(None) for size in value.shape)]
    if type(value) in (tuple, list):
        return type(value)(map(_cut, value))
    return {key: _cut(one) for key, one in value.items()} if type(value) is dict else value


def _weights(args: tuple[Any, ...]) -> int:
    """How many weights attention computes, times features."""
    query, key = (*args, None, None)[:2]
    if not (isinstance(query, torch.Tensor) and isinstance(key, torch.Tensor) and key.dim() >= 2):
        return 0
    return query.numel() * key.shape[-2]


def _largest(args: tuple[Any, ...]) -> int:
    return max((arg.numel() for arg in args if isinstance(arg, torch.Tensor)), default=0)


def _one_sample(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same with one sample of the batch that a convolution is given, if it is one."""
    batch, weight, *rest = (*args, None, None)[: max(2, len(args))]
    if isinstance(batch, torch.Tensor) and isinstance(weight, torch.Tensor) and batch.dim() == weight.dim():
        return (batch[:1], weight, *rest)
    return args


def _raised_by(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception | None:
    try:
        with memory.little():
            func(*args, **kwargs)
    except Exception as error:
        return error
    return None


def _asks_for_layout(func: Any) -> bool:
    """Whether strides decide if a call is legal: a view, a write in place."""
    name = str(getattr(func, "__name__", ""))
    return name in ("view", "view_as", "as_strided", "unflatten") or name.endswith("_")
