"""FakeTensorMode with a memory in front: an op on the same facts as before gives the same facts again.

torch's own memory of fake ops costs 80 to 150 us a hit, this one some 15. It stands at the same place,
below autograd, so that graphs, views and version counters are made by torch as ever; only what a
fake kernel would find out (sizes, strides, dtype, which argument's memory) is taken from before.

Right because a fake kernel sees nothing of a tensor but what is in the key; where in its memory a tensor begins
is seen by none that makes only new ones (`x[:, t]` of each step of a loop is one to them). What is more than that is
left to torch: ops on nothing but constants, which it computes, and writes beside one, conjugated, quantized and
sparse tensors, symbolic sizes, subclasses, ops whose result data decides, ops that change the sizes of what they are given, ops that
are not torch's own, and every failure.

What is not known yet of the commonest ops is asked of torch's meta kernels, without fake tensors between.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch._subclasses import fake_tensor
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from .direct import DIRECT, NORMS

ENTRIES = 20_000
"""Ops that are remembered before all are forgotten: some 2 kB each."""

_PLAIN = frozenset(
    (int, float, bool, str, type(None), torch.dtype, torch.layout, torch.device, torch.memory_format)
)
_NEVER_TAGS = frozenset(
    getattr(torch.Tag, name)
    for name in ("data_dependent_output", "dynamic_output_shape", "inplace_view")
    if hasattr(torch.Tag, name)
)
_ANSWERED = {
    *getattr(fake_tensor, "_DISPATCH_META_HANDLERS", ()),
    *getattr(fake_tensor, "_DISPATCH_HANDLEDIRECTLY", ()),
}
"""Questions rather than ops: they are quick as they are."""
_CPU, _META = torch.device("cpu"), torch.device("meta")
_below_modes = torch._C.DisableTorchFunction
"""What `vmap` itself calls reaches us with our own function mode still above."""
_DEVICE = torch.ops.prim.device.default
_LIFT = torch.ops.aten.lift_fresh.default
_INDEX = torch.ops.aten.index.Tensor
_EMPTY = torch.ops.aten.empty.memory_format
_OF_STORAGE = frozenset(
    "as_strided as_strided_ as_strided_copy as_strided_scatter set_ resize_ resize_as_".split()
)
"""Ops that ask how large the memory is behind a tensor."""
_LEFT = object()
"""Stands for what is left to torch."""
_NOTHING = object()
"""Stands for None as a result."""


class _Unfit(Exception):
    """This call is left to torch."""


class _Made:
    """A tensor that an op made: how to make one like it.

    `source` is the place of the argument (in the order of the tensors) whose memory it looks at.
    """

    __slots__ = ("attributes", "dtype", "offset", "shape", "source", "stride")

    def __init__(self, tensor: Any, source: int | None, attributes: dict[str, Any]) -> None:
        self.shape, self.stride = tuple(tensor.shape), tensor.stride()
        self.dtype, self.offset = tensor.dtype, tensor.storage_offset()
        self.source = source
        self.attributes = {name: value for name, value in attributes.items() if name != "fake_mode"}


class Remembering(FakeTensorMode):
    """A FakeTensorMode for one trace; what it remembers serves all traces of the process."""

    def __init__(self) -> None:
        super().__init__(allow_non_fake_inputs=True)
        self.cache_enabled = False  # torch's own memory would keep the same twice
        self._blank: dict[str, Any] | None = None
        """What is written on every fake tensor that an op has made."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Nothing is ever compiled here: torch need not switch that off around each of thousands of ops."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is _DEVICE and type(args[0]) is FakeTensor:
            return _META if self.in_kernel_invocation else args[0].fake_device
        fit = _FIT.get(func)
        if fit is None:
            fit = _FIT[func] = _fit(func)
        if not fit or self.in_kernel_invocation or (fit == _PICKS and _picks_by_data(args)):
            if func is _LIFT and not self.in_kernel_invocation and self._is_literal(args[0]):
                real = args[0]
                size = real.untyped_storage().nbytes()
                return self.new(real.shape, real.stride(), real.dtype, 0, None, size)
            return super().__torch_dispatch__(func, types, args, kwargs or {})
        tensors: list[Any] = []
        try:
            key = self._key(func, args, kwargs, tensors, fit)
            made = _KNOWN.get(key)
        except (_Unfit, TypeError):
            return super().__torch_dispatch__(func, types, args, kwargs or {})
        if made is None and func in DIRECT:
            made = self._direct(func, args, kwargs or {}, tensors)
            if made is not None:
                _keep(key, made, func)
        if made is None:
            result = super().__torch_dispatch__(func, types, args, kwargs or {})
            if key == self._key(func, args, kwargs, [], fit):
                self._remember(key, result, tensors, func)
            return result
        if made is _LEFT:
            return super().__torch_dispatch__(func, types, args, kwargs or {})
        return self._again(made, tensors)

    def _is_literal(self, real: Any) -> bool:
        """Whether this is what `torch.tensor` made of numbers: a real tensor with memory of its own.

        Of a single number torch's fake tensors know the value, and what shares its memory: that is left to torch.
        """
        return (
            type(real) is torch.Tensor
            and _is_plain(real)
            and real.device == _CPU
            and not real.requires_grad
            and not real._is_view()
            and real.is_contiguous()
            and real.untyped_storage().nbytes() == real.numel() * real.itemsize
            and not self.may_turn_const(real)
        )

    def _key(self, func: Any, args: Any, kwargs: Any, tensors: list[Any], fit: int) -> Any:
        """All that a fake kernel can see. Raises _Unfit, and TypeError where that is more than facts."""
        key: list[Any] = [func, torch.get_default_dtype(), torch.is_inference_mode_enabled()]
        _facts(self, args, key, tensors)
        if kwargs:
            for name, value in kwargs.items():
                key.append(name)
                _facts(self, (value,), key, tensors)
        if tensors and (fit == _WRITES or tensors[0].constant is not None):
            constant = [one.constant is not None for one in tensors]
            if all(constant) or (fit == _WRITES and any(constant)):
                raise _Unfit
        if fit in (_LOOKS, _WRITES):
            key += [one.storage_offset() for one in tensors]
        if fit == _WRITES and len(tensors) > 1:
            places: dict[int, int] = {}
            key += [places.setdefault(one.untyped_storage()._cdata, at) for at, one in enumerate(tensors)]
        return tuple(key)

    def _direct(self, func: Any, args: Any, kwargs: Any, tensors: list[Any]) -> Any:
        """What torch's meta kernel makes of an op; None where there is more to it than that."""
        if torch.is_inference_mode_enabled() or any(one.is_inference() for one in tensors):
            return None  # views of the one in the other have rules of their own
        if func in NORMS and (tensors[0].dtype is not torch.float32 or False in args[5:6]):
            return None  # what they keep for backward depends on the device then
        if func is _EMPTY:
            if kwargs.get("device") not in (None, _CPU):
                return None
            kwargs = {**kwargs, "device": _META}
        try:
            with self._in_kernel():
                bare = func(*args, **kwargs)
            return self._bare(bare, tensors)
        except Exception:
            return None  # torch says it in its own words

    def _bare(self, result: Any, tensors: list[Any]) -> Any:
        """How to make what a meta kernel gave. Raises _Unfit."""
        if isinstance(result, (tuple, list)):
            return type(result), [self._bare(item, tensors) for item in result]
        for at, tensor in enumerate(tensors):
            if tensor is result:
                return at
        if self._blank is None:
            self._blank = vars(FakeTensor(self, result, _CPU)).copy()
        return _Made(result, _source(result, tensors), self._blank)

    @contextmanager
    def _in_kernel(self) -> Iterator[None]:
        """Ops go straight to torch's meta kernels, and fake tensors are meta tensors to them."""
        self.in_kernel_invocation = True
        try:
            with _below_modes(), torch._C._DisableTorchDispatch(), torch._C._PreserveDispatchKeyGuard():
                torch._C._set_meta_in_tls_dispatch_include(True)
                yield
        finally:
            self.in_kernel_invocation = False

    def _again(self, made: Any, tensors: list[Any]) -> Any:
        """A result like that of before."""
        if type(made) is _Made:
            return self._tensor(made, tensors)
        if type(made) is int:
            return tensors[made]
        if made is _NOTHING:
            return None
        kind, items = made
        return kind([self._again(item, tensors) for item in items])

    def _tensor(self, made: _Made, tensors: list[Any]) -> Any:
        """A view is an inference tensor if what it looks at is one; what is new, if the mode is on."""
        is_inference = torch.is_inference_mode_enabled()
        if made.source is None or tensors[made.source].is_inference() == is_inference:
            return self._like(made, tensors)
        with torch.inference_mode(not is_inference):
            return self._like(made, tensors)

    def _like(self, made: _Made, tensors: list[Any]) -> Any:
        self.in_kernel_invocation = True  # `_in_kernel`, without the cost of a generator
        try:
            with _below_modes(), torch._C._DisableTorchDispatch(), torch._C._PreserveDispatchKeyGuard():
                torch._C._set_meta_in_tls_dispatch_include(True)
                bare = torch.empty_strided(made.shape, made.stride, dtype=made.dtype, device="meta")
                if made.source is not None:
                    storage = tensors[made.source].untyped_storage()
                    bare.set_(storage, made.offset, made.shape, made.stride)
        finally:
            self.in_kernel_invocation = False
        return self._wrapped(bare, made.attributes)

    def new(self, shape: Any, stride: Any, dtype: Any, offset: int, memory: Any, size: int) -> Any:
        """A tensor in some memory, or in new memory of so many bytes."""
        self.in_kernel_invocation = True
        try:
            with _below_modes(), torch._C._DisableTorchDispatch(), torch._C._PreserveDispatchKeyGuard():
                torch._C._set_meta_in_tls_dispatch_include(True)
                if memory is None:
                    memory = torch.empty(size, dtype=torch.uint8, device="meta").untyped_storage()
                bare = torch.empty(0, dtype=dtype, device="meta")
                bare.set_(memory, offset, shape, stride)
        finally:
            self.in_kernel_invocation = False
        if self._blank is None:
            self._blank = vars(FakeTensor(self, bare, _CPU)).copy()
        return self._wrapped(bare, self._blank)

    def _wrapped(self, bare: Any, attributes: dict[str, Any]) -> Any:
        """A meta tensor as a fake one."""
        tensor = torch.Tensor._make_subclass(
            FakeTensor, bare, False, dispatch_device=True, device_for_backend_keys=_CPU
        )
        torch._C._set_throw_on_mutable_data_ptr(tensor)
        vars(tensor).update(attributes)
        tensor.fake_mode = self
        return tensor

    def _remember(self, key: Any, result: Any, tensors: list[Any], func: Any) -> None:
        try:
            _keep(key, self._described(result, tensors), func)
        except _Unfit:
            _keep(key, _LEFT, func)

    def _described(self, result: Any, tensors: list[Any]) -> Any:
        """How to make this result again. Raises _Unfit."""
        if result is None:
            return _NOTHING
        if isinstance(result, (tuple, list)):
            return list if isinstance(result, list) else tuple, [
                self._described(item, tensors) for item in result
            ]
        for at, tensor in enumerate(tensors):
            if tensor is result:
                return at
        if type(result) is not FakeTensor or result.constant is not None or result.requires_grad:
            raise _Unfit
        if result.fake_device != _CPU or not _is_plain(result):
            raise _Unfit
        made = _Made(result, _source(result, tensors), vars(result))
        again = self._tensor(made, tensors)
        if torch._C._dispatch_keys(again) != torch._C._dispatch_keys(result):
            raise _Unfit
        return made


def _source(result: Any, tensors: list[Any]) -> int | None:
    """Which argument's memory a result looks at. Raises _Unfit where that is not one."""
    memory = result.untyped_storage()._cdata
    sources = [at for at, one in enumerate(tensors) if one.untyped_storage()._cdata == memory]
    if len(sources) > 1 or (not sources and result.storage_offset()):
        raise _Unfit
    return sources[0] if sources else None


def _keep(key: Any, made: Any, func: Any) -> None:
    """Not where an op gives a view and does not say so (`_unsafe_view`): from now on it is known as one that does."""
    if _FIT[func] == _MAKES and _has_view(made):
        _FIT[func] = _LOOKS
        return
    if len(_KNOWN) >= ENTRIES:
        _KNOWN.clear()
    _KNOWN[key] = made


def _has_view(made: Any) -> bool:
    if type(made) is tuple:
        return any(map(_has_view, made[1]))
    return type(made) is _Made and made.source is not None


_KNOWN: dict[Any, Any] = {}
_FIT: dict[Any, int] = {}
_MAKES, _LOOKS, _WRITES, _PICKS = 1, 2, 3, 4


def _fit(func: Any) -> int:
    """Whether a call of this op depends on nothing but facts: 0 if not, else what it does with its arguments' memory."""
    if type(func) is not torch._ops.OpOverload or func.namespace not in ("aten", "prims"):
        return 0
    if func is _INDEX:
        return _PICKS
    name = func.name().split("::")[-1].split(".")[0]
    if _NEVER_TAGS & set(func.tags) or name in _OF_STORAGE or "lift" in name:
        return 0
    if func in _ANSWERED:
        return 0
    if func._schema.is_mutable:
        return _WRITES
    copies_all = name.endswith("_scatter")  # with the memory before it
    looks = copies_all or any(one.alias_info is not None for one in func._schema.arguments)
    return _LOOKS if looks else _MAKES


def _picks_by_data(args: Any) -> bool:
    """Whether an index is a mask, so that only data decides how many items it picks."""
    return any(one is not None and one.dtype in _MASKS for one in args[1])


_MASKS = frozenset((torch.bool, torch.uint8))


def _is_plain(tensor: Any) -> bool:
    return (
        tensor.layout is torch.strided
        and not tensor.is_conj()
        and not tensor.is_quantized
        and not tensor.is_neg()
        and not tensor._has_symbolic_sizes_strides
    )


def _facts(mode: FakeTensorMode, values: Any, key: list[Any], tensors: list[Any]) -> None:
    """Append to the key all that a fake kernel can see of these values. Raises _Unfit."""
    for value in values:
        kind = type(value)
        if kind is FakeTensor:
            if value.fake_mode is not mode or value.fake_device != _CPU or not _is_plain(value):
                raise _Unfit
            key += (
                FakeTensor,
                value.dtype,
                tuple(value.shape),
                value.stride(),
                value.requires_grad,
                value.is_inference(),
            )
            tensors.append(value)
        elif kind in _PLAIN:
            key += (kind, value)
        elif kind is tuple or kind is list or kind is torch.Size:
            key += (list, len(value))
            _facts(mode, value, key, tensors)
        else:
            raise _Unfit
