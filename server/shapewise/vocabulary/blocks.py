"""The statements at the top of a text, by their lines; of a text that was edited only what stands around the edit is parsed.

What stands above the edit is a row of whole statements, and so is what stands below: if what is between them
parses by itself, all does, and to the same statements.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

Lines = tuple[int, int]
"""The first and the last line of a block: a statement, or those that share a line."""

_TEXTS = 16
_CANDIDATES = 4
_kept: dict[str, tuple[Lines, ...]] = {}
"""Of the latest texts, the latest last."""

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What `ast.parse` raises for a text that is no program."""


class Stretch(NamedTuple):
    """What two texts do not have in common.

    `above`: so many lines at the beginning are the same, and whole statements; from line `below` of the old
    text on it is the same again, in the new one `down` lines further down.
    """

    above: int
    below: int
    down: int

    def of_old(self, lines: list[str]) -> str:
        """What stood between, at its lines."""
        return "\n" * self.above + "\n".join(lines[self.above : self.below - 1])

    def of_new(self, lines: list[str]) -> str:
        """What stands between now, at its lines."""
        return "\n" * self.above + "\n".join(lines[self.above : self.below - 1 + self.down])


class Blocks(NamedTuple):
    """The blocks of a text. `tree`: all of it, if all of it had to be parsed."""

    lines: tuple[Lines, ...]
    tree: ast.Module | None


def blocks_of(text: str, parse: Callable[[str], Any] = ast.parse) -> Blocks:
    """The blocks of a text. Raises what `parse` does."""
    known = _kept.get(text)
    if known is None:
        known = next(
            filter(None, (_edited(old, text, parse) for old in [*_kept][-1 : -_CANDIDATES - 1 : -1])), None
        )
    if known is not None:
        keep(text, known)
        return Blocks(known, None)
    tree = parse(text)
    keep(text, tuple(extents(tree.body)))
    return Blocks(_kept[text], tree)


def pieces(text: str) -> Iterator[tuple[int, str]]:
    """The text of each block and its first line, without what stands between them. Raises what `ast.parse` does."""
    if not is_plain(text):
        yield 1, text
        return
    rows = text.split("\n")
    for first, last in blocks_of(text).lines:
        yield first, "\n".join(rows[first - 1 : last])


def keep(text: str, blocks: tuple[Lines, ...]) -> None:
    """The blocks of a text are known."""
    _kept.pop(text, None)
    _kept[text] = blocks
    while len(_kept) > _TEXTS:
        _kept.pop(next(iter([*_kept])), None)  # threads may meet here


def stretch(old: str, new: str) -> Stretch | None:
    """Between what they are the same; None where nobody can say, as of an old text that was not read.

    Empty rows at the end do not count: they are no statement's.
    """
    blocks = _kept.get(old)
    if blocks is None or not (is_plain(old) and is_plain(new)):
        return None
    old, new = old.rstrip("\n"), new.rstrip("\n")
    head, tail = _common(old, new)
    before = old.count("\n") + 1
    at = bisect_right(blocks, head, key=lambda lines: lines[1]) - 1
    above = blocks[at][1] if at >= 0 else 0
    below = next((first for first, _ in blocks[at + 1 :] if first > before - tail), before + 1)
    if above and old.split("\n", above)[above - 1].rstrip().endswith("\\"):
        return None
    return Stretch(above, below, new.count("\n") + 1 - before)


def with_new(old: str, between: Stretch, body: Iterable[ast.stmt]) -> tuple[Lines, ...]:
    """The blocks of a new text, of which this is what stands between."""
    blocks, (above, below, down) = _kept[old], between
    return (
        *(lines for lines in blocks if lines[1] <= above),
        *extents(body),
        *((first + down, last + down) for first, last in blocks if first >= below),
    )


def is_plain(text: str) -> bool:
    """Whether its lines end where all agree that they do."""
    return not any(end in text for end in "\r\f\0")


def extents(body: Iterable[ast.stmt]) -> Iterator[Lines]:
    """The lines of each statement, those that share one together."""
    first = last = 0
    for node in body:
        begins = first_line(node)
        if begins > last:
            if last:
                yield first, last
            first = begins
        last = node.end_lineno or begins
    if last:
        yield first, last


def first_line(node: ast.stmt) -> int:
    """The line on which a statement begins, its decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])


def _edited(old: str, new: str, parse: Callable[[str], Any]) -> tuple[Lines, ...] | None:
    """The blocks of a text that is much like another one."""
    between = stretch(old, new)
    if between is None or between.below - between.above > (old.count("\n") + 1) // 2:
        return None
    try:
        return with_new(old, between, parse(between.of_new(new.split("\n"))).body)
    except (*UNREADABLE, LookupError):
        return None  # as it stands there; it may be the end of what stands above


@lru_cache(maxsize=4)
def _common(old: str, new: str) -> tuple[int, int]:
    """How many whole lines are the same at the beginning, and how many at the end of what is left."""
    longest = min(len(old), len(new))
    same = range(longest + 1)
    head = bisect_left(same, True, key=lambda n: old[:n] != new[:n]) - 1
    rest = range(longest - head + 1)
    tail = bisect_left(rest, True, key=lambda n: old[len(old) - n :] != new[len(new) - n :]) - 1
    return old.count("\n", 0, head), old.count("\n", len(old) - tail)
