"""einx: one operation of torch over axes that a pattern names. How the results lie in memory is not said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..unknowns import doubts
from ..unknowns.unknown import Lost
from .einx_patterns import Expression, along, composed, read, taken_apart


def _given(values: tuple[Any, ...]) -> tuple[Any, ...]:
    if not all(isinstance(value, (torch.Tensor, int, float)) for value in values):
        raise Lost("einx is given what is no tensor")
    return values


def _laid(value: Any) -> Any:
    doubts.may_lie_otherwise(value)
    return value


def _widest(inputs: tuple[Expression, ...]) -> Expression:
    """The output that is not written: the one input that has all axes."""
    every = {axis for one in inputs for axis in one.axes}
    found = list(dict.fromkeys(one for one in inputs if set(one.axes) == every))
    if len(found) != 1:
        raise Lost("an einx pattern without an output")
    return found[0]


def _elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    def operate(pattern: str, *tensors: Any, **sizes: Any) -> Any:
        asked = read(pattern, _given(tensors), sizes)
        if any(one.marked for one in asked.inputs):
            raise Lost("an einx pattern with brackets")
        output = asked.output or _widest(asked.inputs)
        values = [
            along(taken_apart(value, one, asked.sizes), one.axes, output.axes)
            if isinstance(value, torch.Tensor) and one.axes
            else value.reshape(())
            if isinstance(value, torch.Tensor)
            else value
            for value, one in zip(tensors, asked.inputs)
        ]
        return _laid(composed(function(*values), output, asked.sizes))

    return operate


def _reduced(function: Callable[..., Any]) -> Callable[..., Any]:
    """Over the axes in brackets, or those that the output does not have."""

    def operate(pattern: str, tensor: Any, *, keepdims: Any = False, **sizes: Any) -> Any:
        asked = read(pattern, _given((tensor,)), sizes)
        (one,), output = asked.inputs, asked.output
        if keepdims or not isinstance(tensor, torch.Tensor):
            raise Lost("einx over what is no tensor, or keeps its dims")
        if output is None:
            left = tuple(
                kept
                for group in one.groups
                if (kept := tuple(axis for axis in group if axis not in one.marked)) or not group
            )
            output = Expression(left)
        gone = [at for at, axis in enumerate(one.axes) if axis not in output.axes]
        value = taken_apart(tensor, one, asked.sizes)
        value = function(value, gone) if gone else value
        rest = [axis for axis in one.axes if axis in output.axes]
        return _laid(composed(along(value, rest, output.axes), output, asked.sizes))

    return operate


def rearranged(pattern: str, tensor: Any, **sizes: Any) -> Any:
    """`einx.id`, `einx.rearrange`: of one tensor."""
    return _reduced(lambda value, gone: value)(pattern, tensor, **sizes)


def dot(pattern: str, *tensors: Any, **sizes: Any) -> Any:
    """The sum of products over the axes that the output does not have."""
    asked = read(pattern, _given(tensors), sizes)
    if asked.output is None or not all(isinstance(value, torch.Tensor) for value in tensors):
        raise Lost("an einx pattern without an output")
    letters = {axis: chr(97 + at) for at, axis in enumerate(asked.sizes)}
    if len(letters) > 26 or not set(asked.output.axes) <= {axis for one in asked.inputs for axis in one.axes}:
        raise Lost("an axis that einx makes up")
    words = ["".join(letters[axis] for axis in one.axes) for one in (*asked.inputs, asked.output)]
    values = [taken_apart(value, one, asked.sizes) for value, one in zip(tensors, asked.inputs)]
    made = torch.einsum(f"{','.join(words[:-1])}->{words[-1]}", *values)
    return _laid(composed(made, asked.output, asked.sizes))


def get_at(pattern: str, tensor: Any, *indices: Any, **sizes: Any) -> Any:
    """What stands at the indices, one for each axis in brackets, or one tensor with as many in its last dim."""
    asked = read(pattern, _given((tensor, *indices)), sizes)
    source, output = asked.inputs[0], asked.output
    marked = [axis for axis in source.axes if axis in source.marked]
    if output is None or len(indices) != len(marked) or any(one.marked for one in asked.inputs[1:]):
        raise Lost("an einx pattern of coordinates")
    if not all(isinstance(value, torch.Tensor) for value in (tensor, *indices)):
        raise Lost("einx is given what is no tensor")
    at = iter(
        along(taken_apart(value, one, asked.sizes), one.axes, output.axes)
        for value, one in zip(indices, asked.inputs[1:])
    )
    where = tuple(
        next(at).long()
        if axis in source.marked
        else along(torch.arange(asked.sizes[axis], device=tensor.device), (axis,), output.axes)
        for axis in source.axes
    )
    return _laid(composed(taken_apart(tensor, source, asked.sizes)[where], output, asked.sizes))


def _over(name: str) -> Callable[..., Any]:
    """A reduction of torch's that takes one dim, over several."""
    function = getattr(torch, name)

    def reduce(value: torch.Tensor, dims: list[int]) -> torch.Tensor:
        for dim in reversed(dims):
            value = function(value, dim)
        return value

    return reduce


_MEMBERS: dict[str, Any] = {
    **{
        name: _elementwise(getattr(torch, name))
        for name in (
            "where add subtract multiply divide true_divide floor_divide logical_and logical_or maximum minimum less "
            "less_equal greater greater_equal not_equal logaddexp"
        ).split()
    },
    "equal": _elementwise(torch.eq),
    **{name: _reduced(_over(name)) for name in "sum mean prod any all".split()},
    "max": _reduced(torch.amax),
    "min": _reduced(torch.amin),
    **{name: _reduced(getattr(torch, name)) for name in ("std", "var", "logsumexp")},
    "id": rearranged,
    "rearrange": rearranged,
    "dot": dot,
    "get_at": get_at,
}
EINX = {"einx": _MEMBERS}
"""The members of its modules."""
