"""The graph that a value is the end of, as far as the text shows it: through what a gradient flows back."""

from __future__ import annotations

from collections.abc import Iterator

from .values import DISPLAYS, EITHER, Value

_CUTS = frozenset(
    "detach item tolist numpy argmax argmin argsort long int bool byte short eq ne gt lt ge le size dim numel "
    "new_zeros new_ones new_full new_tensor new_empty state_dict parameters named_parameters sample".split()
)
"""Methods whose result has no way back."""
_PLAIN = frozenset("data shape device dtype grad training ndim".split())
"""Attributes that have none."""
_NEW = frozenset(
    "tensor as_tensor from_numpy zeros ones empty full rand randn randint arange linspace eye randperm zeros_like "
    "ones_like rand_like randn_like empty_like full_like argmax argmin isnan no_grad".split()
)
"""Functions of torch's whose result has none."""


def backward_through(value: Value, depth: int = 25) -> Iterator[Value]:
    """It and all that a gradient of it surely flows back through, nearest first; no further than a choice."""
    seen: set[int] = set()
    level = [value]
    for _ in range(depth):
        following: list[Value] = []
        for one in level:
            if id(one) in seen or is_cut(one) or one.by == EITHER:
                continue
            seen.add(id(one))
            yield one
            following += one.args
            if one.by.startswith("torch.distributions."):
                following += one.kwargs.values()
            if one.by != "()" and one.on is not None and not _is_one_of_many(one):
                following.append(one.on)
        if not following or len(seen) > 300:
            return
        level = following


def _is_one_of_many(value: Value) -> bool:
    """Whether it is an item of a Python container, and nobody knows which."""
    return value.by == "[]" and value.on is not None and value.on.by in (*DISPLAYS, "listcomp", "dictcomp")


def is_cut(value: Value) -> bool:
    """Whether what made a value lets no gradient through."""
    if value.by == ".":
        return value.name in _PLAIN
    if value.by.startswith("."):
        return value.short() in _CUTS
    if value.by.startswith("torch."):
        return value.by.count(".") == 1 and value.short() in _NEW
    return value.by.startswith(("builtins.", "numpy.")) or value.by in ("const", "path", "compare", "slice")


def is_data(value: Value, depth: int = 12) -> bool:
    """Whether it is surely computed of new numbers: behind it are no layer, no weight and nothing unknown."""
    if value.by.startswith("torch.") and value.kwargs.keys() & {"requires_grad", "**"}:
        return False
    if value.by in (".parameters", ".named_parameters", ".state_dict"):
        return False
    if is_cut(value):
        return True
    computed = value.by.startswith((".", "torch.")) and value.short()[:1].islower()
    if not computed and value.by not in _COMPUTED or depth == 0 or value.short().startswith("requires_grad"):
        return False
    parts = [one for one in value.made_of() if one.by != "path"]
    return bool(parts) and all(is_data(one, depth - 1) for one in parts)


_COMPUTED = frozenset("+ - * / // % ** @ [] item for slice tuple list either .".split())
