"""How many parameters a module surely has, by the numbers that the text makes it of."""

from __future__ import annotations

import math

from .folding import usual_number
from .values import DISPLAYS, INSTANCE, Value, roots

_SIZES = {
    "torch.nn.Linear": (("in_features", 0), ("out_features", 1)),
    "torch.nn.Embedding": (("num_embeddings", 0), ("embedding_dim", 1)),
    "torch.nn.EmbeddingBag": (("num_embeddings", 0), ("embedding_dim", 1)),
    "torch.nn.Conv1d": (("in_channels", 0), ("out_channels", 1), ("kernel_size", 2)),
}
"""Of the layers that large models consist of: the numbers whose product they hold at least."""
_HOLD = ("torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict")
_FILLED = ("torch.empty", "torch.zeros", "torch.ones", "torch.randn", "torch.rand")


def parameters_at_least(module: Value) -> float:
    """The parameters of a module and all in it, each counted once; what is not known counts as none."""
    return _count(module, set(), 8)


def _count(value: Value, seen: set[int], depth: int) -> float:
    found = roots(value)
    if len(found) != 1 or id(found[0]) in seen or not depth:
        return 0
    one = found[0]
    seen.add(id(one))
    if one.by in _SIZES:
        return _product([one.argument(name, at) for name, at in _SIZES[one.by]])
    if one.by == "torch.nn.Parameter" and one.args and one.args[0].by in _FILLED:
        sizes = one.args[0].args
        return _product(
            list(sizes[0].args if len(sizes) == 1 and sizes[0].by in ("tuple", "list") else sizes)
        )
    if one.by == INSTANCE and one.cls is not None:
        return sum(_count(held, seen, depth - 1) for held in one.attrs.values()) if one.cls.is_module else 0
    if one.by in _HOLD or one.by in DISPLAYS:
        return sum(_count(held.on or held if held.spread else held, seen, depth - 1) for held in one.args)
    if one.by in ("listcomp", "genexp", "dictcomp") and one.args:
        return _rounds(one) * _count(one.args[-1], seen, depth - 1)
    return 0


def _product(sizes: list[Value | None]) -> float:
    known = [usual_number(one) for one in sizes]
    return math.prod(one or 0 for one in known) if known else 0


def _rounds(made: Value) -> float:
    """How often a comprehension over `range(n)` makes what it makes; 0 where that is not known."""
    over = made.on
    generators = getattr(made.node, "generators", [])
    if over is None or over.by != "builtins.range" or len(over.args) != 1:
        return 0
    return usual_number(over.args[0]) or 0 if len(generators) == 1 and not generators[0].ifs else 0
