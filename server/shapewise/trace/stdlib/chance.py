"""random: what comes out is not known, how much of it is."""

from __future__ import annotations

from collections import deque
from typing import Any

from .. import texts, worlds
from ..recorder import same
from ..shims import here
from ..state import CONTENTS, grown, is_grown, join, kind_of_items
from ..unknown import Lost, Unknown
from . import list_member, nothing, stand_in

_MANY = 100_000


_WHY = "a random number"


def _real(*args: Any, **options: Any) -> Any:
    return worlds.real(_WHY)


def _number(*args: Any, **options: Any) -> Any:
    return Unknown(_WHY)


def randint(a: Any, b: Any) -> Any:
    """`random.randint`: from a to b, both included."""
    if type(a) is int and type(b) is int and a <= b:
        return worlds.between(a, b, _WHY)
    return worlds.number(_WHY)


def randrange(start: Any, stop: Any = None, step: Any = 1) -> Any:
    """`random.randrange`."""
    try:
        return worlds.item(Unknown(_WHY, sample=range(start) if stop is None else range(start, stop, step)))
    except (TypeError, ValueError, Lost):
        return worlds.number(_WHY)


def _items(population: Any) -> list[Any] | None:
    """The items of a sequence, or one of each kind in it; None where they are not known."""
    if is_grown(population) is not None:
        try:
            return [kind_of_items(population, same)]
        except LookupError:
            return None
    if isinstance(population, (list, tuple, deque, str, range)) and len(population) <= _MANY:
        return list(population)
    return None


def _any_of(items: list[Any]) -> Any:
    """What is known of an item that may be each of these."""
    if all(type(item) in (int, float) for item in items):
        return worlds.one_of(items, "a random choice")
    if len(items) > 1 and all(map(texts.is_text, items)):
        return texts.text("a random choice")  # of a set of some, nobody knows how many there are
    if len(items) <= worlds.choices() and not any(type(item) is Unknown for item in items):
        if not all(_alike(items[0], item) for item in items[1:]):
            return items[worlds.choice(len(items))]
    joined = items[0]
    for item in items[1:]:
        joined = join(joined, item, same)
        if type(joined) is Unknown:
            return Unknown("a random choice", joined.tensor)
    return joined


def _alike(left: Any, right: Any) -> bool:
    """Whether two items have all facts in common."""
    if type(left) is type(right) and isinstance(left, (tuple, list)):
        return len(left) == len(right) and all(map(_alike, left, right))
    return same(left, right)


def choice(seq: Any) -> Any:
    """What all items have in common."""
    items = _items(seq)
    return _any_of(items) if items else Unknown("a random choice")


def choices(population: Any, weights: Any = None, *, cum_weights: Any = None, k: Any = 1) -> Any:
    """`k` items, with replacement."""
    items = _items(population)
    if not items or type(k) is not int or not 0 <= k <= _MANY:
        return Unknown("random choices")
    return [_any_of(items)] * k


def sample(population: Any, k: Any, **options: Any) -> Any:
    """`k` items, without."""
    items = _items(population)
    if not items or type(k) is not int or not 0 <= k <= _MANY:
        return Unknown("random choices")
    if is_grown(population) is None and k > len(items):
        raise ValueError("Sample larger than population or is negative")
    return [_any_of(items)] * k


def shuffle(x: Any, *args: Any) -> None:
    """The list keeps its items. In one world the short ones come first, in another the long ones."""
    items = _items(x)
    env = here()
    if type(x) is not list or env is None:
        return
    env.run.journal.note(CONTENTS, x)
    if items is None or is_grown(x) is not None:
        grown(x, "shuffled", alike=items is not None)
    else:
        x[:] = in_some_order(items, "shuffled")


def in_some_order(items: list[Any], why: str) -> list[Any]:
    """The items, in an order that nobody knows."""
    if all(type(item) in (int, float) for item in items):
        return [worlds.one_of(items, why) for _ in items]
    return worlds.shuffled(items)


class Random:
    """`random.Random`."""

    def __init__(self, seed: Any = None) -> None:
        return None


_NUMBERS = (
    "random uniform gauss normalvariate lognormvariate betavariate expovariate gammavariate triangular vonmisesvariate "
    "paretovariate weibullvariate"
).split()
_MEMBERS: dict[str, Any] = {
    **dict.fromkeys(_NUMBERS, _real),
    "getrandbits": _number,
    "randbytes": _number,
    "randint": randint,
    "randrange": randrange,
    "seed": nothing,
    "setstate": nothing,
    "choice": choice,
    "choices": choices,
    "sample": sample,
    "shuffle": shuffle,
}
for _name, _function in _MEMBERS.items():
    setattr(Random, _name, staticmethod(_function))
list_member(_real, "random.random")
stand_in("random", {**_MEMBERS, "Random": Random, "SystemRandom": Random})
