"""What layers ask of their inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.nn.utils.rnn import PackedSequence

from ...inputs.sizes import Free
from ...inputs.specs import RANKS
from .demand import of, shape_of

if TYPE_CHECKING:
    from ..demands import Refiner


@of("linear")
def _linear(it: Refiner) -> bool:
    x, weight = shape_of(it.arg(0, "input")), shape_of(it.arg(1, "weight"))
    return bool(x) and len(weight) == 2 and it.unify(x[-1], weight[1], exactly=True)


@of("conv1d", "conv2d", "conv3d")
def _conv(it: Refiner) -> bool:
    x, weight = shape_of(it.arg(0, "input")), shape_of(it.arg(1, "weight"))
    groups = it.arg(6, "groups", 1)
    if "Kernel size can't be greater" in it.text:
        kernels = [it.attempt.sizes.owner(size, it.attempt.run) for size in weight[2:]]
        wide = [free for free in kernels if free is not None and free.label is not None]
        for free in wide:
            free.small = True
        return bool(wide) or _larger(it, x[2:])
    if len(x) < 2 or len(weight) < 2:
        return False
    if groups == 1:
        return it.unify(x[1], weight[1], exactly=True)
    return it.unify(x[1], weight[1] * groups, exactly=True)


@of("conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
def _conv_transpose(it: Refiner) -> bool:
    x, weight = shape_of(it.arg(0, "input")), shape_of(it.arg(1, "weight"))
    return len(x) > 1 and it.unify(x[1], weight[0], exactly=True)


def _larger(it: Refiner, sizes: tuple[int, ...]) -> bool:
    """The sizes that are too small for a window: the inputs that they come from grow."""
    grown = False
    for array in it.arrays():
        for dim in (array.dims or [])[2:]:
            if isinstance(dim, Free) and dim.equals is None and dim.label is None and dim.least < 1024:
                dim.least = max(64, dim.least * 4)
                grown = True
    return grown


@of("max_pool2d", "avg_pool2d", "max_pool1d", "avg_pool1d", "_max_pool2d", "_max_pool1d", "pad")
def _windows(it: Refiner) -> bool:
    return _larger(it, shape_of(it.arg(0, "input"))[2:])


@of("batch_norm", "instance_norm", "group_norm")
def _channels(it: Refiner) -> bool:
    x = shape_of(it.arg(0, "input"))
    if "more than 1 spatial element" in it.text or "more than 1 value per channel" in it.text:
        return _larger(it, x[2:])
    others = [
        arg for arg in (*it.args[1:], *it.named.values()) if isinstance(arg, torch.Tensor) and arg.dim() == 1
    ]
    return len(x) > 1 and any(it.unify(x[1], shape_of(other)[0]) for other in others)


@of("layer_norm", "rms_norm")
def _trailing(it: Refiner) -> bool:
    x = shape_of(it.arg(0, "input"))
    wanted = it.args[1] if len(it.args) > 1 else it.named.get("normalized_shape", ())
    wanted = tuple(wanted) if isinstance(wanted, (tuple, list, torch.Size)) else (wanted,)
    if len(x) < len(wanted):
        return it.rank(it.args[0], len(wanted) + 1)
    return any(it.unify(mine, theirs) for mine, theirs in zip(x[-len(wanted) :], wanted))


@of("embedding", "embedding_bag")
def _indices(it: Refiner) -> bool:
    for arg in it.args[:2]:
        array = it.array_of(arg) or it.origin(arg)
        if (
            array is not None
            and array.dtype.is_floating_point
            and isinstance(arg, torch.Tensor)
            and not arg.requires_grad
        ):
            array.dtype = torch.int64
            if len(array.dims or ()) == RANKS[0]:  # which nothing asked for: a batch of rows is likelier
                it.try_rank(array, _OF_INDICES)
            return True
    return False


_OF_INDICES = 2
"""The rank of what turns out to be indices of a table."""


@of(
    "lstm",
    "gru",
    "rnn_tanh",
    "rnn_relu",
    "forward",
    "nn.LSTM()",
    "nn.GRU()",
    "nn.RNN()",
    "nn.LSTMCell()",
    "nn.GRUCell()",
)
def _recurrent(it: Refiner) -> bool:
    module = next((arg for arg in it.trouble.given if isinstance(arg, torch.nn.Module)), None)
    given = [arg.data if isinstance(arg, PackedSequence) else arg for arg in it.trouble.given]
    tensors = [arg for arg in given if isinstance(arg, torch.Tensor)]
    size = getattr(module, "input_size", None)
    return bool(
        size is not None and tensors and tensors[0].dim() and it.unify(shape_of(tensors[0])[-1], size)
    )


@of("multi_head_attention_forward", "scaled_dot_product_attention")
def _attention(it: Refiner) -> bool:
    q, k, v = (shape_of(arg) for arg in it.args[:3])
    if it.trouble.function == "scaled_dot_product_attention":
        pairs = [(q[-1], k[-1]), (k[-2], v[-2])] if min(map(len, (q, k, v))) > 1 else []
        pairs += list(zip(q[:-2], k[:-2])) + list(zip(k[:-2], v[:-2]))
        mask = shape_of(it.arg(3, "attn_mask"))  # is broadcast to queries by keys
        pairs += zip(mask[::-1], (*k[-2:-1], *q[-2::-1]))
        return any(it.unify(a, b) for a, b in pairs)
    wanted = it.args[3] if len(it.args) > 3 else None
    if len(q) == 3 and type(wanted) is int:
        return any(
            it.unify(a, b)
            for a, b in [(q[2], wanted), (k[2], wanted), (v[2], wanted), (k[0], v[0]), (q[1], k[1])]
        )
    return False


@of("num_features")
def _features(it: Refiner) -> bool:
    return it.unify(it.args[0], it.args[1])


@of("cross_entropy", "cross_entropy_loss", "nll_loss")
def _classes(it: Refiner) -> bool:
    """One class for each row: what is classified has one dim more than the classes."""
    tensors = [arg for arg in (*it.args, *it.named.values()) if isinstance(arg, torch.Tensor)]
    if len(tensors) < 2 or tensors[1].dim() != 1 or tensors[0].dim() < 3:
        return False
    source = it.origin(tensors[0])
    alike = [one for one in it.arrays() if source is not None and it.shape_of(one) == it.shape_of(source)]
    if source is None or not it.rank(tensors[0], 2):
        return False
    for other in alike:
        if other is not source:
            other.dims = list(source.dims or ())
    return True
