"""Facts held against the truth, binding by binding, over all files of a run.

recall     observed tensor bindings whose every dim was given rightly, as a number or a symbol
precision  of the bindings of which a shape was stated, those stated rightly

and likewise for dtype, device, contiguous, requires_grad and stride. A symbolic dim is right if one
number for each symbol explains every fact of the same call of a function: a number of that call, or of
the object that it was made on, or else one of that name anywhere.

names      of the symbolic dims that were stated, those right in every run that was observed
"""

from __future__ import annotations

import ast
import itertools
import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType
from typing import Any

OTHERS = ("dtype", "device", "contiguous", "requires_grad", "stride")
Facts = dict[tuple[str, int, int, str], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Judged:
    """One tensor that was observed, and what was said of it. `verdict`: missing, vague, right, WRONG.

    `others`: the attributes besides the shape that were stated wrongly, or not at all. `names`: each
    symbolic dim and whether it held in every run, None where nothing binds it.
    """

    verdict: str
    site: dict[str, Any]
    fact: dict[str, Any] | None
    said: list[Any]
    seen: list[dict[str, Any]]
    wrong_others: tuple[str, ...] = ()
    missing_others: tuple[str, ...] = ()
    names: tuple[tuple[str, bool | None], ...] = ()


@dataclass
class Tally:
    """Counts of one script or many."""

    counts: Counter[str] = field(default_factory=Counter)
    judged: list[Judged] = field(default_factory=list)

    def __iadd__(self, other: Tally) -> Tally:
        self.counts += other.counts
        self.judged += other.judged
        return self

    def __getitem__(self, key: str) -> int:
        return self.counts[key]

    def names(self) -> float:
        return self.counts["names right"] / (self.counts["names stated"] or 1)

    def recall(self, attribute: str = "shape") -> float:
        return self.counts[f"{attribute} right"] / (self.counts["observed"] or 1)

    def precision(self, attribute: str = "shape") -> float:
        return self.counts[f"{attribute} right"] / (self.counts[f"{attribute} stated"] or 1)


def by_place(*answers: dict[str, Any]) -> Facts:
    """The facts of `facts --json` by file, line, column and name."""
    facts: Facts = {}
    for answer in answers:
        for fact in answer["facts"]:
            file = os.path.realpath(fact.get("file") or answer["file"])
            facts.setdefault((file, fact["line"], fact["column"], fact["name"]), fact)
    return facts


def compare(truth: dict[str, Any], facts: Facts) -> Tally:
    """Judge every tensor that was observed."""
    sites = truth["sites"]
    names = Names(sites, facts, truth.get("methods", ()))
    tally = Tally()
    for site in sites:
        for fact, seen in _tensors(site, _fact_of(site, facts)):
            tally.counts["observed"] += 1
            judged = _judge(site, fact, seen, names, tally.counts)
            tally.counts[judged.verdict] += 1
            tally.judged.append(judged)
    return tally


def _judge(
    site: dict[str, Any],
    fact: dict[str, Any] | None,
    seen: list[dict[str, Any]],
    names: Names,
    counts: Counter[str],
) -> Judged:
    if not fact or fact.get("type") != "tensor":
        return Judged("missing", site, fact, [], seen, (), OTHERS)
    versions = [fact, *(fact.get("variants") or ())]
    said = [version.get("shape") for version in versions]
    fitting = [[names.fits(shape, site, one) for shape in said] for one in seen]
    each = [True if True in fits else None if None in fits else False for fits in fitting]
    verdict = "WRONG" if False in each else "vague" if None in each else "right"
    if verdict != "vague":
        counts["shape stated"] += 1
        counts["shape right"] += verdict == "right"
        counts["in variants"] += verdict == "right" and not all(fits[0] for fits in fitting)
    symbols = tuple(names.named(fact.get("shape"), site, seen))
    for _, held in symbols:
        counts["names stated"] += 1
        counts["names right" if held else "names unbound" if held is None else "names wrong"] += 1
    wrong, missing = [], []
    for key in OTHERS:
        values = [version[key] for version in versions if version.get(key) is not None]
        if key == "device":
            values = [str(value).split(":")[0] for value in values]
        if not values or (key == "stride" and any(not isinstance(step, int) for step in values[0])):
            missing.append(key)
            continue
        right = all(one[key] in values for one in seen)
        counts[f"{key} stated"] += 1
        counts[f"{key} right"] += right
        if not right:
            wrong.append(key)
    return Judged(verdict, site, fact, said, seen, tuple(wrong), tuple(missing), symbols)


def _fact_of(site: dict[str, Any], facts: Facts) -> dict[str, Any] | None:
    return facts.get((os.path.realpath(site["file"]), site["line"], site["column"], site["name"]))


def _tensors(
    site: dict[str, Any], fact: dict[str, Any] | None
) -> Iterator[tuple[dict[str, Any] | None, list[dict[str, Any]]]]:
    """What was said and seen of each tensor of a place: one, or one for each item of a container.

    The items of a named tuple are observed in order, and stated by field.
    """
    first = site["seen"][0]
    if first["type"] == "tensor":
        yield fact, [one for one in site["seen"] if one["type"] == "tensor"]
    elif first["type"] == "group":
        items = first["items"]
        said = (fact or {}).get("items") or ()
        for key, item in items.items() if isinstance(items, dict) else enumerate(items):
            if item and item["type"] == "tensor":
                try:
                    stated = said[list(said)[key] if isinstance(said, dict) and type(key) is int else key]
                except (KeyError, IndexError, TypeError):
                    stated = None
                yield stated, list(_items(site["seen"], key))


def _items(seen: list[dict[str, Any]], key: Any) -> Iterator[dict[str, Any]]:
    """One item of a container in every run that had it."""
    for one in seen:
        try:
            item = one["items"][key]
        except (KeyError, IndexError, TypeError):
            continue
        if item and item["type"] == "tensor":
            yield {**item, "call": one["call"]}


# ---------------------------------------------------------------- symbols


class Names:
    """What may bind a symbol: whole numbers that the run saw, and dims of a function's parameters."""

    def __init__(
        self, sites: list[dict[str, Any]], facts: Facts, methods: Sequence[Sequence[Any]] = ()
    ) -> None:
        self.numbers: dict[str, set[int]] = defaultdict(set)
        self.calls: dict[tuple[str, str, int], dict[str, int]] = defaultdict(dict)
        self.of = {(file, scope, call): number for file, scope, call, number in methods}
        self.objects: dict[int, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        for site in sites:
            for one in site["seen"]:
                if one["type"] == "int":
                    name = site["name"].split(".")[-1]
                    self.numbers[name].add(one["value"])
                    self._of(site, one).setdefault(name, one["value"])
                    own = self.of.get((site["file"], site["scope"], one["call"]))
                    if own is not None:
                        self.objects[own][name].add(one["value"])
        for site in sites:
            if site["kind"] == "parameter":
                for fact, seen in _tensors(site, _fact_of(site, facts)):
                    self._bind(site, fact or {}, seen)

    def _of(self, site: dict[str, Any], one: dict[str, Any]) -> dict[str, int]:
        return self.calls[site["file"], site["scope"], one["call"]]

    def _bind(self, site: dict[str, Any], fact: dict[str, Any], seen: list[dict[str, Any]]) -> None:
        for version in [fact, *(fact.get("variants") or ())]:
            shape = version.get("shape")
            for one in seen:
                if shape and _can_be(shape, one):
                    own = self.objects.get(self.of.get((site["file"], site["scope"], one["call"]), -1), {})
                    for dim, size in zip(reversed(shape), reversed(one["shape"])):
                        if isinstance(dim, str) and dim.isidentifier() and dim not in own:
                            self._of(site, one).setdefault(dim, size)

    def fits(self, shape: list[Any] | None, site: dict[str, Any], one: dict[str, Any]) -> bool | None:
        """Whether the stated shape fits the observed one; None where it states too little to say."""
        if shape is None or any(isinstance(dim, str) and dim.startswith("*") for dim in shape):
            return None
        if len(shape) != len(one["shape"]):
            return False
        verdicts = [self._fits_dim(dim, size, site, one) for dim, size in zip(shape, one["shape"])]
        return False if False in verdicts else None if None in verdicts else True

    def named(
        self, shape: list[Any] | None, site: dict[str, Any], seen: list[dict[str, Any]]
    ) -> Iterator[tuple[str, bool | None]]:
        """Each symbolic dim, and whether it held in every run; None where nothing binds its names."""
        shape = shape or []
        for number, dim in enumerate(shape):
            if not isinstance(dim, str) or dim.startswith("*"):
                continue
            rows = [one for one in seen if _can_be(shape, one)]
            held = [self._fits_dim(dim, one["shape"][number - len(shape)], site, one) for one in rows]
            holds = False if False in held or len(rows) < len(seen) else None if None in held else True
            yield dim, holds

    def _choices(self, name: str, site: dict[str, Any], one: dict[str, Any]) -> list[int]:
        """The numbers that a name may stand for in one call."""
        call = self._of(site, one)
        if name in call:
            return [call[name]]
        own = self.objects.get(self.of.get((site["file"], site["scope"], one["call"]), -1), {})
        return sorted(own.get(name) or self.numbers.get(name, ()))[:8]

    def _fits_dim(
        self, dim: int | str | None, size: int, site: dict[str, Any], one: dict[str, Any]
    ) -> bool | None:
        if not isinstance(dim, str):
            return None if dim is None else dim == size
        code, names = _compiled(dim)
        if code is None:
            return None
        choices = [self._choices(name, site, one) for name in names]
        if not all(choices):
            return None
        known = {
            "__builtins__": {},
            "min": min,
            "max": max,
            "abs": abs,
            "ceil": math.ceil,
            "floor": math.floor,
        }
        for values in itertools.islice(itertools.product(*choices), 256):
            try:
                if eval(code, known, dict(zip(names, values))) == size:
                    return True
            except Exception:
                continue
        return False


def _can_be(shape: Sequence[Any], one: dict[str, Any]) -> bool:
    """Whether the rank fits: `*batch` in front stands for any number of dims."""
    if shape and isinstance(shape[0], str) and shape[0].startswith("*"):
        return len(one["shape"]) >= len(shape) - 1
    return len(one["shape"]) == len(shape)


@lru_cache(maxsize=4096)
def _compiled(dim: str) -> tuple[CodeType | None, tuple[str, ...]]:
    """A dim's expression and its symbols; a dotted name such as config.n_embd counts as its last part."""
    try:
        tree = ast.parse(dim, mode="eval")
    except SyntaxError:
        return None, ()

    class Last(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
            return ast.copy_location(ast.Name(node.attr, ast.Load()), node)

    tree = ast.fix_missing_locations(Last().visit(tree))
    functions = ("min", "max", "ceil", "floor", "abs")
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id not in functions]
    return compile(tree, "dim", "eval"), tuple(dict.fromkeys(names))
