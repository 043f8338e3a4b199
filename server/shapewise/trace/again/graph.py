"""The gradients of a call that was not made: one node in the place of its graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from .code import Unfit
from .look import Look

_MOST = 20_000


class Sources(NamedTuple):
    """What a tensor was computed from: the places of tensors that the call saw.

    `saved`: those of them that the graph keeps, so that torch refuses to go backward where they were
    written to since. `keepers`: its nodes that keep anything, so that they can be gone through once.
    """

    inputs: tuple[int, ...]
    saved: tuple[int, ...]
    keepers: frozenset[Any]


class Graph(NamedTuple):
    """What stands in the place of the graph of one result. `shared`: numbers of the parts that other results have, too."""

    inputs: tuple[int, ...]
    saved: tuple[int, ...]
    once: bool
    shared: tuple[int, ...]


def graphs_of(results: Sequence[Sources]) -> tuple[list[Graph], list[tuple[int, ...]]]:
    """The graphs of the results of one call, and the inputs of each part that several of them share.

    Whoever goes backward through such a part from one result has gone through it for the others as well.
    """
    owners: dict[Any, list[int]] = {}
    for number, one in enumerate(results):
        for node in one.keepers:
            owners.setdefault(node, []).append(number)
    parts: dict[tuple[int, ...], tuple[int, ...]] = {}
    for several in {tuple(numbers) for numbers in owners.values() if len(numbers) > 1}:
        common = frozenset.intersection(*[frozenset(results[number].inputs) for number in several])
        if common:
            parts[several] = tuple(common)
    graphs = [
        Graph(
            one.inputs,
            one.saved,
            bool(one.keepers),
            tuple(at for at, several in enumerate(parts) if number in several),
        )
        for number, one in enumerate(results)
    ]
    return graphs, [*parts.values()]


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
    keepers: set[Any] = set()
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
            if node._shapewise_once:
                keepers.add(node)
            saved.update((memories[one], None) for one in node._shapewise_memories if one in memories)
        else:
            for name in _kept(node):
                keepers.add(node)
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
    return Sources(tuple(inputs), tuple(saved), frozenset(keepers))


class _Once(torch.autograd.Function):
    """Stands for the graph of a call, or for a part of it."""

    @staticmethod
    def forward(ctx: Any, new: Callable[[], Any], once: bool, kept: list[Any], *inputs: Any) -> Any:
        ctx._shapewise_once = once
        ctx._shapewise_memories = [one.untyped_storage()._cdata for one in kept]
        ctx.facts = [(one.shape, one.dtype) for one in inputs]
        if once:
            ctx.save_for_backward(*kept)
        return new()

    @staticmethod
    def backward(ctx: Any, *given: Any) -> Any:
        if ctx._shapewise_once:
            _ = ctx.saved_tensors
        return (None, None, None, *[torch.empty(shape, dtype=dtype) for shape, dtype in ctx.facts])


def connected(new: Callable[[], Any], graph: Graph, look: Look, parts: Sequence[Any]) -> Any:
    """A new tensor that has this graph. `parts`: those that it shares, made by `part_of_graphs`."""
    kept = [look.held[at] for at in graph.saved]  # in a list, for they are no sources
    return _Once.apply(new, graph.once, kept, *[look.held[at] for at in graph.inputs], *parts)


def part_of_graphs(new: Callable[[], Any], inputs: Sequence[int], look: Look) -> Any:
    """A number that stands for a part that several graphs share, and can be gone through once."""
    return _Once.apply(new, True, [], *[look.held[at] for at in inputs])
