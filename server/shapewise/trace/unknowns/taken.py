"""What is nobody knows what until a layer or a tensor is made of it: `nn.Embedding(meta["vocab_size"], 64)`.

Where the program goes on, it is an integer: a length that only data decides (see `worlds`); where torch takes nothing
but a float (`nn.Dropout(meta["p"])`), it is one. It is so from there on, whoever holds it, so that what is made of it
fits together.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from ..worlds import worlds
from .unknown import NO_SAMPLE, SETTING, TRUTH, Unknown

_CHANNELS = ("in_channels", "out_channels")
_OF: dict[Any, tuple[str, ...]] = {
    nn.Linear: ("in_features", "out_features"),
    nn.Embedding: ("num_embeddings", "embedding_dim"),
    nn.LayerNorm: ("normalized_shape",),
    nn.RMSNorm: ("normalized_shape",),
    **dict.fromkeys(
        (nn.RNN, nn.GRU, nn.LSTM, nn.RNNCell, nn.GRUCell, nn.LSTMCell), ("input_size", "hidden_size")
    ),
    **dict.fromkeys((nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d), ("num_features",)),
    **dict.fromkeys((nn.Conv1d, nn.Conv2d, nn.Conv3d), _CHANNELS),
    **dict.fromkeys((nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d), _CHANNELS),
}
"""The first arguments of layers: those that say how many numbers go in and come out."""
_FACTORIES = frozenset(map(id, (torch.zeros, torch.ones, torch.empty, torch.rand, torch.randn)))


_FLOATS: dict[Any, tuple[str, ...]] = {
    **dict.fromkeys(
        (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout, nn.FeatureAlphaDropout),
        ("p",),
    ),
    **dict.fromkeys((nn.RNN, nn.GRU, nn.LSTM), ("dropout",)),
    **dict.fromkeys((nn.LayerNorm, nn.GroupNorm, nn.RMSNorm), ("eps",)),
    **dict.fromkeys((nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d), ("eps", "momentum")),
    **dict.fromkeys((nn.LeakyReLU, functional.leaky_relu), ("negative_slope",)),
    **dict.fromkeys((nn.ELU, nn.CELU, functional.elu, functional.celu), ("alpha",)),
    **dict.fromkeys((nn.Softshrink, nn.Hardshrink), ("lambd",)),
    **dict.fromkeys((nn.Hardtanh, functional.hardtanh), ("min_val", "max_val")),
    **dict.fromkeys((nn.Threshold,), ("threshold", "value")),
    **dict.fromkeys((nn.CrossEntropyLoss, functional.cross_entropy), ("label_smoothing",)),
    **dict.fromkeys((nn.HuberLoss, functional.huber_loss), ("delta",)),
    **dict.fromkeys((nn.SmoothL1Loss, functional.smooth_l1_loss), ("beta",)),
    **dict.fromkeys(
        (nn.MarginRankingLoss, nn.TripletMarginLoss, nn.CosineEmbeddingLoss, nn.HingeEmbeddingLoss),
        ("margin",),
    ),
    **dict.fromkeys(
        (
            functional.dropout,
            functional.dropout1d,
            functional.dropout2d,
            functional.dropout3d,
            functional.alpha_dropout,
        ),
        ("p",),
    ),
    **dict.fromkeys((functional.gumbel_softmax,), ("tau",)),
    **dict.fromkeys((functional.layer_norm, functional.normalize), ("eps",)),
}
"""Parameters that are a float, which decides no more than the values of what comes out."""
_FLAGS: dict[Any, tuple[str, ...]] = {
    **dict.fromkeys((nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d), ("bias",)),
    **dict.fromkeys((nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d), ("bias",)),
    **dict.fromkeys((nn.LayerNorm,), ("elementwise_affine", "bias")),
    **dict.fromkeys((nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d), ("affine",)),
    functional.dropout: ("training",),
}
"""Parameters that are a truth value, which decides what there is beside what comes out."""


def take(function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """If this makes a layer or a tensor, what says a size, a rate or whether is an integer, a float or a truth value from now on."""
    for value in _sizes(function, args, kwargs):
        if type(value) is Unknown and _is_open(value):
            value.sample = worlds.length(value.why).sample
    for value in _named(_FLOATS, function, args, kwargs):
        if type(value) is Unknown and _is_open(value):
            value.sample = worlds.real(value.why).sample
    for value in _named(_FLAGS, function, args, kwargs):
        if type(value) is Unknown and _is_open(value):
            value.kind = TRUTH


def _sizes(function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
    if id(function) in _FACTORIES:
        size = args[0] if len(args) == 1 else kwargs.get("size", args)
        return list(size) if isinstance(size, (tuple, list)) else []
    names = _OF.get(function, ()) if isinstance(function, type) else ()
    return [*args[: len(names)], *(kwargs[name] for name in names if name in kwargs)]


def _named(
    parameters: dict[Any, tuple[str, ...]], function: Any, args: Sequence[Any], kwargs: dict[str, Any]
) -> Iterator[Any]:
    names = parameters.get(function) if isinstance(function, (type, types.FunctionType)) else None
    if names is not None:
        try:
            given = inspect.signature(function).bind_partial(*args, **kwargs).arguments
        except TypeError:
            return  # torch says what is wrong with them
        given = {**given, **kwargs}  # recurrent layers have no signature
        yield from (given[name] for name in names if name in given)


def _is_open(value: Unknown) -> bool:
    """Whether nothing is known of it."""
    told = value.tensor or (value.kind and value.kind != SETTING) or value.holds_objects
    return value.sample is NO_SAMPLE and not told
