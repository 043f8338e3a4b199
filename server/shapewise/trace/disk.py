"""What the interpreted file has written to the disk in one trace. Nothing is written: see `stdlib.files`."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any


class Disk:
    """By path what a file holds, and `there`: which paths exist, surely or perhaps.

    `asked`: paths of which the file asked whether they exist. What it writes where they do not is not all that they may hold.
    """

    def __init__(self) -> None:
        self.holds: dict[str, Any] = {}
        self.there = SimpleNamespace()
        self.asked: set[str] = set()
        self.made = 0
        """How many temporary paths were given out."""


class Written:
    """A file that is open, which a call that is given it may write to."""

    def lose(self) -> None:
        """What it holds is not known any more."""
        raise NotImplementedError


def lose(values: Iterable[Any]) -> None:
    """A call that is not carried out was given these."""
    for value in values:
        if isinstance(value, Written):
            value.lose()
