"""Numbers that nobody has said: each a size of its own in every run, so that it can be told from all others."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

RUNS = 3
"""How often made-up inputs are tried, each time with other sizes: a wrong name survives three in 1 of 80 cases
even where all expressions are in play (measured), and only those of the very op are."""
_BLOCK = 12
_LARGEST = 1 << 28
_HALVINGS = 32
_STEPS = 5
SMALL = 16
"""A default below this counts something (layers, a kernel); one above is a width like any other."""

_OF_ONE = 8
"""Times that one size stands in a sum, at most."""

_OPS: dict[str, Callable[..., int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
}


@dataclass(frozen=True)
class Made:
    """A number that the code computes of others."""

    name: str
    operands: tuple[Expr, ...]


@dataclass(eq=False)
class Free:
    """A number that nobody has said.

    `label`: the parameter or the field that it is, None for a dim. `default`: what it is if nothing
    is given. `small`: it counts something. `equals`: what the code demands that it is. `multiples`:
    what has to divide it; `even`: what divides it in the second run. `choices`: the only values that
    the code takes, if a few were found; `among`: those among which it selects something,
    where the text says so itself. `pinned`: other values than the default were tried and do not work.
    """

    label: str | None = None
    default: int | None = None
    small: bool = False
    equals: Expr | None = None
    multiples: list[Expr] = field(default_factory=list)
    even: list[Expr] = field(default_factory=list)
    choices: tuple[int, ...] = ()
    among: tuple[int, ...] = ()
    pinned: bool = False
    least: int = 1
    most: int = 0
    """The largest that it may be, if that was found: a table that is cut to it has as many rows."""
    broadcast: bool = False
    """Whether it equals another only since the two are held side by side, element by element."""
    same: bool = False
    """Whether what it equals was decided on beforehand: the search does not undo it."""
    uneven: bool = False
    """Whether it need not come out even when it is halved: in the first run it does, in the last it never does."""
    odd: bool = False
    """Whether the code takes no even number: the size of a window that has a middle."""
    rounds: int = 0
    """If it is how often a loop goes round, how often: the same in all runs, so that they can be held side by side."""
    more: tuple[int, ...] = ()
    """By run, how many rounds more it is, where the runs are to tell what is called so."""


Expr = int | Free | Made


def frees_in(expr: Expr) -> Iterable[Free]:
    """The numbers that an expression is made of, those that equal others seen through."""
    if isinstance(expr, Made):
        for operand in expr.operands:
            yield from frees_in(operand)
    elif isinstance(expr, Free):
        if expr.equals is not None:
            yield from frees_in(expr.equals)
        else:
            yield expr


def operands(expr: Expr, name: str) -> list[Expr]:
    """What a product is a product of, or a sum the sum of: of `2*dim` twice the same."""
    if name == "+" and expr == 0:
        return []
    if name == "+" and isinstance(expr, Made) and expr.name == "*":
        times = next((one for one in expr.operands if type(one) is int), 0)
        rest = [one for one in expr.operands if type(one) is not int]
        return operands(rest[0], name) * times if len(rest) == 1 and 0 < times <= _OF_ONE else [expr]
    if not isinstance(expr, Made) or expr.name != name:
        return [expr]
    return [part for operand in expr.operands for part in operands(operand, name)]


def root(free: Free) -> Free:
    """The number that another is equal to in the end."""
    return root(free.equals) if isinstance(free.equals, Free) else free


def bind(free: Free, expr: Expr) -> bool:
    """A number turns out to be what an expression says. False if it would be made of itself."""
    if free is expr or free in list(frees_in(expr)):
        return False
    free.equals = expr
    if isinstance(expr, Free):
        expr.least = max(expr.least, free.least)
        # what the one has to be a multiple of, the other has to be; pictures are halved
        for share in free.multiples:
            passed_on = free.label is not None or not isinstance(share, int)
            if passed_on and share not in expr.multiples and expr not in frees_in(share):
                expr.multiples.append(share)
    return True


def as_if(expr: Expr, free: Free, number: int, sizes: Sizes, run: int) -> int:
    """What an expression would be in a run with another number in the place of one of its own. Raises ArithmeticError."""
    if isinstance(expr, Made):
        return _OPS[expr.name](*[as_if(one, free, number, sizes, run) for one in expr.operands])
    if isinstance(expr, Free) and root(expr) is free:
        return number
    return sizes.value(expr, run)


def _made_of(expr: Expr) -> Iterable[Free]:
    """The numbers that have to be known before an expression is."""
    if isinstance(expr, Made):
        for operand in expr.operands:
            yield from _made_of(operand)
    elif isinstance(expr, Free):
        yield expr


def _primes() -> list[int]:
    """Primes that are told from what is cut off of another, padded, or halved: no twins."""
    found: list[int] = []
    for n in range(11, 4000):
        if all(n % d for d in range(2, math.isqrt(n) + 1)):
            if all(n - one > 4 and abs(n - 2 * one) > 2 for one in found):
                found.append(n)
    return found


_PRIMES = _primes()
_FEW = (11, 7, 13, 17, 5, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61)
"""Sizes for where there are not many to choose from."""


class Sizes:
    """Which number stands for which in each run. `taken`: numbers that the code says itself."""

    def __init__(self, taken: Iterable[int] = ()) -> None:
        self.taken = frozenset(taken)
        self._primes = [prime for prime in _PRIMES if prime not in self.taken]
        self._order: dict[int, tuple[Free, int]] = {}
        self.paired: dict[str, list[tuple[Free, ...]]] = {"+": [], "*": []}
        """Sizes that are as much together as others are, added or multiplied: which of them is which of those was a guess."""
        self.swapped: set[frozenset[int]] = set()
        """The pairs of them, by their ids, that have changed places in the search: once is enough."""
        self.counting: dict[int, Free] = {}
        """What counts something and has come by in the first run, which gives it no place among the others."""
        self.steps = 0
        """In which other steps what counts something grows from run to run."""

    def add(self, free: Free) -> Free:
        """Give a number its place."""
        self._order.setdefault(id(free), (free, len(self._order)))
        return free

    def value(self, expr: Expr, run: int) -> int:
        """The number of an expression in a run. Raises ArithmeticError."""
        if isinstance(expr, int):
            return expr
        if isinstance(expr, Made):
            made = _OPS[expr.name](*[self.value(operand, run) for operand in expr.operands])
            if not 0 <= made <= _LARGEST:
                raise OverflowError(made)
            return made
        if expr.equals is not None:
            return self.value(expr.equals, run)
        if expr.rounds:
            return expr.rounds + (expr.more[run] if expr.more else 0)
        if expr.choices:
            return expr.choices[(self._place(expr) + run) % len(expr.choices)]
        if expr.pinned and expr.default is not None:
            return expr.default
        if expr.most:
            return self._below(expr, run)
        share = 1
        for one in [*expr.multiples, *(expr.even if run == 1 else ())]:
            share = math.lcm(share, max(1, self.value(one, run)))
        if expr.uneven and not run:
            share = math.lcm(share, _HALVINGS)
        if expr.small:
            small = self._small(expr, run, share)
            return small + 1 - small % 2 if expr.odd else small
        place = self._place(expr)
        if run == 1:  # what was smaller is larger: an order between two sizes is nothing that holds
            place = place - place % _BLOCK + _BLOCK - 1 - place % _BLOCK
        prime = self._primes[(RUNS * place + (run + place) % RUNS) % len(self._primes)]
        least = expr.least if expr.least == 1 else expr.least * (2 + run) // 2
        value = max(1, -(-least // (share * prime))) * share * prime
        return value * _HALVINGS - 1 if expr.uneven and share == 1 and run == RUNS - 1 else value

    def possible(self, expr: Expr, run: int) -> int | None:
        """The number of an expression in a run; None where it cannot be."""
        try:
            return self.value(expr, run)
        except ArithmeticError:
            return None

    def _below(self, free: Free, run: int) -> int:
        few = [prime for prime in _FEW if prime <= free.most] or [*range(1, free.most + 1)][-2:]
        return few[(RUNS * self._place(free) + run) % len(few)]

    def _small(self, free: Free, run: int, share: int) -> int:
        first = free.default if free.default is not None else 2
        if not run:
            self.counting[id(free)] = free
            return first if not first % share else share
        place = self._place(free) + self.steps
        # no other small one grows in the same steps, and the second is odd if the first is even: halves tell them apart
        more = 2 * (place // _STEPS % 3) if run == 1 else 0
        if free.odd:
            run = 2 * run
        return (max(first, 1) + run + (run - 1) * (place % _STEPS) + more) * share

    def _place(self, free: Free) -> int:
        return self._order[id(self.add(free))][1]

    def values(self, run: int) -> list[int]:
        """All numbers of a run that cannot be taken for others."""
        frees = (
            f
            for f, _ in self._order.values()
            if f.equals is None and not (f.small or f.choices or f.rounds or f.most)
        )
        return [value for free in frees if (value := self.value(free, run)) > 10]

    def order_of(self, free: Free) -> int:
        """Which place a number has among the others."""
        return self._place(free)

    def is_earlier(self, one: Free, other: Free) -> bool:
        """Whether a number came before another."""
        return self._place(one) < self._place(other)

    def owner(self, value: int, run: int) -> Free | None:
        """The one number that has this value in a run, if it is one that was made up and is not bound to others."""
        found = [free for free in self._unbound() if self.value(free, run) == value]
        return found[0] if len(found) == 1 else None

    def owners(self, run: int) -> dict[int, Free]:
        """The same of every value that has one."""
        found: dict[int, Free | None] = {}
        for free in self._unbound():
            value = self.value(free, run)
            found[value] = None if value in found else free
        return {value: free for value, free in found.items() if free is not None}

    def product(self, value: int, run: int) -> Free | None:
        """The one parameter that has this value in a run and is so many times another: not how else it comes about."""
        found = [
            free
            for free, _ in self._order.values()
            if free.label is not None and isinstance(free.equals, Made) and self.value(free, run) == value
        ]
        return found[0] if len(found) == 1 else None

    def _unbound(self) -> list[Free]:
        return [
            free
            for free, _ in self._order.values()
            if free.equals is None
            and not free.small
            and not free.choices
            and not free.pinned
            and not free.rounds
        ]

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._order)

    def is_circular(self) -> bool:
        """Whether a number would be made of itself: a multiple of what equals it, say."""
        done: set[int] = set()

        def returns(free: Free, above: tuple[int, ...]) -> bool:
            if id(free) in above:
                return True
            if id(free) in done:
                return False
            needed = [free.equals] if free.equals is not None else [*free.multiples, *free.even]
            if any(returns(one, (*above, id(free))) for expr in needed for one in _made_of(expr)):
                return True
            done.add(id(free))
            return False

        return any(returns(free, ()) for free in self.all())

    def order(self) -> dict[int, tuple[Free, int]]:
        """Which number has which place."""
        return dict(self._order)

    def put_order(self, order: dict[int, tuple[Free, int]]) -> None:
        """Make it so again: numbers that came since are forgotten."""
        self._order = dict(order)

    def all(self) -> list[Free]:
        """Every number, in the order in which it came."""
        return [free for free, _ in self._order.values()]
