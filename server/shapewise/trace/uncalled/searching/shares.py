"""A number has to be a multiple of another: which made-up size gives way, and of what it is so many times."""

from __future__ import annotations

from ..attempt import Attempt
from ..inputs.sizes import Expr, Free, Made, frees_in
from ..inputs.specs import Spec, frees_of

_SMALL_SHARE = 64
"""What counts something is made a multiple of no more than this."""


class Shares:
    """The made-up inputs of one run. `specs`: by name those of the constructor, and of the call."""

    def __init__(self, attempt: Attempt, specs: list[dict[str, Spec]]) -> None:
        self.attempt = attempt
        self.specs = specs

    def divides(self, above: int, below: int, by: Expr | None = None) -> bool:
        """A number has to be a multiple of another one (`by`, where it is not a number of its own)."""
        expr, share = self.attempt.expr(above), by or self._divisor(below)
        if by is None and isinstance(share, Free) and share.rounds and below in self.attempt.sizes.taken:
            share = below  # a number of the text that is as large as the rounds of a loop
        return expr is not None and share is not None and below > 1 and self._multiple(expr, share)

    def _divisor(self, number: int) -> Expr | None:
        """What divides by this number: a parameter that is as large rather than what was computed, by chance (12 heads)."""
        expr = self.attempt.expr(number)
        if not isinstance(expr, Made):
            return expr
        own = frees_of([spec for specs in self.specs for spec in specs.values()])
        alike = [
            one for one in own if one.label and self.attempt.sizes.possible(one, self.attempt.run) == number
        ]
        heads = [one for one in alike if "head" in (one.label or "") or "group" in (one.label or "")]
        return next(iter(heads or alike), expr)

    def _multiple(self, expr: Expr, share: Expr) -> bool:
        """Make an expression a multiple of another."""
        if isinstance(expr, Made) and expr.name == "//":
            return self._multiple(expr.operands[0], Made("*", (expr.operands[1], share)))
        if isinstance(expr, Made):
            return expr.name == "*" and any(self._multiple(operand, share) for operand in expr.operands)
        if not isinstance(expr, Free):
            return False
        free = next(iter(frees_in(expr)), None)
        if free is None or (free.small and self.attempt.sizes.value(share, self.attempt.run) > _SMALL_SHARE):
            return False
        if share is free or free in list(frees_in(share)) or share in free.multiples:
            return False
        if isinstance(share, Free) and share.small:  # the first run took it for a plain number
            first = self.attempt.sizes.value(share, 0)
            free.multiples = [one for one in free.multiples if one != first]
        free.multiples.append(share)
        return True
