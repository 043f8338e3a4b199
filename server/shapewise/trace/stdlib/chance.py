"""random: what comes out is not known, how much of it is."""

from __future__ import annotations

import contextlib
import functools
import random
from collections import deque
from typing import Any

import torch

from ..draws import Source, seed_of
from ..log.facts import same
from ..shims import here
from ..state import CONTENTS
from ..unknowns import samples, texts
from ..unknowns.alike import kind_of_items
from ..unknowns.grown import grown, is_grown
from ..unknowns.joining import join
from ..unknowns.standing import standing
from ..unknowns.unknown import Lost, Unknown, likely
from ..wall import allowed
from ..worlds import worlds
from . import list_member, nothing, stand_in
from .plain import is_plain

_MANY = 100_000


_WHY = "a random number"


def _real(*args: Any, **options: Any) -> Any:
    return worlds.real(_WHY)


def uniform(a: Any, b: Any) -> Any:
    """`random.uniform`: between two numbers."""
    if type(a) in (int, float) and type(b) in (int, float):
        return worlds.real_between(a, b, _WHY)
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
        return samples.item(Unknown(_WHY, sample=range(start) if stop is None else range(start, stop, step)))
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


def _drawn_from(population: Any) -> list[Any] | None:
    """What is drawn from; of what nobody knows as many as are asked for, whatever they are."""
    items = _items(population)
    if type(population) is Unknown or (items is None and is_grown(population) is not None):
        return [Unknown("a random choice")]
    return items


def _any_of(items: list[Any]) -> Any:
    """What is known of an item that may be each of these."""
    if all(type(item) in (int, float) for item in items):
        return worlds.one_of(items, "a random choice")
    if len(items) > 1 and all(map(texts.is_text, items)):
        return texts.text("a random choice")  # of a set of some, nobody knows how many there are
    items = [*{id(item): item for item in items}.values()]
    with contextlib.suppress(LookupError, Lost):
        return standing(items, "a random choice")
    if len(items) <= worlds.choices() and not any(type(item) is Unknown for item in items):
        if not all(_alike(items[0], item) for item in items[1:]):
            return items[worlds.choice(len(items))]
    joined = items[0]
    for item in items[1:]:
        joined = join(joined, item, same)
        if type(joined) is Unknown and likely(joined) is joined:
            return Unknown("a random choice", joined.tensor)
    return joined


def _alike(left: Any, right: Any) -> bool:
    """Whether two items have all facts in common."""
    if type(left) is type(right) and isinstance(left, (tuple, list)):
        return len(left) == len(right) and all(map(_alike, left, right))
    return same(left, right)


def choice(seq: Any) -> Any:
    """What all items have in common."""
    from ..arrays import Array
    from ..arrays import random as of_arrays

    if isinstance(seq, Array):
        return of_arrays.choice(seq)
    items = _items(seq)
    return _any_of(items) if items else Unknown("a random choice")


def choices(population: Any, weights: Any = None, *, cum_weights: Any = None, k: Any = 1) -> Any:
    """`k` items, with replacement."""
    items = _drawn_from(population)
    if not items or type(k) is not int or not 0 <= k <= _MANY:
        return Unknown("random choices")
    return [_any_of(items)] * k


def sample(population: Any, k: Any, **options: Any) -> Any:
    """`k` items, without."""
    items = _drawn_from(population)
    if not items or type(k) is not int or not 0 <= k <= _MANY:
        return Unknown("random choices")
    if type(population) is not Unknown and is_grown(population) is None and k > len(items):
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
    """The items, in an order that nobody knows. In a world that is alone each is one of them all."""
    if all(type(item) in (int, float) for item in items):
        return [worlds.one_of(items, why) for _ in items]
    try:
        return worlds.shuffled(items)
    except Lost:
        one = functools.reduce(lambda left, right: join(left, right, same), items)
        return [one if may_stand_twice(one) else Unknown(why)] * len(items)


def may_stand_twice(item: Any) -> bool:
    """Whether nothing that is done to one of two such items changes it."""
    if type(item) is tuple:
        return all(map(may_stand_twice, item))
    return item is None or isinstance(item, (torch.Tensor, Unknown, str, int, float))


_NUMBERS = (
    "random uniform gauss normalvariate lognormvariate betavariate expovariate gammavariate triangular vonmisesvariate "
    "paretovariate weibullvariate"
).split()
_MEMBERS: dict[str, Any] = {
    **dict.fromkeys(_NUMBERS, _real),
    "uniform": uniform,
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


# ---------------------------------------------------------------- draws that follow from a seed


def _plainly(name: str) -> Any:
    """A draw that takes numbers alone."""

    def draw(real: random.Random, *args: Any, **options: Any) -> Any:
        return getattr(real, name)(*args, **options)

    return draw


def _count(items: Any) -> int:
    if is_grown(items) is not None or not isinstance(items, (list, tuple, deque, str, range)):
        raise LookupError
    if not 0 < len(items) <= _MANY:
        raise LookupError
    return len(items)


def _one(real: random.Random, seq: Any) -> Any:
    return seq[real.choice(range(_count(seq)))]


def _with_replacement(
    real: random.Random, population: Any, weights: Any = None, *, cum_weights: Any = None, k: Any = 1
) -> Any:
    numbers = range(_count(population))
    return [
        population[number]
        for number in real.choices(numbers, weights, cum_weights=cum_weights, k=min(k, _MANY))
    ]


def _without(real: random.Random, population: Any, k: Any) -> Any:
    return [population[number] for number in real.sample(range(_count(population)), k)]


def _mixed(real: random.Random, x: Any) -> None:
    env = here()
    if type(x) is not list or env is None:
        raise LookupError
    numbers = list(range(_count(x)))
    real.shuffle(numbers)
    env.run.journal.note(CONTENTS, x)
    x[:] = [x[number] for number in numbers]


_OF_ITEMS: dict[str, Any] = {
    "choice": _one,
    "choices": _with_replacement,
    "sample": _without,
    "shuffle": _mixed,
}
"""Draws from items, of which only their number matters."""
_LONGEST = 10_000


def _exactly(source: Source, name: str, args: Any, options: Any) -> Any:
    """A draw from a generator that is known. Raises LookupError where it, or what it is given, is not."""
    if name not in _OF_ITEMS:
        if not all(type(arg) in (int, float) for arg in (*args, *options.values())):
            raise LookupError
        if name in ("getrandbits", "randbytes") and (options or args[0] > _LONGEST):
            raise LookupError
    elif not is_plain([*args[1:], *options.values()]):
        raise LookupError
    drawn = _OF_ITEMS.get(name) or _plainly(name)
    return source.draw(lambda real: drawn(real, *args, **options))


def _draws(name: str, guessed: Any) -> Any:
    def draw(source: Source, *args: Any, **options: Any) -> Any:
        try:
            return _exactly(source, name, args, options)
        except LookupError:
            source.lose()
            return guessed(*args, **options)

    return draw


def _seeded(source: Source, a: Any = None, *args: Any, **options: Any) -> None:
    known = seed_of(a)
    source.seed(None if known is None or args or options else random.Random(known))


def _set(source: Source, *args: Any, **options: Any) -> None:
    source.lose()


_DRAWS = {name: _draws(name, guessed) for name, guessed in _MEMBERS.items() if guessed is not nothing}
_DRAWS |= {"seed": _seeded, "setstate": _set}


def _of_all(draw: Any) -> Any:
    """A function of the module: it draws from the generator that all share."""

    def function(*args: Any, **options: Any) -> Any:
        env = here()
        return draw(Source() if env is None else env.run.random, *args, **options)

    return function


class Random:
    """`random.Random`."""

    def __init__(self, x: Any = None) -> None:
        self._source = Source()
        _seeded(self._source, x)


class SystemRandom(Random):
    """`random.SystemRandom`: no seed makes it known."""

    def __init__(self, x: Any = None) -> None:
        self._source = Source()

    def seed(self, *args: Any, **options: Any) -> None:
        return None


def _of_one(draw: Any) -> Any:
    """A method: it draws from a generator of its own."""

    def method(self: Random, *args: Any, **options: Any) -> Any:
        return draw(self._source, *args, **options)

    return method


for _name, _draw in _DRAWS.items():
    setattr(Random, _name, _of_one(_draw))
list_member(_real, "random.random")
_OF_ALL = {name: _of_all(draw) for name, draw in _DRAWS.items()}
allowed.QUICK.update(map(id, _OF_ALL.values()))
allowed.QUICK_OWNERS.update((Random, SystemRandom))
stand_in(
    "random",
    {
        **_OF_ALL,
        "Random": Random,
        "SystemRandom": SystemRandom,
    },
)
