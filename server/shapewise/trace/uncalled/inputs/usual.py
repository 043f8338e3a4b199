"""How torch is called as people call it: with a batch, and with as many dims as its layers have."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from .made import CONVOLUTIONS, POOLS
from .specs import MADE_UP

RANK = {
    **{name: n + 2 for name, n in (CONVOLUTIONS | POOLS).items()},
    "lstm": 3,
    "gru": 3,
    "rnn_tanh": 3,
    "rnn_relu": 3,
    "multi_head_attention_forward": 3,
    "pixel_shuffle": 4,
    "pixel_unshuffle": 4,
    "ctc_loss": 3,
    "t": 2,
    "bincount": 1,
}
"""The rank of the first input as people call it: torch takes one without a batch as well."""
# fmt: off
ELEMENTWISE = frozenset((
    "add", "sub", "mul", "div", "+", "-", "*", "/", "+=", "-=", "*=", "/=", "where", "masked_fill", "__add__", "true_divide",
    "maximum", "minimum", "pow", "__mul__", "__sub__", "__truediv__", "__rsub__", "__radd__", "__rmul__", "__iadd__",
    "__imul__", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "cosine_similarity", "lerp", "addcmul", "eq", "ne", "lt", "gt", "le", "ge", "kl_div",
    "copysign", "fmod", "atan2", "logical_and", "logical_or", "bitwise_and", "bitwise_or", "__and__", "__or__", "__eq__",
    "expand_as", "masked_fill_", "lt", "hypot", "logaddexp", "xlogy", "dist", "pairwise_distance", "broadcast_tensors",
    "==", "!=", "<", ">", "<=", ">=", "&", "|", "__gt__", "__lt__", "__ge__", "__le__", "remainder", "cross",
))
# fmt: on
"""What takes two tensors element by element, a dim of size 1 or one that is not there for any."""
OF_PACKED = frozenset(("lstm", "gru", "rnn_tanh", "rnn_relu"))
RECURRENT = (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN)
WINDOWS = frozenset(("unfold", "im2col"))
STACKS: dict[type, dict[str, int]] = {
    torch.nn.TransformerEncoder: {"num_layers": 1},
    torch.nn.TransformerDecoder: {"num_layers": 1},
    torch.nn.Transformer: {"num_encoder_layers": 2, "num_decoder_layers": 3},
    **{one: {"num_layers": 2} for one in RECURRENT},
}
"""Layers that make as many as they are told: the parameters that tell them, with their places."""
LAYERS = {
    **{getattr(torch.nn, f"InstanceNorm{n}d"): n + 2 for n in (1, 2, 3)},
    **{getattr(torch.nn, f"Dropout{n}d"): n + 2 for n in (1, 2, 3)},
    torch.nn.BatchNorm2d: 4,
    **dict.fromkeys(RECURRENT, 3),
    **dict.fromkeys((torch.nn.LSTMCell, torch.nn.GRUCell, torch.nn.RNNCell), 2),
}

FEATURES = frozenset(
    layer for layer in LAYERS if issubclass(layer, torch.nn.modules.instancenorm._InstanceNorm)
)
ALONG = ("gather", "scatter", "scatter_", "scatter_add", "scatter_add_")
"""What takes a dim, and indices along it."""


def unlike_along(args: Sequence[Any], named: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """The sizes of `x` and of `index` in `x.gather(dim, index)` that differ beside that dim: torch takes fewer indices, nobody gives them."""
    x, dim, index = [*args, None, None, None][:3]
    dim, index = named.get("dim", dim), named.get("index", index)
    if isinstance(x, torch.Tensor) and isinstance(index, torch.Tensor) and type(dim) is int:
        if x.dim() == index.dim() and x.dim():
            for at, (mine, theirs) in enumerate(zip(x.shape, index.shape)):
                if at != dim % x.dim() and mine != theirs:
                    yield mine, theirs


def plain_integers(values: Any) -> Iterator[int]:
    """The integers in some arguments, those of pairs among them."""
    for value in values:
        if type(value) is int:
            yield value
        elif isinstance(value, (tuple, list)):
            yield from plain_integers(value)


def are_integers(values: Any) -> bool:
    """Whether these are several integers, and nothing else."""
    return isinstance(values, (list, tuple, set)) and all(type(one) is int for one in values)


def spread_over(operands: Sequence[Any]) -> Iterator[int]:
    """The one dim of a table that is of size 1 along all others of an input: this may have one number for all of it.

    `positions / freqs` with freqs of (1, 1, n). A weight of a layer is no table.
    """
    for table, other in itertools.permutations(operands, 2):
        if all(isinstance(one, torch.Tensor) for one in (table, other)):
            if not (hasattr(table, MADE_UP) or isinstance(table, torch.nn.Parameter)):
                *ones, last = table.shape or (1,)
                if len(ones) == other.dim() - 1 > 0 and set(ones) == {1} and last == other.shape[-1]:
                    yield last
