"""The gradients of a call that was not made: one node in the place of its graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from .code import Unfit
from .look import Look

_MOST = 20_000


class Sources(NamedTuple):
    """What a tensor was computed from: the places of tensors that the call saw.

    `saved`: those of them that the graph keeps, so that torch refuses to go backward where they were
    written to since. `once`: whether it keeps anything, so that it can be gone through once.
    """

    inputs: tuple[int, ...]
    saved: tuple[int, ...]
    once: bool


_KEEPS: dict[type, tuple[str, ...]] = {}


def _kept(node: Any) -> tuple[str, ...]:
    """The names of what a node of this kind keeps."""
    kind = type(node)
    known = _KEEPS.get(kind)
    if known is None:
        known = _KEEPS[kind] = tuple(
            name.removeprefix("_raw") for name in dir(kind) if name.startswith("_raw_saved_")
        )
    return known


def sources_of(result: Any, look: Look) -> Sources:
    """What a tensor was computed from. Raises Unfit where its graph is more than torch's own nodes."""
    ends: dict[Any, int] = {}
    leaves: dict[int, int] = {}
    memories: dict[int, int] = {}
    for at, tensor in look.tensors:
        if tensor.requires_grad:
            if tensor.grad_fn is not None:
                ends[tensor.grad_fn] = at
            else:
                leaves[id(tensor)] = at
        memories.setdefault(tensor.untyped_storage()._cdata, at)
    inputs: dict[int, None] = {}
    saved: dict[int, None] = {}
    once = False
    waiting, seen = [result.grad_fn], {result.grad_fn}
    if result.grad_fn in ends:
        raise Unfit
    while waiting:
        node = waiting.pop()
        variable = getattr(node, "variable", None)
        if variable is not None:
            leaf = leaves.get(id(variable))
            if leaf is not None:
                if not hasattr(variable, "_is_param"):
                    raise Unfit  # its gradient may be asked for by name, and lies as the graph has it
                inputs[leaf] = None
            continue
        if isinstance(node, torch.autograd.function.BackwardCFunction):
            if not hasattr(node, "_shapewise_once"):
                raise Unfit
            once |= node._shapewise_once
            saved.update((memories[one], None) for one in node._shapewise_memories if one in memories)
        else:
            for name in _kept(node):
                once = True
                try:
                    kept = getattr(node, name, None)
                except RuntimeError:  # it was gone through, and has let go of them
                    raise Unfit from None
                for one in kept if isinstance(kept, (tuple, list)) else (kept,):
                    if isinstance(one, torch.Tensor):
                        held = memories.get(one.untyped_storage()._cdata)
                        if held is not None:
                            saved[held] = None
        for following, _ in node.next_functions:
            if following is None or following in seen:
                continue
            seen.add(following)
            if len(seen) > _MOST:
                raise Unfit
            if following in ends:
                inputs[ends[following]] = None
            else:
                waiting.append(following)
    return Sources(tuple(inputs), tuple(saved), once)


class _Once(torch.autograd.Function):
    """Stands for the graph of a call."""

    @staticmethod
    def forward(ctx: Any, new: Callable[[], Any], sources: Sources, kept: list[Any], *inputs: Any) -> Any:
        ctx._shapewise_once = sources.once
        ctx._shapewise_memories = [one.untyped_storage()._cdata for one in kept]
        ctx.facts = [(one.shape, one.dtype) for one in inputs]
        if sources.once:
            ctx.save_for_backward(*kept)
        return new()

    @staticmethod
    def backward(ctx: Any, *given: Any) -> Any:
        if ctx._shapewise_once:
            _ = ctx.saved_tensors
        return (None, None, None, *[torch.empty(shape, dtype=dtype) for shape, dtype in ctx.facts])


def connected(new: Callable[[], Any], sources: Sources, look: Look) -> Any:
    """A new tensor that has these for its sources."""
    kept = [look.held[at] for at in sources.saved]  # in a list, for they are no sources
    return _Once.apply(new, sources, kept, *[look.held[at] for at in sources.inputs])
