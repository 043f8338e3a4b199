"""View or copy: whose memory the result is in."""

from __future__ import annotations

from .run import Run
from .words import memory, shape, size_of, strides

_ALWAYS_VIEWS = frozenset(
    "view view_as transpose permute expand expand_as unsqueeze squeeze select narrow unfold diagonal t T mT detach "
    "swapaxes swapdims movedim moveaxis unflatten broadcast_to chunk split unbind tensor_split".split()
)
"""Ops whose result is a view whatever the sizes are; with made-up sizes nothing is said of others."""

_RESHAPES = frozenset("reshape flatten reshape_as ravel".split())
_MAY_COPY = _RESHAPES | frozenset(
    "contiguous to cuda cpu float half bfloat16 double int long bool type type_as".split()
)


def told(run: Run) -> str | None:
    """One sentence, or None where nobody would ask."""
    result = run.result
    if result is None:
        return _parts(run)
    if run.made_up and run.short not in _ALWAYS_VIEWS:
        return None
    for name, tensor in run.tensors:
        if tensor.id == result.id:
            if run.short.endswith(("_", "=")) and run.short not in ("==", "!=", "<=", ">="):
                return f"Writes into {_name(name)} itself: no new memory."
            return f"Gives back {_name(name)} itself: nothing is copied."
    for name, tensor in run.tensors:
        if tensor.storage == result.storage:
            return f"A view: shares the memory of {_name(name)}, nothing is copied."
    if run.short not in _MAY_COPY or not run.tensors:
        return None
    name, source = run.tensors[0]
    if source.device != result.device:
        return f"Copies to {result.device}." if source.device and result.device else None
    if source.dtype != result.dtype:
        return f"Copies into new memory, as {result.dtype}." if source.dtype and result.dtype else None
    if run.short not in _RESHAPES or source.stride is None:
        return "Copies into new memory."
    return (
        f"Copies into new memory: with strides {strides(source.stride)} no view of {_name(name)} "
        f"can be {shape(result.shape)}."
    )


def amount(run: Run) -> str | None:
    """`960 B` where the result has memory of its own."""
    result = run.result
    if result is None or any(result.storage == tensor.storage for _, tensor in run.tensors):
        return None
    size = size_of(result)
    return memory(size) if size is not None else None


def _parts(run: Run) -> str | None:
    """Of an op that gives several tensors."""
    if run.op.failure is not None or not run.tensors or run.short not in _ALWAYS_VIEWS:
        return None
    name, source = run.tensors[0]
    items = [item for item in getattr(run.op.result, "items", ()) if hasattr(item, "storage")]
    if items and all(item.storage == source.storage for item in items):
        return f"Views: all share the memory of {_name(name)}, nothing is copied."
    return None


def _name(name: str) -> str:
    return f"`{name}`" if name else "its input"
