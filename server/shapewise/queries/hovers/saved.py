"""What autograd keeps of an op until the backward pass."""

from __future__ import annotations

from collections.abc import Callable

from ...vocabulary.events import Tensor
from .run import Run
from .words import memory, size_of

_Kept = list[tuple[str, Tensor]]


def told(run: Run) -> str | None:
    """`Backward keeps x (24 KiB), the result (8 KiB).` Of ops where it is known, if anything is kept."""
    kept = saved(run)
    if not kept:
        return None
    words = []
    for name, tensor in {tensor.id: (name, tensor) for name, tensor in kept}.values():
        size = size_of(tensor)
        words.append(name + (f" ({memory(size)})" if size is not None else ""))
    return f"Backward keeps {', '.join(words)}."


def saved(run: Run) -> _Kept | None:
    """The tensors that are kept, parameters left out. None where it is not known, or no gradient flows."""
    result, modes = run.result, run.op.modes
    if result is None or not result.requires_grad or result.leaf or not modes.grad or modes.inference:
        return None
    ask = _ASK.get(run.op.name.removeprefix("torch.nn.functional.").removeprefix("torch."))
    named = [(f"`{name}`" if name else "its input", tensor) for name, tensor in run.tensors]
    return ask(named, result) if ask is not None and named and modes.autocast is None else None


def _result(given: _Kept, result: Tensor) -> _Kept | None:
    return [("the result", result)] if len(given) == 1 else None


def _input(given: _Kept, result: Tensor) -> _Kept | None:
    return given if len(given) == 1 else None


def _nothing(given: _Kept, result: Tensor) -> _Kept | None:
    return []


def _factors(given: _Kept, result: Tensor) -> _Kept | None:
    """Of a product each operand is kept whose partner needs a gradient."""
    if len(given) == 1:
        return []
    if len(given) != 2 or any(tensor.requires_grad is None for _, tensor in given):
        return None
    first, second = given
    return [one for one, other in ((first, second), (second, first)) if other[1].requires_grad]


_ASK: dict[str, Callable[[_Kept, Tensor], _Kept | None]] = {
    **dict.fromkeys("relu sigmoid tanh exp sqrt softmax log_softmax".split(), _result),
    **dict.fromkeys("nn.ReLU() nn.Sigmoid() nn.Tanh() nn.Softmax() nn.LogSoftmax()".split(), _result),
    **dict.fromkeys("gelu silu log sin cos abs nn.GELU() nn.SiLU() nn.Linear()".split(), _input),
    **dict.fromkeys("* mul @ matmul mm bmm".split(), _factors),
    **dict.fromkeys(
        "view transpose permute unsqueeze squeeze expand t T mT flatten reshape + - add sub sum mean".split(),
        _nothing,
    ),
}
