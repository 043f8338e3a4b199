"""What fake tensors let pass although real ones refuse it.

For each op that is known to check too little (measured on torch's error inputs, 2.13) a suspicion:
a cheap question to the arguments. Only where it is suspicious is the call made again on real
tensors, and what those say counts: a suspicion that is wrong costs time, never a finding.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import torch

from ..fakes.devices import device_of, tensors_in
from ..unknowns.values import known, limits_of
from ..worlds import worlds
from .replay import verdict

Suspicion = Callable[[tuple[Any, ...], dict[str, Any]], bool]

_SMALL = 1 << 20
"""Elements up to which a call may really be computed."""
_LARGE = 1 << 23
"""Elements of all that its operands make side by side."""


def refused(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception | None:
    """What real torch raises at a call that fake tensors would let pass, if it does."""
    suspicion = _SUSPICIONS.get(func)
    if (suspicion is not None and suspicion(args, kwargs)) or (
        kwargs.get("out") is not None and _small(args, kwargs)
    ):
        return verdict(func, args, kwargs)
    asked = _is_whole(args) or getattr(func, "__name__", "") in _OF_BITS
    return _of_dtypes(func, args, kwargs) if asked else None


# ---------------------------------------------------------------- dtypes


def _is_whole(args: tuple[Any, ...]) -> bool:
    """Whether one of the first arguments is a tensor of integers or truth values."""
    for arg in args[:2]:
        if isinstance(arg, torch.Tensor) and not (arg.is_floating_point() or arg.is_complex()):
            return True
    return False


def _of_dtypes(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception | None:
    """What real torch says of integers and truth values, which fake tensors let nearly everything compute.

    Asked once of each function and the dtypes that it is given. Where it draws, or asks for a device, it is not asked.
    """
    name = getattr(func, "__name__", "")
    if _NOT_ASKED.search(name) or (name.startswith("__") and name not in _OPERATORS):
        return None
    kinds = (func, *(arg.dtype if isinstance(arg, torch.Tensor) else type(arg) for arg in args[:4]))
    if kinds in _ACCEPTED:
        return None
    if any(device_of(tensor) != "cpu" for tensor in tensors_in((args, kwargs))):
        return None
    whole = _small(args, kwargs)
    error = verdict(func, args, kwargs, cut=not whole)
    if error is not None and _SAYS_DTYPE.search(str(error)):
        return error
    if whole or error is None:
        _ACCEPTED.add(kinds)
    return None


_ACCEPTED: set[tuple[Any, ...]] = set()
_NOT_ASKED = re.compile(
    r"rand|normal|uniform|bernoulli|exponential|multinomial|dropout|geometric|cauchy|poisson|^new_|^(to|cuda|cpu|type|pin_memory"
    r"|backward|item|tolist|numpy|register_hook|requires_grad_)$"
)
_OF_BITS = frozenset(f"__{side}{name}__" for side in ("", "r", "i") for name in ("and", "or", "xor")) | {
    "__invert__"
}
"""Operators of which floats are refused."""
_OPERATORS = frozenset(
    f"__{side}{name}__"
    for side in ("", "r", "i")
    for name in "add sub mul truediv floordiv mod pow matmul lshift rshift and or xor".split()
) | {"__neg__", "__abs__", "__invert__"}
_SAYS_DTYPE = re.compile(r"not implemented for '|\b[Bb]ool(ean)?\b|dtype|scalar type|can't be cast|floating")


# ---------------------------------------------------------------- suspicions


def _small(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Nothing but that it is quick to ask: `x[:, None] - x` makes more than it is given."""
    tensors = list(tensors_in((args, kwargs)))
    together = math.prod(
        max(sizes) for sizes in zip_longest(*(one.shape[::-1] for one in tensors), fillvalue=1)
    )
    return sum(tensor.numel() for tensor in tensors) <= _SMALL and together <= _LARGE


def _classes_counted(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """How many classes there are is known, and it is quick to ask."""
    classes = kwargs.get("num_classes", args[1] if len(args) > 1 else -1)
    return not isinstance(classes, torch.Tensor) and _small(args, kwargs)


def _mixed(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Tensors of different dtypes, where nobody casts them."""
    dtypes = {tensor.dtype for tensor in tensors_in((args, kwargs))}
    return len(dtypes) > 1 and not torch.is_autocast_enabled("cpu")


def _whole(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Integers where most kernels want floats."""
    return _small(args, kwargs) and any(
        not (tensor.is_floating_point() or tensor.is_complex()) for tensor in tensors_in((args, kwargs))
    )


def _floating(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Floats where kernels want integers."""
    return _small(args, kwargs) and any(tensor.is_floating_point() for tensor in tensors_in((args, kwargs)))


def _indexed(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Integers that are known, or not of the usual dtype; or none at all where one tensor tells places of another.

    Whether known ones lie within a size that data decides is not asked: the program goes on only where they do.
    """
    tensors = list(tensors_in((args, kwargs)))
    whole = [tensor for tensor in tensors if not tensor.is_floating_point()]
    is_open = any(map(_is_open, (size for one in tensors if one.is_floating_point() for size in one.shape)))
    told = any(
        tensor.dtype not in (torch.int64, torch.int32) or (known(tensor) is not None and not is_open)
        for tensor in whole
    )
    return (told or (len(tensors) > 1 and not whole)) and _small(args, kwargs)


def _is_open(size: int) -> bool:
    """Whether only data decides a size, or may."""
    return worlds.is_given(size) or (worlds.here().open and worlds.is_any_number(size))


def _repeated(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """How often each is repeated, if that is known, cannot be, or is told of another number of them: what is repeated may be
    known without it."""
    repeats = kwargs.get("repeats", args[1] if len(args) > 1 else args[0] if args else None)
    if not isinstance(repeats, torch.Tensor):
        return False
    given, dim = args[0], kwargs.get("dim", args[2] if len(args) > 2 else None)
    if given is not repeats and isinstance(given, torch.Tensor) and repeats.numel() != 1:
        sizes = (given.numel(),) if dim is None else given.shape[dim : dim + 1 or None]
        if sizes and sizes[0] != repeats.numel():
            return _small(args, kwargs)
    return _indexed((repeats,), {})


def _masked(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """A mask that is none of truth values."""
    mask = kwargs.get("mask", args[1] if len(args) > 1 else None)
    return isinstance(mask, torch.Tensor) and mask.dtype is not torch.bool


_INDICES = (torch.int64, torch.int32)


def _placed(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Places that are all known: how many elements a mask picks, or whether an index is beyond the end; numbers of another dtype."""
    places = tensors_in(args[1]) if len(args) > 1 else []
    if not places or not _small(args, kwargs):
        return False
    value = args[2] if len(args) > 2 else None
    is_of_another = isinstance(value, torch.Tensor) and value.dtype is not args[0].dtype
    return (is_of_another and all(one.dtype in _INDICES for one in places)) or all(
        known(one) is not None for one in places
    )


def _classified(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """A target that is not plain classes, or whose classes are known."""
    target = args[1] if len(args) > 1 else kwargs.get("target")
    return isinstance(target, torch.Tensor) and (
        target.dtype not in (torch.int64, args[0].dtype if args else None)
        or (known(target) is not None and _small(args, kwargs))
    )


def _long(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Log-probabilities, and how long each sample is: fake tensors do not count the lengths that a list holds."""
    lengths = [*args[2:4], *(kwargs[name] for name in ("input_lengths", "target_lengths") if name in kwargs)]
    return _small(args, kwargs) and all(
        known(one) is not None if isinstance(one, torch.Tensor) else isinstance(one, (list, tuple))
        for one in lengths
    )


def _beyond(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """A dim that the tensor does not have."""
    given = args[0] if args else kwargs.get("input")
    dim = kwargs.get("dim", args[1] if len(args) > 1 else None)
    if not isinstance(given, torch.Tensor) or type(dim) is not int:
        return False
    rank = max(given.dim(), 1)
    return not -rank <= dim < rank


def _overlapping(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """A write into memory of which one element is seen several times."""
    target = args[0] if args else None
    return (
        isinstance(target, torch.Tensor)
        and any(step == 0 and size > 1 for size, step in zip(target.shape, target.stride()))
        and math.prod(target.shape) <= _SMALL
    )


def _of_nothing(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Numbers of a range that has none: only newer fake tensors refuse to draw them."""
    limits = limits_of("randint", args, kwargs)
    return limits is not None and limits[0] > limits[1]


def _or(*suspicions: Suspicion) -> Suspicion:
    return lambda args, kwargs: any(suspicion(args, kwargs) for suspicion in suspicions)


def _functions(names: str) -> list[Any]:
    """The functions and methods of these names, wherever torch has them."""
    homes = (torch, torch.Tensor, torch._C._nn, torch.nn.functional)
    return [found for name in names.split() for home in homes if callable(found := getattr(home, name, None))]


_FAMILIES: tuple[tuple[str, Suspicion], ...] = (
    (
        "mm matmul bmm linear addmm addmv addbmm baddbmm mv dot vdot outer ger einsum bilinear chain_matmul tensordot "
        "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d __matmul__ __rmatmul__ "
        "scaled_dot_product_attention layer_norm group_norm batch_norm instance_norm lerp cdist cross grid_sample "
        "grid_sampler binary_cross_entropy heaviside index_reduce lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell",
        _mixed,
    ),
    (
        "softmax log_softmax softmin gelu silu elu selu celu mish hardswish hardsigmoid softplus logsigmoid dropout "
        "layer_norm batch_norm group_norm instance_norm avg_pool1d avg_pool2d adaptive_avg_pool1d adaptive_avg_pool2d "
        "mean std var norm cosine_similarity pairwise_distance cdist interpolate logit digamma lgamma erfinv "
        "cumsum bernoulli quantile mse_loss smooth_l1_loss huber_loss kl_div binary_cross_entropy "
        "binary_cross_entropy_with_logits linear conv1d conv2d conv3d multinomial normal_ uniform_ grid_sampler "
        "fft rfft leaky_relu relu6 glu rrelu",
        _whole,
    ),
    ("softmax log_softmax softmin sort argsort", _beyond),
    (
        "gather scatter scatter_ scatter_add scatter_add_ scatter_reduce index_select index_add index_add_ index_copy "
        "index_copy_ index_fill index_fill_ take take_along_dim put put_ embedding embedding_bag "
        "__getitem__",
        _indexed,
    ),
    ("repeat_interleave", _repeated),
    ("masked_fill_", _masked),
    ("pow_ __ipow__", _whole),
    ("one_hot", _classes_counted),
    ("randint", _of_nothing),
    ("ctc_loss", _long),
    ("__setitem__ index_put index_put_", _placed),
    (
        "bitwise_and bitwise_or bitwise_xor bitwise_not __and__ __or__ __xor__ __iand__ __ior__ __ixor__ __invert__",
        _floating,
    ),
    ("cross_entropy_loss nll_loss nll_loss_nd multi_margin_loss", _classified),
    (
        "bincount multinomial complex polar bucketize searchsorted masked_scatter masked_scatter_ as_strided as_strided_scatter "
        "index_add index_add_ uniform_ normal_ bernoulli_ random_ exponential_ kthvalue take",
        _small,
    ),
)


def _table() -> dict[Any, Suspicion]:
    found: dict[Any, list[Suspicion]] = {}
    for names, suspicion in _FAMILIES:
        for function in _functions(names):
            found.setdefault(function, []).append(suspicion)
    for name in dir(torch.Tensor):
        if name.endswith("_") and (not name.endswith("__") or name.startswith("__i")):
            method = getattr(torch.Tensor, name)
            if callable(method):
                found.setdefault(method, []).append(_overlapping)
    return {function: one[0] if len(one) == 1 else _or(*one) for function, one in found.items()}


_SUSPICIONS = _table()
