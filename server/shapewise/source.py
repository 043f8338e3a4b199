"""One file as the rest of shapewise sees it: a text, and where its pieces came from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """One code cell of a notebook: it fills `lines` lines of the text from `first_line` (from 1).

    `index` is the cell's place among all cells of the notebook, from 0.
    """

    index: int
    first_line: int
    lines: int


@dataclass(frozen=True, slots=True)
class Source:
    """A file's text. A notebook's is its code cells one below the other, magics blanked."""

    path: str
    text: str
    cells: tuple[Cell, ...] = ()
