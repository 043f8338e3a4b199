"""Each finding held against what happened at its place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..vocabulary.findings import Finding
from .facts import CONFIRMED, NOT_REACHED, REFUTED

NOT_JUDGED = "not_judged"
"""No run can say: the finding is about what is slow, or silently wrong."""

_ON_A_CARD = "On a machine with a card"
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class JudgedFinding:
    """One finding and its verdict. `seen`: what happened there instead, or in other words."""

    file: str
    finding: Finding
    verdict: str
    seen: str = ""


def judged(
    file: str, finding: Finding, watched: Sequence[Mapping[str, Any]], completed: bool, cards: bool
) -> JudgedFinding:
    """The verdict. `completed`: the run came to its end; `cards`: it ran on a machine that has some."""
    if finding.torch_error is None:
        return JudgedFinding(file, finding, NOT_JUDGED)
    if _ON_A_CARD in finding.message and not cards:
        return JudgedFinding(file, finding, NOT_REACHED, "there is no card on that machine")
    rows = [row for row in watched if row["file"] == file and tuple(row["extent"]) == extent(finding)]
    raised = [error for row in rows for error in row["raised"]]
    for error in raised:
        if _says(finding.torch_error, error["message"]):
            return JudgedFinding(file, finding, CONFIRMED)
    if raised:
        seen = f"{raised[0]['type']}: {raised[0]['message']}"
        return JudgedFinding(file, finding, REFUTED, f"another error: {seen}")
    if completed and any(row["passed"] for row in rows):
        return JudgedFinding(file, finding, REFUTED, "it did not fail")
    return JudgedFinding(file, finding, NOT_REACHED)


def extent(finding: Finding) -> tuple[int, int, int, int]:
    """The place of a finding, as the agent has it."""
    span = finding.span
    return span.line, span.column, span.end_line, span.end_column


def _says(expected: str, message: str) -> bool:
    """Whether an error is the one that was foretold; versions of torch differ in a few words."""
    expected, message = expected.strip(), message.strip()
    if expected == message or expected in message or message in expected and message:
        return True
    numbers = _NUMBER.findall(expected) == _NUMBER.findall(message)
    mine, theirs = (
        set(re.findall(r"[a-z_]{3,}", expected.lower())),
        set(re.findall(r"[a-z_]{3,}", message.lower())),
    )
    return numbers and len(mine & theirs) * 4 >= len(mine | theirs) * 3
