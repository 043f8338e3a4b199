"""Half-typed text made parseable without moving a character. (To be written; see docs/architecture.md.)"""

from __future__ import annotations

from dataclasses import dataclass

from .vocabulary.span import Span


@dataclass(frozen=True, slots=True)
class Broken:
    """A stretch that was blanked, and the names its statement would have bound: unknown from there."""

    span: Span
    names: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Repaired:
    """Text that `ast.parse` accepts; every untouched character stands where it stood."""

    text: str
    broken: tuple[Broken, ...] = ()


def repair(text: str) -> Repaired:
    """Blank what does not parse, statement by statement."""
    return Repaired(text)
