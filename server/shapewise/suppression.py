"""`# shapewise: ignore[rule]`: findings that someone has looked at and keeps."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .edits.text import text_map
from .vocabulary.findings import Edit, Finding, Fix
from .vocabulary.span import Span

UNUSED = "unused-suppression"

_COMMENT = re.compile(r"#\s*shapewise:\s*ignore\[([^\]]*)\]")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One such comment: the rules it names, and where it stands."""

    rules: tuple[str, ...]
    span: Span


def suppressions(text: str) -> tuple[Suppression, ...]:
    """Every suppression in the comments of a text, in order; those in strings are none."""
    if "shapewise:" not in text:
        return ()
    places = text_map(text)
    found: list[Suppression] = []
    line = 0

    def note(line: int, column: int, comment: str) -> None:
        match = _COMMENT.search(comment)
        if match is not None:
            rules = tuple(filter(None, (name.strip() for name in match.group(1).split(","))))
            found.append(Suppression(rules, Span(line, column + match.start(), line, column + match.end())))

    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline=None).readline):
            line = token.end[0]
            if token.type == tokenize.COMMENT:
                note(*token.start, token.string)
    except (tokenize.TokenError, SyntaxError):
        # Half-typed: what follows is taken at its word, line by line.
        for number in range(line + 1, len(places) + 1):
            note(number, 0, places.line(number))
    return tuple(dict.fromkeys(found))


def ignoring(text: str, finding: Finding) -> Edit | None:
    """The edit that suppresses a finding on its line; None where no comment can stand there."""
    places = text_map(text)
    line = finding.span.end_line
    for comment in suppressions(text):
        if comment.span.line in (finding.span.line, line) and comment.rules:
            return Edit(comment.span, f"# shapewise: ignore[{', '.join((*comment.rules, finding.rule))}]")
    row = places.line(line)
    edit = Edit(Span(line, len(row.rstrip()), line, len(row)), f"  # shapewise: ignore[{finding.rule}]")
    start, end = places.offsets(edit.span)
    after = text[:start] + edit.text + text[end:]
    found = any(
        comment.span.line == line and finding.rule in comment.rules for comment in suppressions(after)
    )
    return edit if found and not row.rstrip().endswith("\\") else None


def suppress(findings: Sequence[Finding], text: str, skipped: Iterable[str] = ()) -> tuple[Finding, ...]:
    """The findings that are left, and one for every suppression that had nothing to suppress.

    A comment counts for findings that begin or end on its line. Of the rules in `skipped`, which
    did not run, nobody can say that their suppression is unused.
    """
    comments = suppressions(text)
    if not comments:
        return tuple(findings)
    used: set[tuple[Suppression, str]] = set()
    kept = []
    for finding in findings:
        hits = {
            (comment, finding.rule)
            for comment in comments
            if finding.rule in comment.rules
            and comment.span.line in (finding.span.line, finding.span.end_line)
        }
        used |= hits
        if not hits:
            kept.append(finding)
    silent = set(skipped)
    for comment in comments:
        unused = [rule for rule in comment.rules if (comment, rule) not in used and rule not in silent]
        if unused or not comment.rules:
            kept.append(_unused(comment, unused, text))
    return tuple(sorted(kept, key=lambda finding: finding.span))


def _unused(comment: Suppression, rules: Sequence[str], text: str) -> Finding:
    names = ", ".join(rules)
    message = f"nothing to ignore here for {names}" if rules else "this names no rule, so it ignores nothing"
    line = text_map(text).line(comment.span.line)
    left = [rule for rule in comment.rules if rule not in rules]
    if left:
        edit = Edit(comment.span, f"# shapewise: ignore[{', '.join(left)}]")
    else:
        rest = line[comment.span.end_column :]
        # A comment behind it needs its own `#`, and takes over the place.
        column = len(line[: comment.span.column].rstrip()) if not rest.strip() else comment.span.column
        end = len(line) if not rest.strip() else len(line) - len(rest.lstrip())
        replacement = "" if not rest.strip() or rest.lstrip().startswith("#") else "# "
        edit = Edit(Span(comment.span.line, column, comment.span.line, end), replacement)
    return Finding(UNUSED, comment.span, "warning", message, fixes=(Fix("remove it", "safe", (edit,)),))
