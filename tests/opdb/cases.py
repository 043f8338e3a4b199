"""Torch's own test inputs as calls: op_db (samples and errors) and module_db, with what real torch says of each."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

PER_OP = 6
"""Samples taken of each op."""
IN_DOUBT = "?"
"""A stride that is not stated."""
_DTYPES = (torch.float32, torch.complex64, torch.bool, torch.int64)


@dataclass(frozen=True)
class Case:
    """One call."""

    name: str
    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def run(self, change: Callable[[torch.Tensor], torch.Tensor] = lambda tensor: tensor) -> Any:
        """Make the call, each tensor changed first. Raises what torch does."""
        return self.function(*mapped(self.args, change), **mapped(self.kwargs, change))


def mapped(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """The same arguments with other tensors."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if type(value) in (tuple, list):
        return type(value)(mapped(one, change) for one in value)
    if type(value) is dict:
        return {key: mapped(one, change) for key, one in value.items()}
    return value


def errors() -> Iterator[Case]:
    """What torch's tests expect to raise."""
    from torch.testing._internal.common_methods_invocations import op_db

    for op in op_db:
        if op.error_inputs_func is not None:
            for error in op.error_inputs("cpu"):
                sample = error.sample_input
                yield Case(op.name, op.op, (sample.input, *sample.args), sample.kwargs)


def mistyped(per_op: int = 2) -> Iterator[Case]:
    """Samples of floats given as truth values, as integers, as halves, and with one tensor as doubles."""
    for case in samples(per_op):
        for dtype in (torch.bool, torch.int64, torch.float16):
            yield Case(case.name, case.function, *_cast((case.args, case.kwargs), dtype, every=True))
        yield Case(case.name, case.function, *_cast((case.args, case.kwargs), torch.float64, every=False))


def _cast(given: Any, dtype: torch.dtype, every: bool) -> Any:
    """The same arguments with all tensors of float32, or the first, as another dtype."""
    left = [True]

    def cast(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.dtype != torch.float32 or not left:
            return tensor
        if not every:
            left.clear()
        return tensor.detach().to(dtype)

    return mapped(given, cast)


def samples(per_op: int = PER_OP, every: int = 1) -> Iterator[Case]:
    """What torch's tests expect to run, of one op in so many."""
    from torch.testing._internal.common_methods_invocations import op_db

    for op in op_db[::every]:
        dtype = next((dtype for dtype in _DTYPES if dtype in op.dtypes), None)
        if dtype is None:
            continue
        wants_grad = dtype == torch.float32 and op.supports_autograd
        found = list(itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=wants_grad), 40))
        random.Random(0).shuffle(found)
        for sample in found[:per_op]:
            yield Case(op.name, op.op, (sample.input, *sample.args), sample.kwargs)


def modules(device: str = "cpu") -> Iterator[Case]:
    """Torch's layers, built there and called."""
    from torch.testing._internal.common_modules import module_db

    for info in module_db:
        for training in (True, False):
            inputs = info.module_inputs_func(
                info, device="cpu", dtype=torch.float32, requires_grad=False, training=training
            )
            for one in itertools.islice(inputs, 3):
                if one.forward_input is not None:
                    given = one.forward_input
                    yield Case(
                        info.name,
                        _built(info, one.constructor_input, training, device),
                        given.args,
                        given.kwargs,
                    )


def _built(info: Any, made: Any, training: bool, device: str) -> Callable[..., Any]:
    def build(*args: Any, **kwargs: Any) -> Any:
        layer = info.module_cls(*made.args, **made.kwargs).train(training)
        return (layer if device == "cpu" else layer.to(device))(*args, **kwargs)

    return build


def permuted(tensor: torch.Tensor) -> torch.Tensor:
    """The same numbers in the memory of a transposed tensor."""
    if tensor.layout is not torch.strided or tensor.dim() < 2:
        return tensor
    turned = tensor.detach().mT.contiguous().mT
    return turned.requires_grad_(tensor.requires_grad)


def facts(value: Any, in_doubt: Callable[[torch.Tensor], bool] = lambda tensor: False) -> Any:
    """What is compared: shape, dtype, stride (of dims of more than one), requires_grad of each tensor."""
    if isinstance(value, torch.Tensor):
        if value.layout is not torch.strided:
            return str(value.layout)
        stride: Any = tuple(None if size == 1 else step for size, step in zip(value.shape, value.stride()))
        stride = IN_DOUBT if in_doubt(value) else stride if value.numel() else None
        return tuple(value.shape), value.dtype, stride, value.requires_grad
    if isinstance(value, (tuple, list)):
        return [facts(one, in_doubt) for one in value]
    return type(value).__name__


def tensors_of(value: Any) -> list[torch.Tensor]:
    """The tensors in a result or in arguments, in the order in which `mapped` meets them."""
    found: list[torch.Tensor] = []

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        found.append(tensor)
        return tensor

    mapped(value, keep)
    return found
