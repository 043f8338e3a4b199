"""How long it is waited before a document is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .documents import Document

PAUSE = 0.002
"""Seconds without an edit before a trace begins: several edits often come as one."""

AFTER_TOO_SLOW = 2.0

BEFORE_RULES = 0.03
"""Seconds from the facts to the rules: hints are answered first, and whoever types has often gone on by then."""

_LONGEST_BEFORE_RULES = 0.3
"""Of a long file the rules take long, and are in the way of the next hints: they wait as long as they took last."""

_PATIENCE = 8
"""After how many pauses a trace begins even if the edits never pause."""

_QUICK_TRACE = 0.1
_BY_TRACE = 0.1
"""A file that takes long to trace gets a longer pause: a trace that began too early is work for nothing."""

_LONGEST = 0.3

_WITHOUT_CODE = 0.1
"""Seconds from an edit of comments and spaces only: what hints need is known, and they are answered first."""

_AWAY = 2.0
"""Seconds without an edit while nobody looks: it is a tool that writes, and more of it is to come."""

_BEFORE_ELSEWHERE = 0.3
_LONGEST_BEFORE_ELSEWHERE = 2.0
"""Seconds without an edit of any document before the programs that use one are traced: as many as that
takes. What they show refines what is there already, and must not be in the way of typing."""

QUICK_ELSEWHERE = 0.1
"""Seconds that these took up to which it is not waited: they are part of the analysis."""


def over_at(document: Document, since: float, is_away: bool) -> float:
    """When a document is analysed that waits `since` then, if it is not edited any more."""
    pause = max(document.pause, _WITHOUT_CODE if document.holds else 0.0)
    pause = max(pause, _AWAY) if is_away else pause
    return min(document.changed_at + pause, since + pause * _PATIENCE)


def after(seconds: float) -> float:
    """Before the next trace of a file that took so long."""
    return min(seconds * _BY_TRACE, _LONGEST) if seconds > _QUICK_TRACE else PAUSE


def before_rules(document: Document) -> float:
    """Before the rules are asked about the facts of a document."""
    return min(max(document.seconds_of_rules, BEFORE_RULES), _LONGEST_BEFORE_RULES)


def before_elsewhere(document: Document) -> float:
    """Before it is asked what other files show of a document."""
    return min(max(document.seconds_elsewhere, _BEFORE_ELSEWHERE), _LONGEST_BEFORE_ELSEWHERE)
