"""Numbers that only data decides, no two of them equal unless they are one and the same.

Worlds that are compared give all lengths one sample, so that none of them clash; which of them are
equal shows where each has its own. Names are given by it (see `names_by_data`), and nothing else.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import torch


class Open(NamedTuple):
    """A kind of number that has no limits. `samples`: of each world; apart they are primes, `unit` times."""

    samples: tuple[int, ...]
    unit: int
    most: int = 2_000
    """The largest prime."""


class Apart:
    """What was given out in one such world.

    `downward`: what comes later is less, and nothing divides it. Of two worlds, one of which goes the other
    way, no minimum, cut or half is the same number in both unless it is the same.
    """

    def __init__(self, downward: bool) -> None:
        self._downward = downward
        self._next: Counter[int] = Counter()
        self._given: Counter[int] = Counter()
        self._by_origin: dict[tuple[int, int], tuple[int, Any]] = {}
        """By tensor and its version: what was given for it, and the tensor, which keeps its id."""
        self.chosen: set[int] = set()
        """Those that stand for one of two that are known."""

    def of(self, kind: Open, origin: Any = None) -> int:
        """A number for something: the same one for a tensor that has not been written to since."""
        if not isinstance(origin, torch.Tensor) or origin.is_inference():
            return self._another(kind)
        key = (id(origin), origin._version)
        if key not in self._by_origin:
            self._by_origin[key] = (self._another(kind), origin)
        return self._by_origin[key][0]

    def _another(self, kind: Open) -> int:
        primes, unit, row = _primes(kind.most), kind.unit, kind.unit
        if self._downward:
            primes, unit, row = (primes[::-1], 1, 1) if kind.unit == 1 else (_LARGE, 1, 0)
        value = unit * primes[min(self._next[row], len(primes) - 1)]
        self._next[row] += 1
        self._given[value] += 1
        return value

    def within(self, low: int, high: int) -> int:
        """A number between limits that was not given out, if there is one near."""
        middle = (3 * low + high) // 4 if self._downward else (low + 3 * high) // 4
        many = high - low + 1
        value = middle
        for step in range(min(many, _TRIED)):
            value = low + (middle - low + (-step if self._downward else step)) % many
            if not self._given[value]:
                break
        self._given[value] += 1
        return value

    def is_shared(self, value: int) -> bool:
        """Whether a number stands for several things after all, because there were too many."""
        return self._given[value] > 1


_TRIED = 16


def _primes(most: int) -> list[int]:
    """The primes from 13 on. One is no sum of two others, nor any product."""
    if most not in _PRIMES:
        _PRIMES[most] = [n for n in range(13, most) if all(n % d for d in range(2, int(n**0.5) + 1))]
    return _PRIMES[most]


_PRIMES: dict[int, list[int]] = {}
_LARGE = [n for n in range(219_999, 210_000, -2) if all(n % d for d in range(3, 470, 2))][:300]
"""Primes, downward."""
