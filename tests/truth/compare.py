"""Facts held against the truth, place by place and attribute by attribute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

ATTRIBUTES = ("shape", "dtype", "device", "contiguous", "requires_grad", "stride")


@dataclass
class Score:
    """For each attribute: tensors observed, those of which something was said, those said rightly."""

    observed: int = 0
    stated: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)

    def recall(self, attribute: str) -> float:
        return self.right[attribute] / (self.observed or 1)

    def precision(self, attribute: str) -> float:
        return self.right[attribute] / (self.stated[attribute] or 1)

    def row(self, name: str) -> str:
        cells = [f"{100 * self.recall(key):5.1f} /{100 * self.precision(key):6.1f}" for key in ATTRIBUTES]
        return f"{name:24}{self.observed:5}  " + "  ".join(cells)


HEADER = f"{'recall / precision in %':24}{'n':>5}  " + "  ".join(f"{key:>13}" for key in ATTRIBUTES)


def compare(truth: dict[str, Any], facts: dict[str, Any]) -> Score:
    """A tensor counts once a place (and item); a statement is right if it covers all that was seen."""
    known = {(fact["kind"], fact["line"], fact["column"], fact["name"]): fact for fact in facts["facts"]}
    score = Score()
    for place in truth["places"]:
        key = (place["kind"], place["line"], place["column"], place["name"])
        where = f"{place['line']}:{place['column']} {place['scope']} {place['name']}"
        fact = known.get(key)
        versions = [fact, *fact["variants"]] if fact else []
        for path, seen in _tensors(place["seen"]):
            score.observed += 1
            stated = [found for version in versions if (found := _item(version, path)) is not None]
            for attribute in ATTRIBUTES:
                _judge(
                    score, attribute, f"{where}{''.join(f'[{step!r}]' for step in path)}", stated, seen, fact
                )
    return score


def _tensors(seen: list[dict[str, Any]]) -> Iterator[tuple[tuple[Any, ...], list[dict[str, Any]]]]:
    """Each tensor of a place by its path into the containers, with all that was seen there."""
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}

    def walk(value: dict[str, Any] | None, path: tuple[Any, ...]) -> None:
        if value is None:
            return
        if value["type"] == "tensor":
            found.setdefault(path, []).append(value)
            return
        items = value["items"]
        for step, item in items.items() if isinstance(items, dict) else enumerate(items):
            walk(item, (*path, step))

    for value in seen:
        walk(value, ())
    yield from found.items()


def _item(fact: dict[str, Any] | None, path: tuple[Any, ...]) -> dict[str, Any] | None:
    for step in path:
        try:
            items = (fact or {})["items"]
            fact = (
                list(items.values())[step]
                if isinstance(step, int) and isinstance(items, dict)
                else items[step]
            )
        except (KeyError, IndexError, TypeError):
            return None
    return fact if fact and fact["type"] == "tensor" else None


def _judge(
    score: Score,
    attribute: str,
    where: str,
    stated: list[dict[str, Any]],
    seen: list[dict[str, Any]],
    fact: dict[str, Any] | None,
) -> None:
    """The join must not contradict what was seen; a full statement is the join or one of the variants.

    Variants must cover all that was seen, unless the fact says itself (`why`) that runs were lost.
    """
    real = [value[attribute] for value in seen]
    joined = stated[0][attribute] if stated else None
    variants = [version[attribute] for version in stated]
    partly = isinstance(joined, list) and any(not isinstance(dim, int) for dim in joined)
    full = [variant for variant in variants if variant is not None and not _partly(variant)]
    if joined is None and not full:
        why = fact["why"] if fact else "no fact there"
        score.gaps.append(f"{attribute} of {where}: not stated ({why}), really {real[0]}")
        return
    if any(variant is None for variant in variants[1:]) and not all(
        any(_equal(attribute, one, value) for one in full) for value in real
    ):
        score.gaps.append(f"{attribute} of {where}: {full} and another nobody knows, really {real}")
        return
    fits = joined is None or all(_covers(attribute, joined, value) for value in real)
    covered = not full or all(any(_equal(attribute, one, value) for one in full) for value in real)
    if fits and joined is None and not covered and fact and fact["why"]:
        score.gaps.append(f"{attribute} of {where}: {full} and what is lost ({fact['why']}), really {real}")
    elif not fits or not covered:
        score.stated[attribute] += 1
        score.faults.append(
            f"{attribute} of {where}: stated {joined if joined is not None else full}, really {real}"
        )
    elif not full and partly:
        score.gaps.append(f"{attribute} of {where}: only {joined}, really {real[0]}")
    else:
        score.stated[attribute] += 1
        score.right[attribute] += 1


def _partly(value: Any) -> bool:
    return isinstance(value, list) and any(not isinstance(dim, int) for dim in value)


def _equal(attribute: str, stated: Any, real: Any) -> bool:
    return (stated.partition(":")[0] if attribute == "device" else stated) == real


def _covers(attribute: str, stated: Any, real: Any) -> bool:
    if isinstance(stated, list):
        return len(stated) == len(real) and all(
            not isinstance(dim, int) or dim == size for dim, size in zip(stated, real)
        )
    return _equal(attribute, stated, real)
