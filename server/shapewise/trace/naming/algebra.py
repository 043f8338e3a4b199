"""Sizes as sums of products over names: `3*D`, `(H - 1)//2 + 1`, in one normal form, and as text.

A floor division that does not come out even is an atom of its own. Nested ones by numbers are made
one: `((H - 1)//2 + 1)//2` is `(H + 1)//4`.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Quotient:
    """A floor division that does not come out even."""

    above: Size
    below: Size


@dataclass(frozen=True)
class Whole:
    """A sum as a factor: `(N + 1)*C` is not multiplied out."""

    size: Size


Atom = str | Quotient | Whole
Product = tuple[tuple[Atom, int], ...]
"""Atoms with their powers, in the order of their text."""


@dataclass(frozen=True)
class Size:
    """A sum: each product with its factor. No factor is 0."""

    terms: tuple[tuple[Product, int], ...]

    def number(self) -> int | None:
        """Its value, if there is no name in it."""
        if not self.terms:
            return 0
        if len(self.terms) == 1 and self.terms[0][0] == ():
            return self.terms[0][1]
        return None

    def __str__(self) -> str:
        return _text(self)


def number(value: int) -> Size:
    """A plain number."""
    return Size((((), value),) if value else ())


def atom(name: Atom) -> Size:
    """A name, or a floor division."""
    return Size(((((name, 1),), 1),))


def plus(left: Size, right: Size) -> Size:
    """The sum of two."""
    return _made([*left.terms, *right.terms])


def times(left: Size, right: Size) -> Size:
    """The product of two."""
    if left.number() is None and right.number() is None:
        left, right = _one(left), _one(right)
    return _made([(_join(one, other), n * m) for one, n in left.terms for other, m in right.terms])


def _one(size: Size) -> Size:
    return size if len(size.terms) == 1 else atom(Whole(size))


def minus(left: Size, right: Size) -> Size:
    """The difference of two."""
    return plus(left, times(number(-1), right))


def floored(above: Size, below: Size) -> Size:
    """The floor division of two. Raises ZeroDivisionError."""
    divisor = below.number()
    if divisor == 0:
        raise ZeroDivisionError
    whole = _even(above, below)
    if whole is not None:
        return whole
    if divisor is not None and divisor > 0:
        # what comes out even stands before: (2*H + 3)//2 is H + 1
        even = _made([(product, factor) for product, factor in above.terms if factor % divisor == 0])
        rest = minus(above, even)
        rest_number = rest.number()
        if rest_number is not None:
            rest, even = (
                number(rest_number % divisor),
                plus(even, number(rest_number - rest_number % divisor)),
            )
        done = _even(even, below)
        assert done is not None
        return plus(done, _nested(rest, divisor))
    if len(below.terms) == 1:  # (H - p)//p is H//p - 1
        even = _made([term for term in above.terms if _even(Size((term,)), below) is not None])
        done = _even(even, below)
        if even.terms and done is not None:
            return plus(floored(minus(above, even), below), done)
    return atom(Quotient(above, below))


def _nested(above: Size, divisor: int) -> Size:
    """A floor division by a number, of something that may be one itself."""
    value = above.number()
    if value is not None:
        return number(value // divisor)
    inner = [(product, factor) for product, factor in above.terms if product]
    if len(inner) == 1 and inner[0][1] == 1 and len(inner[0][0]) == 1:
        (found, power) = inner[0][0][0]
        if isinstance(found, Quotient) and power == 1 and (below := found.below.number()) is not None:
            rest = minus(above, Size((inner[0],))).number()
            assert rest is not None
            return floored(plus(found.above, number(rest * below)), number(below * divisor))
    return atom(Quotient(above, number(divisor)))


def _even(above: Size, below: Size) -> Size | None:
    """The quotient where every term divides, else None."""
    if len(below.terms) != 1:
        return number(1) if above == below else None
    ((product, factor),) = below.terms
    made = []
    for other, n in above.terms:
        left = dict(other)
        for one, power in product:
            if left.get(one, 0) < power:
                return None
            left[one] -= power
        if n % factor:
            return None
        made.append((_product(left), n // factor))
    return _made(made)


def _join(one: Product, other: Product) -> Product:
    powers = dict(one)
    for each, power in other:
        powers[each] = powers.get(each, 0) + power
    return _product(powers)


def _product(powers: dict[Atom, int]) -> Product:
    return tuple(sorted(((a, n) for a, n in powers.items() if n), key=lambda pair: _atom_text(pair[0])))


def _made(terms: list[tuple[Product, int]]) -> Size:
    found: dict[Product, int] = {}
    for product, factor in terms:
        found[product] = found.get(product, 0) + factor
    return Size(tuple((product, factor) for product, factor in found.items() if factor))


# ---------------------------------------------------------------- text


def _text(size: Size) -> str:
    if not size.terms:
        return "0"
    ordered = sorted(size.terms, key=lambda term: (term[1] < 0, not term[0]))
    parts: list[str] = []
    for product, factor in ordered:
        text = _term(product, abs(factor))
        if not parts:
            parts.append(f"-{text}" if factor < 0 else text)
        else:
            parts.append(f"{'-' if factor < 0 else '+'} {text}")
    return " ".join(parts)


def _term(product: Product, factor: int) -> str:
    if not product:
        return str(factor)
    plain = [_atom_text(a) for a, n in product if not isinstance(a, Quotient) for _ in range(n)]
    quotients = [a for a, n in product if isinstance(a, Quotient) for _ in range(n)]
    several = len(plain) + len(quotients) + (factor != 1) > 1
    texts = ([str(factor)] if factor != 1 else []) + plain
    texts += [f"({_atom_text(a)})" if several else _atom_text(a) for a in quotients]
    return "*".join(texts)


def _atom_text(found: Atom) -> str:
    if isinstance(found, str):
        return found
    if isinstance(found, Whole):
        return f"({_text(found.size)})"
    above, below = _text(found.above), _text(found.below)
    single = len(found.above.terms) == 1 and "//" not in above
    return f"{above if single else f'({above})'}//{below if below.isidentifier() or below.isdigit() else f'({below})'}"


# ---------------------------------------------------------------- numbers

_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}


def meaning(text: str, numbers: dict[str, int]) -> int | None:
    """What an expression comes to where its names are these numbers; None where it has another name."""
    try:
        return _come_to(_parsed(text), numbers)
    except (SyntaxError, LookupError, ZeroDivisionError):
        return None


@lru_cache(maxsize=1024)
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _come_to(node: ast.expr, numbers: dict[str, int]) -> int:
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_come_to(node.left, numbers), _come_to(node.right, numbers))
    if isinstance(node, ast.UnaryOp):
        return -_come_to(node.operand, numbers)
    return int(node.value) if isinstance(node, ast.Constant) else numbers[ast.unparse(node)]  # type: ignore[arg-type]
