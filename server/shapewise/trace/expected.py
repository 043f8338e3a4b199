"""Conditions that worlds decide differently: what one trace of a file found out, the next one takes for granted.

Finding them out costs a trace in each world; with them, all are traced once more. Most edits leave them as
they are, so the next trace begins with them, and is believed if each of them still comes out differently
and no other does. A condition is known again by its own text: an edit elsewhere makes new nodes of it.
"""

from __future__ import annotations

import ast
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .run import Run

_FILES = 64
_KNOWN: OrderedDict[str, frozenset[str]] = OrderedDict()


def of_file(file: str) -> frozenset[str]:
    """The conditions of a file, by their texts, that its last trace found to differ."""
    return _KNOWN.get(file, frozenset())


def remember(file: str, differing: Iterable[ast.AST]) -> None:
    """What a trace from the beginning has found out."""
    _KNOWN.pop(file, None)
    _KNOWN[file] = frozenset(map(text_of, differing))
    while len(_KNOWN) > _FILES:
        _KNOWN.popitem(last=False)


def text_of(at: ast.AST) -> str:
    """What a condition or a loop asks, whatever it leads to. Kept on the node."""
    text: str | None = getattr(at, "_asked", None)
    if text is None:
        asked = getattr(at, "test", None) or getattr(at, "iter", None) or at
        text = at._asked = f"{type(at).__name__} {ast.unparse(asked)}"  # type: ignore[attr-defined]
    return text


def differing(run: Run, others: Sequence[Run]) -> set[ast.AST]:
    """The conditions and loops that came out otherwise in another world."""
    return {
        at
        for other in others
        for at, mine in run.decisions.items()
        if any(one != another for one, another in zip(mine, other.decisions.get(at, ())))
    }


def still_differ(run: Run, others: Sequence[Run]) -> bool:
    """Whether every condition that was expected to, and was met, would have come out otherwise in another world."""
    return all(
        any(other.expected_outcomes.get(at, outcomes) != outcomes for other in others)
        for at, outcomes in run.expected_outcomes.items()
    )
