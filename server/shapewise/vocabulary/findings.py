"""What a rule reports, and how it is repaired."""

from __future__ import annotations

from dataclasses import dataclass

from .span import Span

SEVERITIES = ("error", "warning", "hint")


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of `span` (empty for an insertion) by `text`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """One repair. `safety`: safe (keeps what the code means) or unsafe (may change it)."""

    title: str
    safety: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Related:
    """A place that explains a finding."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is or will go wrong. `severity`: error, warning or hint.

    `torch_error` is the first line of what real torch would raise there, or None. `behind`: the rules of further
    errors on its line, which is not reached that far.
    """

    rule: str
    span: Span
    severity: str
    message: str
    torch_error: str | None = None
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    behind: tuple[str, ...] = ()
