"""How many dims a value surely has, by what made it: no run is asked."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ..vocabulary import recurrent
from .course import Course
from .values import CONST, Value, constant, number, options_of, roots
from .widths import KEEPING

_SAME = frozenset(
    "contiguous clone detach float half bfloat16 double long cuda cpu to type softmax log_softmax relu tanh sigmoid gelu exp "
    "log log1p sqrt abs clamp clamp_min dropout silu leaky_relu normalize permute transpose mT masked_fill pow neg".split()
)
_REDUCTIONS = frozenset("mean sum std var amax amin argmax argmin prod all any logsumexp".split())
_OPERATORS = frozenset("+ - * / @ += -= *= /=".split())
_SIZED = {"zeros": 0, "ones": 0, "empty": 0, "rand": 0, "randn": 0, "full": 0, "randint": 2}
"""Functions that are told sizes, and from which place on."""
_MATRIX = 2
_DEEP = 20


@dataclass(frozen=True)
class Rank:
    """At least `least` dims, at most `most`; None where there is no limit."""

    least: int
    most: int | None = None

    @property
    def exact(self) -> int | None:
        """The one number that it can be."""
        return self.least if self.least == self.most else None

    def more(self, count: int) -> Rank:
        """With so many dims more, or fewer."""
        return Rank(max(self.least + count, 0), None if self.most is None else max(self.most + count, 0))


_ANY = Rank(0)


class Ranks:
    """The ranks of one file's values: `b, t, d = x.shape` says that x has three dims, unless the file asks how many it has."""

    def __init__(self, course: Course) -> None:
        self._unpacked: dict[int, set[int]] = {}
        asked = {id(one) for one in _asked(course)}
        for event in course.of_kind("bind"):
            item = event.args[0] if event.args else None
            if item is None or item.by != "item" or item.on is None or event.branches_in(None):
                continue
            names = course.places.parent(event.node)
            if not isinstance(names, (ast.Tuple, ast.List)) or not _is_shape(item.on) or item.on.on is None:
                continue
            if id(item.on.on) in asked or "ndim" in item.on.on.attrs:
                continue
            if any(isinstance(one, ast.Try) for one in course.places.above(event.node)):
                continue
            if not any(isinstance(one, ast.Starred) for one in names.elts):
                self._unpacked.setdefault(id(item.on.on), set()).add(len(names.elts))

    def of(self, value: Value | None, depth: int = 0) -> Rank:
        """What it surely has."""
        if value is None or depth > _DEEP:
            return _ANY
        found = [self._of(one, depth) for one in options_of(value)]
        most = [one.most for one in found if one.most is not None]
        return Rank(min(one.least for one in found), _largest(most, found))

    def _of(self, value: Value, depth: int) -> Rank:
        unpacked = self._unpacked.get(id(value), ())
        if len(unpacked) == 1:
            (count,) = unpacked
            return Rank(count, count)
        method = value.by.startswith(".") and len(value.by) > 1
        given = value.on if method else value.args[0] if value.args else None
        name = value.short()
        if value.by == "()":
            return self._of_layer(value, depth)
        if value.by == "item" and value.keys == (0,) and value.on is not None and value.on.by == "()":
            layers = roots(value.on.on)
            if len(layers) == 1 and layers[0].by in recurrent.BUILT and value.on.args:
                return self.of(value.on.args[0], depth + 1)
            return _ANY
        if value.by == "[]":
            return self._of_part(value, depth)
        if value.by in _OPERATORS and len(value.args) == 2:
            sides = [self.of(one, depth + 1) for one in value.args if one.by != CONST]
            if value.by == "@" and any(one.least < _MATRIX for one in sides):
                return _ANY  # of a vector nothing is left
            most = [one.most for one in sides if one.most is not None]
            return Rank(max((one.least for one in sides), default=0), _largest(most, sides))
        if not method and not value.by.startswith("torch."):
            return _ANY
        if value.by == "torch.nn.utils.rnn.pad_sequence":
            return Rank(_MATRIX)
        if not method and name in _SIZED and value.by == f"torch.{name}":
            told = _sizes_given(value, name)
            return _ANY if told is None else Rank(told, told)
        if name in ("view", "reshape"):
            asked = self.asked_of(value)
            return _ANY if asked is None else Rank(asked, asked)
        if name == "flatten" and method:
            start = constant(value.argument("start_dim", 0))
            only = "end_dim" not in value.kwargs and len(value.args) < _MATRIX
            if not value.args and not value.kwargs or start == 0 and only:
                return Rank(1, 1)
            return Rank(_MATRIX, _MATRIX) if start == 1 and only else _ANY
        if name == "unsqueeze":
            return self.of(given, depth + 1).more(1)
        if name in _REDUCTIONS and method:
            dim, kept = value.argument("dim", 0), value.argument("keepdim", 1)
            if kept is None and number(dim) is not None:
                return self.of(given, depth + 1).more(-1)
            return self.of(given, depth + 1) if kept is not None and kept.const is True else _ANY
        if name == "permute" and method and value.args and all(number(one) is not None for one in value.args):
            return Rank(len(value.args), len(value.args))
        return self.of(given, depth + 1) if name in _SAME else _ANY

    def _of_layer(self, value: Value, depth: int) -> Rank:
        layers = roots(value.on)
        if len(layers) != 1 or len(value.args) != 1:
            return _ANY
        return self._through(layers[0], self.of(value.args[0], depth + 1))

    def _through(self, layer: Value, given: Rank) -> Rank:
        if layer.by == "torch.nn.Sequential":
            for inner in layer.args:
                parts = roots(inner)
                given = self._through(parts[0], given) if len(parts) == 1 and not inner.spread else _ANY
            return given
        if not layer.by.startswith("torch.nn.") or layer.by.count(".") != _MATRIX:
            return _ANY
        if layer.short() == "Embedding":
            return given.more(1)
        return given if layer.short() == "Linear" or layer.short() in KEEPING else _ANY

    def _of_part(self, value: Value, depth: int) -> Rank:
        """Of `x[:, 1:]`: two dims at least, and as many as before."""
        index = value.args[0] if value.args else None
        if index is None or value.on is None:
            return _ANY
        parts = index.args if index.by == "tuple" else (index,)
        slices = sum(one.by == "slice" for one in parts)
        numbers = sum(number(one) is not None for one in parts)
        if slices + numbers != len(parts):
            return _ANY
        whole = self.of(value.on, depth + 1)
        return Rank(max(whole.least - numbers, slices), None if whole.most is None else whole.most - numbers)

    def asked_of(self, value: Value) -> int | None:
        """How many dims a `view` or `reshape` asks for."""
        asked = value.args if value.by.startswith(".") else value.args[1:]
        if any(one.spread for one in asked) or not asked:
            return None
        if len(asked) > 1:
            return len(asked)
        return 1 if number(asked[0]) is not None else self._length(asked[0])

    def _length(self, sizes: Value) -> int | None:
        """How many sizes there are in `x.shape[:-2] + (width,)`."""
        if sizes.by in ("tuple", "list") and not any(one.spread for one in sizes.args):
            return len(sizes.args)
        if sizes.by == "+" and len(sizes.args) == _MATRIX:
            both = [self._length(one) for one in sizes.args]
            return None if None in both else sum(both)  # type: ignore[arg-type]
        if sizes.by == "[]" and sizes.on is not None and _is_shape(sizes.on) and len(sizes.args) == 1:
            rank, cut = self.of(sizes.on.on).exact, sizes.args[0]
            if rank is None or cut.by != "slice" or len(cut.args) != 1 or cut.node is None:
                return None
            end = number(cut.args[0])
            lower, upper = getattr(cut.node, "lower", None), getattr(cut.node, "upper", None)
            if end is None or (lower is None) == (upper is None):
                return None
            return len(range(rank)[: int(end)]) if lower is None else len(range(rank)[int(end) :])
        return None


def _sizes_given(value: Value, name: str) -> int | None:
    """How many sizes `torch.zeros(n, m)` or `torch.full((n, m), 0)` is told."""
    sizes = value.args[_SIZED[name] :]
    whole = value.kwargs.get("size") or (sizes[0] if sizes else None)
    if whole is None or any(one.spread for one in value.args):
        return None
    if whole.by in ("tuple", "list"):
        return None if any(one.spread for one in whole.args) else len(whole.args)
    return len(sizes) if len(sizes) > 1 and name not in ("full", "randint") else None


def _largest(known: list[int], all_of: list[Rank]) -> int | None:
    """The most dims of several, if there is a limit for each."""
    return max(known, default=0) if len(known) == len(all_of) else None


def _asked(course: Course) -> Iterator[Value]:
    """The values whose number of dims a file asks for, by `x.dim()` or `len(x.shape)`."""
    for event in course.calls(".dim", ".ndimension"):
        if event.on is not None:
            yield event.on
    for event in course.calls("builtins.len"):
        shape = event.args[0] if event.args else None
        if shape is not None and _is_shape(shape) and shape.on is not None:
            yield shape.on


@lru_cache(maxsize=2)
def ranks_in(course: Course) -> Ranks:
    """Those of one file."""
    return Ranks(course)


def _is_shape(value: Value) -> bool:
    """Whether it is `x.shape` or `x.size()`."""
    return (value.by == "." and value.name == "shape") or (value.by == ".size" and not value.args)
