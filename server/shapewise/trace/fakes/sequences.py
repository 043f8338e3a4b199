"""Packed sequences: how many steps each has is data, unless the lengths are known (see `values`).

Where they are not, the longest takes some steps up to those of the padded tensor, and all together
some number up to what it holds: other numbers in each world (see `worlds`). The batch, the features
and the state that a recurrent layer ends in are known all the same.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._mode_utils import no_dispatch

from ..refusals.replay import verdict
from ..unknowns import values
from ..unknowns.unknown import Lost
from ..worlds import worlds
from .dependent import FIRST
from .devices import CPU, OnTheCard, device_of
from .no_kernel import SCALAR_NAMES
from .torchmode import Guard, handles

_LIMIT = 1_000_000
_NATIVE: Any = torch._C._VariableFunctions


def batch_of(sizes: torch.Tensor) -> int | None:
    """How many sequences are packed, by the `batch_sizes` of the pack."""
    first: int | None = getattr(sizes, FIRST, None)
    real = values.known(sizes) if first is None else None
    return _really(lambda: int(real.max())) if real is not None and real.numel() else first


def _rows(source: torch.Tensor, count: int) -> torch.Tensor:
    """So many rows of a tensor, or of so many alike: in memory of their own, and with its gradient."""
    return source.index_select(0, torch.empty((count,), dtype=torch.int64))


def _really(function: Any) -> Any:
    with no_dispatch(), torch._C.DisableTorchFunction():
        return function()


def _carrying(real: torch.Tensor) -> torch.Tensor:
    made = torch.empty(real.shape, dtype=real.dtype)
    values.carry(made, real)
    return made


@handles(_NATIVE._pack_padded_sequence)
def _pack(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    padded, lengths, batch_first = args
    steps, batch = (padded.shape[1], padded.shape[0]) if batch_first else tuple(padded.shape[:2])
    if (home := device_of(lengths)) != "cpu":
        raise OnTheCard(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.dim()}D {home} "
            f"{SCALAR_NAMES.get(lengths.dtype, '')} tensor"
        )
    if lengths.dim() == 1 and lengths.numel() != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {lengths.numel()} (batch_size={batch})"
        )
    known = values.known(lengths)
    if known is not None and steps * batch <= _LIMIT:
        data, sizes = _really(
            lambda: _NATIVE._pack_padded_sequence(torch.empty(steps, batch, 1), known, False)
        )
        total, sizes = len(data), _carrying(sizes)
        guard.valued = True
    else:
        if steps > 1:
            worlds.use()
        total = worlds.within(batch, steps * batch)
        sizes = torch.empty((worlds.within(1, steps),), dtype=torch.int64)
    setattr(sizes, FIRST, batch)
    return guard.put(_rows(padded.flatten(0, 1), total), torch.device(device_of(padded))), sizes


@handles(_NATIVE._pad_packed_sequence)
def _pad(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    data, sizes, batch_first, _, steps = args
    batch, known = batch_of(sizes), values.known(sizes)
    if batch is None:
        raise Lost("how many sequences are packed depends on the data")
    padded = _rows(data, steps * batch).unflatten(0, (steps, batch))
    if known is None:
        lengths = torch.empty((batch,), dtype=torch.int64)
    else:
        lengths = _carrying(
            _really(lambda: (known[:, None] > torch.arange(batch)).sum(0)),
        )
    padded = padded.transpose(0, 1) if batch_first else padded
    return guard.put(padded, torch.device(device_of(data))), guard.put(lengths, CPU)


_STEPS = 2
"""So many steps of a sequence have the facts of all: fake kernels take ten ops for each."""


def _padded(guard: Guard, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """On padded sequences: a few steps are run, and the rest of the output is rows of the same.

    Its memory lies time first, whatever `batch_first` says (torch 2.13, all layers, directions, projections).
    """
    data = args[0]
    time = 1 if args[-1] is True else 0  # input, state, weights, has_biases, ..., bidirectional, batch_first
    if guard.measured or len(args) != 9 or kwargs or data.dim() != 3 or data.shape[time] <= _STEPS:
        return guard.plainly(function, args, kwargs)
    here = torch.device(device_of(data))
    few = guard.put(data.narrow(time, 0, _STEPS), here)
    made, *states = guard.plainly(function, (few, *args[1:]), kwargs)
    rows = _rows(made.transpose(0, 1) if time else made, data.shape[time])
    return guard.put(rows.transpose(0, 1) if time else rows, here), *states


def _recurrent(function: Any) -> Any:
    """On a packed sequence: one step of the whole batch has the facts of all."""

    def handler(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        data, sizes = args[:2]
        if not isinstance(args[3], (tuple, list)):  # the plain form: input, state, weights, has_biases
            return _padded(guard, function, args, kwargs)
        batch = batch_of(sizes)
        if batch is None:
            raise Lost("how many sequences are packed depends on the data")
        here = torch.device(device_of(data))
        if data.shape[-1] != args[3][0].shape[-1]:  # which fake kernels of layers let pass
            refused = verdict(
                torch.nn.functional.linear, (data, args[3][0]), {}
            )  # as it does, batch by batch
            if refused is not None:
                raise refused
        step = guard.put(_rows(data, batch).unsqueeze(0), here)
        made = guard.plainly(function, (step, *args[2:], False), kwargs)
        return guard.put(_rows(made[0][0], len(data)), here), *made[1:]

    return handler


for _function in (_NATIVE.lstm, _NATIVE.gru, _NATIVE.rnn_tanh, _NATIVE.rnn_relu):
    handles(_function)(_recurrent(_function))


@handles(torch._C._nn.pad_sequence)
def _pad_sequence(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """As long as the longest: where data decides one length and another is known, nobody knows which that is."""
    padded = guard.plainly(torch._C._nn.pad_sequence, args, kwargs)
    lengths = {len(one) for one in args[0]}
    longest = max(lengths)
    if worlds.here().apart is None or not worlds.is_given(longest) or all(map(worlds.is_given, lengths)):
        return padded
    batch_first = kwargs.get("batch_first", args[1] if len(args) > 1 else False)
    return padded.index_select(int(batch_first), torch.empty((worlds.size(),), dtype=torch.int64))
