"""Each fact held against what was seen at its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..vocabulary.facts import Dim, Fact, GroupFact, TensorFact, ValueFact
from .symbols import Seen, Symbols

CONFIRMED, REFUTED, NOT_REACHED = "confirmed", "refuted", "not_reached"

_NO_TENSORS = frozenset(("NoneType", "int", "float", "bool", "str"))
"""What a place may hold for good where a tensor was stated: that is a contradiction. Others, such as a tensor of
another layout, are not described."""


@dataclass(frozen=True, slots=True)
class JudgedFact:
    """One fact and its verdict. `seen` and `why` say what contradicts it.

    `beyond`: what covers all runs holds, but one was seen that is none of the fact's variants.
    """

    file: str
    fact: Fact
    verdict: str
    visits: int = 0
    why: str = ""
    seen: Seen | None = None
    beyond: bool = False


@dataclass(frozen=True, slots=True)
class There:
    """What of a machine decides about facts. `cards`: it has some and the trace knew of none."""

    cards: bool = False


class Judge:
    """All facts of a run."""

    def __init__(
        self,
        facts: Sequence[tuple[str, Fact]],
        places: Sequence[Mapping[str, Any]],
        methods: Sequence[Sequence[Any]],
        there: There,
    ) -> None:
        """`facts` by the names that their files have there."""
        self._facts = [(file, fact) for file, fact in facts if says_something(fact.value)]
        self._there = there
        self._places: dict[Any, list[Mapping[str, Any]]] = {}
        for place in places:
            self._places.setdefault(_key_of_place(place), []).append(place)
        parameters = [
            (fact, place)
            for file, fact in self._facts
            if fact.kind == "parameter"
            for place in self._at(file, fact)
        ]
        self._expressions: dict[Any, list[Fact]] = {}
        for file, fact in self._facts:
            if fact.kind == "expression":
                self._expressions.setdefault(_key_of_fact(file, fact), []).append(fact)
        self._symbols = Symbols(places, methods, parameters)

    def all(self) -> list[JudgedFact]:
        """Every fact that says something, with its verdict."""
        return [self._judged(file, fact) for file, fact in self._facts]

    def _at(self, file: str, fact: Fact) -> list[Mapping[str, Any]]:
        return self._places.get(_key_of_fact(file, fact), [])

    def _judged(self, file: str, fact: Fact) -> JudgedFact:
        places = self._at(file, fact)
        visits = sum(place["visits"] for place in places)
        kind = "tensor" if isinstance(fact.value, TensorFact) else "group"
        looked = [(place, one) for place in places for one in place["seen"] if one["type"] == kind]
        for place, one in looked:
            why = self._contradiction(fact, place, one)
            if why is not None and self._is_inner(file, fact, place, one):
                return JudgedFact(file, fact, NOT_REACHED)
            if why is not None:
                return JudgedFact(file, fact, REFUTED, visits, why, one)
        others = sorted({name for place in places for name in place["others"]} & _NO_TENSORS)
        if others and not looked and not isinstance(fact.value, GroupFact):
            return JudgedFact(file, fact, REFUTED, visits, f"it was {_either(others)}")
        beyond = any(self._is_beyond(fact, place, one) for place, one in looked)
        return JudgedFact(file, fact, CONFIRMED if looked else NOT_REACHED, visits, beyond=beyond)

    def _is_inner(self, file: str, fact: Fact, place: Mapping[str, Any], one: Seen) -> bool:
        """Whether an expression's place has another fact that fits: then this one is of a call inside its call."""
        others = self._expressions.get(_key_of_fact(file, fact), ()) if fact.kind == "expression" else ()
        return any(other is not fact and self._contradiction(other, place, one) is None for other in others)

    def _contradiction(self, fact: Fact, place: Mapping[str, Any], one: Seen) -> str | None:
        """What one observation has against a fact. None: nothing."""
        return self._differs(fact.value, one, place, one["call"])

    def _is_beyond(self, fact: Fact, place: Mapping[str, Any], one: Seen) -> bool:
        return (
            bool(fact.variants)
            and fact.why is None
            and all(self._differs(variant, one, place, one["call"]) is not None for variant in fact.variants)
        )

    def _differs(
        self, said: ValueFact | None, one: Seen | None, place: Mapping[str, Any], call: int
    ) -> str | None:
        if said is None or not says_something(said):
            return None
        if one is None:
            return None  # a fact says what a tensor is where there is one
        if isinstance(said, GroupFact):
            return self._group_differs(said, one, place, call)
        if one["type"] != "tensor":
            return None
        for difference in self._tensor_differs(said, one, place, call):
            return difference
        return None

    def _group_differs(self, said: GroupFact, one: Seen, place: Mapping[str, Any], call: int) -> str | None:
        if one["type"] != "group":
            return None
        items, keys = one["items"], one.get("keys")
        if said.keys is not None and keys is not None:
            by_key = dict(zip(keys, items))
            pairs = [(key, item, by_key.get(key)) for key, item in zip(said.keys, said.items)]
        elif len(said.items) != len(items):
            return f"it had {len(items)} items"
        else:
            pairs = [(str(at), item, found) for at, (item, found) in enumerate(zip(said.items, items))]
        for key, item, found in pairs:
            why = self._differs(item, found, place, call)
            if why is not None:
                return f"item {key}: {why}"
        return None

    def _tensor_differs(
        self, said: TensorFact, one: Seen, place: Mapping[str, Any], call: int
    ) -> Iterable[str]:
        if said.shape is not None and not self._fit(said.shape, one["shape"], place, call):
            yield f"its shape was {one['shape']}"
        if said.dtype is not None and said.dtype != one["dtype"]:
            yield f"its dtype was {one['dtype']}"
        if said.device is not None and not self._same_device(said.device, one["device"]):
            yield f"it was on {one['device']}"
        if said.requires_grad is not None and said.requires_grad != one["requires_grad"]:
            yield f"requires_grad was {one['requires_grad']}"
        if said.contiguous is not None and said.contiguous != one["contiguous"]:
            yield f"it was {'' if one['contiguous'] else 'not '}contiguous, stride {one['stride']}"
        if said.stride is not None and len(said.stride) == len(one["stride"]):
            steps = [None if size == 1 else step for step, size in zip(said.stride, one["shape"])]
            if not self._fit(steps, one["stride"], place, call):  # of a dim of size 1 a stride means nothing
                yield f"its stride was {one['stride']}"

    def _same_device(self, said: str, seen: str) -> bool:
        if self._there.cards and said == "cpu" and seen.startswith("cuda"):
            return True  # the file asked for a card, and the trace knew of none
        return said == seen or ":" not in said and said == seen.partition(":")[0]

    def _fit(self, said: Sequence[Dim], seen: Sequence[int], place: Mapping[str, Any], call: int) -> bool:
        """Whether each dim that is stated was so, as far as its names are bound."""
        if said and isinstance(said[0], str) and said[0].startswith("*"):
            said, seen = said[1:], seen[max(0, len(seen) - len(said) + 1) :]
        return len(said) == len(seen) and all(
            self._symbols.holds(dim, size, place, call) is not False for dim, size in zip(said, seen)
        )


def says_something(value: ValueFact | None) -> bool:
    """Whether a fact can be right or wrong: of a tensor that is all that is known it can not."""
    if isinstance(value, GroupFact):
        return any(says_something(item) for item in value.items)
    if value is None:
        return False
    dims = value.shape
    return (
        dims is not None
        or value.dtype is not None
        or value.device is not None
        or value.contiguous is not None
        or value.requires_grad is not None
    )


def _key_of_fact(file: str, fact: Fact) -> Any:
    span = fact.span
    if fact.kind == "expression":
        return file, "expression", span.line, span.column, span.end_line, span.end_column
    return file, fact.kind, span.line, span.column, fact.name


def _key_of_place(place: Mapping[str, Any]) -> Any:
    if place["kind"] == "expression":
        ends = place["end_line"], place["end_column"]
        return place["file"], "expression", place["line"], place["column"], *ends
    return place["file"], place["kind"], place["line"], place["column"], place["name"]


def _either(names: Sequence[str]) -> str:
    return " or ".join(f"a {name}" if name != "NoneType" else "None" for name in names)
