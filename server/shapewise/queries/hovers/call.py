"""The call as it was made: tensors by their shapes, then what came out."""

from __future__ import annotations

from ...vocabulary.events import Group, Tensor, Unknown, Value
from .run import Run
from .words import shape, value

_LONGEST = 72
_ATTRIBUTES = frozenset("T mT H mH grad data real imag".split())


def told(run: Run) -> str:
    """`[2, 5, 8] @ [2, 8, 5]` and, in another line, `→ [2, 5, 5] float32`."""
    given = run.op.result
    is_worth = run.op.failure is None and isinstance(given, (Tensor, Group, Unknown))
    return f"{_call(run)}\n→ {_result(given)}" if is_worth else _call(run)


def _call(run: Run) -> str:
    op = run.op
    args = [value(arg) for arg in op.args]
    named = [f"{key}={value(arg)}" for key, arg in op.kwargs]
    name = op.name
    if name.endswith("()"):
        return f"{_layer(run)}({_fitting([*args[1:], *named])})"
    if name == "[]" and len(args) == 2:
        return f"{args[0]}[{run.name(1) or '…'}]"
    if not name.replace(".", "").replace("_", "").isalnum():
        if len(args) == 2:
            return f"{args[0]} {name} {args[1]}"
        return f"{name}{args[0]}" if len(args) == 1 else name
    if "." in name:
        return f"{name}({_fitting([*args, *named])})"
    if not args:
        return f"{name}({_fitting(named)})"
    if name in _ATTRIBUTES and len(args) == 1:
        return f"{args[0]}.{name}"
    return f"{args[0]}.{name}({_fitting([*args[1:], *named])})"


def _layer(run: Run) -> str:
    """`nn.Linear(8, 24)` if it is known how the layer was made."""
    name = run.op.name.removesuffix("()")
    if run.built is None or run.built.name.rsplit(".", 1)[-1] != name.rsplit(".", 1)[-1]:
        return name
    built = [value(arg) for arg in run.built.args]
    built += [f"{key}={value(arg)}" for key, arg in run.built.kwargs]
    return f"{name}({_fitting(built)})"


def _fitting(words: list[str]) -> str:
    """As many as fit a line."""
    shown: list[str] = []
    for word in words:
        if shown and len(", ".join([*shown, word])) > _LONGEST:
            return ", ".join([*shown, "…"])
        shown.append(word)
    return ", ".join(shown)


def _result(given: Value) -> str:
    if isinstance(given, Tensor):
        device = given.device if given.device != "cpu" else ""
        return " ".join(filter(None, (shape(given.shape), given.dtype, device)))
    return value(given)
