"""What a value surely does not have: of a tensor any attribute, of several values what only a tensor has, an item at `[:, -1]` too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

from ...vocabulary.events import Failure
from ..refusals.of_text import is_nowhere
from ..refusals.replay import first_line
from ..unknowns.grown import is_grown
from ..unknowns.unknown import Unknown

if TYPE_CHECKING:
    from ...vocabulary.span import Span
    from ..run import Env

_TENSORS = (FakeTensor, torch.Tensor, torch.nn.Parameter)
_OF_OTHER_CARDS = frozenset("npu hpu mlu musa is_npu is_hpu is_mlu".split())
"""Methods that a package for another kind of card gives to tensors."""
_SEVERAL = (tuple, list)
_ONLY_OF_TENSORS = frozenset(
    "shape size dim ndim view reshape permute transpose unsqueeze squeeze flatten backward detach cpu cuda to item "
    "contiguous float long device dtype numel requires_grad softmax argmax".split()
)


def refused(env: Env, span: Span, value: Any, name: str, error: Exception) -> Unknown:
    """What is read where an attribute cannot be: not known, and a failure where the value surely has none of that name.

    Behind a condition that nobody knows it is none: it may have asked whether this is something else.

    Raises the error again where the file catches it.
    """
    run = env.run
    lost = run.absorb(error, value, of_text=is_nowhere(value, name, env.module))
    if type(error) is not AttributeError or not _lacks(value, name):
        return lost
    run.lacking += 1
    if run.attempt is None and not run.contrary and not run.open_conditions:
        failure = Failure("AttributeError", first_line(error))
        run.recorder.op(env.frame, span, "attribute", [value], {}, lost, failure)
    return lost


def not_callable(env: Env, span: Span, value: Any, args: Sequence[Any]) -> Unknown:
    """What a call is of what cannot be called: not known, and a failure if it is a tensor or a shape, `x.shape(0)`.

    Raises the error where the file catches it.
    """
    run = env.run
    name = "Tensor" if isinstance(value, FakeTensor) else type(value).__name__
    name = "torch.Size" if type(value) is torch.Size else name
    error = TypeError(f"'{name}' object is not callable")
    lost = run.absorb(error, value)
    if type(value) in (*_TENSORS, torch.Size) and run.attempt is None and not run.contrary:
        failure = Failure("TypeError", str(error))
        run.recorder.op(env.frame, span, "call", [value, *args], {}, lost, failure)
    return lost


def no_item(env: Env, span: Span, value: Any, index: Any, error: Exception) -> Unknown:
    """What `value[index]` is of several values where they refuse it: not known, and a failure if a tensor was surely meant.

    Raises the error again where the file catches it.
    """
    run = env.run
    lost = run.absorb(error, value, index)
    is_of_a_tensor = type(index) is tuple and any(isinstance(one, torch.Tensor) for one in value)
    if type(error) is TypeError and run.attempt is None and not run.contrary and is_of_a_tensor:
        failure = Failure("TypeError", first_line(error))
        run.recorder.op(env.frame, span, "[]", [value, index], {}, lost, failure)
    return lost


def _lacks(value: Any, name: str) -> bool:
    if type(value) in _TENSORS:
        return not hasattr(torch.Tensor, name) and name not in _OF_OTHER_CARDS
    several = type(value) in _SEVERAL or type(value).__module__ == "torch.return_types"
    return several and name in _ONLY_OF_TENSORS and is_grown(value) is None
