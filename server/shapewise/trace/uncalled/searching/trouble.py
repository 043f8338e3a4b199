"""What ends a run on made-up inputs, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

OUTRANKED = "a weight has more dims"
NOTHING_LEFT = "nothing is left of a size"


class Wish(ValueError):
    """What is in the way is not refused by anyone: inputs that are likelier are wanted."""


@dataclass
class Trouble:
    """What ended a run.

    `name` and `given`: the call or operator of the file's own, and its operands. `function`, `args`,
    `named`: the call of torch that refused, if it was one. `compared`: the last comparison of two
    integers or shapes before. `wanted`: the rank that the first input should have.
    """

    error: Exception
    name: str = ""
    given: tuple[Any, ...] = ()
    function: str = ""
    args: tuple[Any, ...] = ()
    named: dict[str, Any] | None = None
    compared: tuple[str, Any, Any] | None = None
    wanted: int | None = None

    @property
    def raised(self) -> bool:
        """Whether the file itself refused."""
        kinds: tuple[type[Exception], ...] = (AssertionError, ValueError)
        if not self.given:  # else Python, or torch, may have said so of what it was given
            kinds += (RuntimeError, TypeError)
        return isinstance(self.error, kinds) and not self.function

    @property
    def asks_for_more(self) -> bool:
        """Whether the file itself refused, or had None where it wants something: what need not be given may be wanted."""
        refused = self.raised and not isinstance(self.error, Wish)
        return refused or "NoneType" in str(self.error)


class Stopped(BaseException):
    """Ends a run; a BaseException so that no `except` of the file's sees it."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(str(trouble.error))
        self.trouble = trouble


class Ended(BaseException):
    """Ends a run where it was to end: at a call that torch refuses whatever is given."""
