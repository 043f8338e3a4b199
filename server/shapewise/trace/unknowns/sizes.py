"""What is nobody knows what until a layer or a tensor is made of it: `nn.Embedding(meta["vocab_size"], 64)`.

Where the program goes on, it is an integer: a length that only data decides (see `worlds`). It is so from there
on, whoever holds it, so that what is made of it fits together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from ..worlds import worlds
from .unknown import NO_SAMPLE, Unknown

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


def take(function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """If this makes a layer or a tensor, each argument that says a size is an integer from now on."""
    for value in _given(function, args, kwargs):
        if type(value) is Unknown and _is_open(value):
            value.sample = worlds.length(value.why).sample


def _given(function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
    if id(function) in _FACTORIES:
        size = args[0] if len(args) == 1 else kwargs.get("size", args)
        return list(size) if isinstance(size, (tuple, list)) else []
    names = _OF.get(function, ()) if isinstance(function, type) else ()
    return [*args[: len(names)], *(kwargs[name] for name in names if name in kwargs)]


def _is_open(value: Unknown) -> bool:
    """Whether nothing is known of it."""
    told = value.tensor or value.kind or value.holds_objects
    return value.sample is NO_SAMPLE and not told
