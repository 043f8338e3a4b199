"""Which modules an optimizer is given, and which modules are parts of which."""

from __future__ import annotations

from .values import Value, roots, same

_COLLECTIONS = {"list", "tuple", "dict", "+", "*", "builtins.list", "collections.OrderedDict"}


def all_given(given: Value) -> list[Value] | None:
    """The modules of which an optimizer gets all parameters; None where it gets anything else too."""
    if given.by == ".parameters" and given.on is not None:
        return [given.on]
    if given.by in ("list", "tuple", "+", "*", "builtins.list", "itertools.chain", "dict"):
        inner = given.args if given.by != "*" or given.args else (given.on,) if given.on is not None else ()
        if given.by == "dict":
            inner = tuple(v for k, v in zip(given.keys, given.args) if k == "params")
        parts = [all_given(one) for one in inner]
        if parts and all(part is not None for part in parts):
            return [one for part in parts for one in part or ()]
    return None


def is_in(layer: Value, whole: Value) -> bool:
    """Whether a layer may be a module, or one of its parts."""
    return same(layer, whole) or any(holds(root, one) for root in roots(whole) for one in roots(layer))


def holds(whole: Value, part: Value, depth: int = 0) -> bool:
    """Whether a module has another in its attributes or among its layers. What a function of unknown making
    was given is not in what it gave back: a deep copy holds nothing of its original.
    """
    if whole is part:
        return True
    inner = list(whole.attrs.values())
    if whole.by.startswith("torch.nn.") or whole.by in _COLLECTIONS:
        inner += [*whole.args, *whole.kwargs.values()]
    return depth < 6 and any(holds(root, part, depth + 1) for one in inner for root in roots(one))


def is_surely_in(part: Value, whole: Value) -> bool:
    """Whether a module is the other one, or a part of it, whichever of several it is."""
    mine, others = roots(part), roots(whole)
    return len(others) == 1 and bool(mine) and all(holds(others[0], one) for one in mine)
