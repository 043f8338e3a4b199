"""Whether a fix holds: the fixed text is traced again, and only then is the fix offered."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from ..analysis import Analysis, Tracer, analyse
from ..edits.apply import apply, apply_to, difference, moved_line, touch
from ..parsing import parse
from ..queries.files import files_of, seen_from
from ..repair import Repaired
from ..rules.mending.searching.search import search
from ..rules.telling.pages import pages
from ..source import Source
from ..vocabulary.events import Bound, Event, Group, Log, Op, Scalar, Tensor, Unknown, Value
from ..vocabulary.findings import Edit, Finding, Fix

_log = logging.getLogger(__name__)

Repair = tuple[Finding, Fix]

ENOUGH = 3
"""Repairs of one finding that are offered: the likeliest come first."""
_PLACES = 4
"""Places at which one repair makes its change at most."""
FURTHER = 4
"""Repairs that do not hold of which it is asked what they take beside."""
_SECONDS = 3
"""Repairs of what is refused next that are tried with one."""
_MOST_TRIED = 60
"""Changes that a search tries for one finding."""
_SEARCHING = 8.0
"""Seconds that it takes at most."""
_TWICE = 2.0
"""So many times as long as its last trace may the first one of a changed text take: it may be too short, and made again."""
_ABOUT = 0.5
"""How much more another change may cost than one that holds."""


async def searched(
    analysis: Analysis, finding: Finding, attempt: Callable[[Fix], Awaitable[Fix | None]], end: float
) -> list[Fix]:
    """Repairs that no rule knows, found by trying small changes. `attempt`: a change as it holds. `end`: of `time.monotonic()`.

    Once one holds, only what is about as small a change is tried.
    """
    if finding.torch_error is None:
        return []
    log = seen_from(analysis.log, files_of(analysis.log)[0])
    try:
        changes = await asyncio.to_thread(search, log, analysis.repaired.text, finding)
    except Exception:  # what is refused is said, whatever becomes of repairs
        _log.exception("a search for repairs of line %s", finding.span.line)
        return []
    good, most = list[Fix](), math.inf
    known = {fix.edits for fix in finding.fixes}
    for cost, fix in [one for one in changes if one[1].edits not in known][:_MOST_TRIED]:
        if cost > most or len(good) == ENOUGH or time.monotonic() > end:
            break
        whole = await attempt(fix)
        if whole is not None:
            most = min(most, cost + _ABOUT)
            good.append(whole)
    return good


async def holds(
    source: Source, finding: Finding, fix: Fix, tracer: Tracer, before: Analysis, is_guess: bool = False
) -> Fix | None:
    """The fix, if it repairs its finding and makes no new one; else with the same change wherever it is lacking next.

    `is_guess`: of a fix that no rule stands for, nothing that was known may be lost.

    `self.users(u)` wants integers, and once it has them `self.items(i)` does. None where that does not hold either,
    where the edits cannot be made or the fixed text no longer parses. Raises `host.errors.TracerError` where the fixed
    text cannot be traced.
    """
    whole, held = fix, None
    for places in range(1, _PLACES + 1):
        tried = await _try(source, [(finding, whole)], tracer, before)
        if tried is None:
            return held
        again = tried.new
        if tried.holds:
            if is_guess and _is_lost(finding, whole.edits, before.log, tried.after.log):
                return held
            again = _still_there(finding, whole.edits, tried.after.findings)
            if any(_is_the_same(one, finding, whole.edits) for one in again):
                return held
            held = whole
        more = next((one for new in again for one in _same_again(finding, fix, new)), None)
        if more is None or any(one.rule != finding.rule for one in again):
            return held
        try:
            text = apply(tried.after.source.text, more.edits)
        except ValueError:
            return held
        if touch(source.text, whole.edits, more.edits):
            return held
        edits = difference(source.text, text)
        whole = replace(fix, title=f"{fix.title}, in {places + 1} places", edits=edits)
    return held


async def further(source: Source, finding: Finding, fix: Fix, tracer: Tracer, before: Analysis) -> Fix | None:
    """A fix that does not hold, with one of what torch refuses next, if both together hold and nothing that was known is lost.

    `self.fc(self.pool(x).flatten(1))` goes through, and then `x * y` wants `y[..., None, None]`.
    Raises `host.errors.TracerError`.
    """
    tried = await _try(source, [(finding, fix)], tracer, before)
    if tried is None or tried.holds or len(tried.new) != 1:
        return None
    (new,) = tried.new
    if new.torch_error is None or _is_the_same(new, finding, fix.edits):
        return None
    for second in new.fixes[:_SECONDS]:
        try:
            text = apply(tried.after.source.text, second.edits)
        except ValueError:
            continue
        both = Fix(f"{fix.title}, and {second.title}", "unsafe", difference(source.text, text))
        whole = await holds(source, finding, both, tracer, before, is_guess=True)
        if whole is not None:
            return whole
    return None


def _still_there(finding: Finding, edits: Sequence[Edit], after: Sequence[Finding]) -> tuple[Finding, ...]:
    """What the same rule finds on the line of a finding that is repaired: an error behind it, which is reached now."""
    line = moved_line(finding.span.line, edits)
    return tuple(one for one in after if one.rule == finding.rule and one.span.line == line)


def _is_the_same(one: Finding, finding: Finding, edits: Sequence[Edit]) -> bool:
    """Whether what is found is what was to be repaired: of the same call, in the same words."""
    at = finding.span
    before = [edit for edit in edits if edit.span.end_line == at.line and edit.span.end_column <= at.column]
    moved = sum(len(edit.text) - edit.span.end_column + edit.span.column for edit in before)
    is_there = one.span.column == at.column + moved or one.span.column == at.column
    return is_there and one.torch_error is not None and one.torch_error == finding.torch_error


def _same_again(finding: Finding, fix: Fix, new: Finding) -> list[Fix]:
    """The fixes of a finding that say the same as one of another of the same rule."""
    return [one for one in new.fixes if new.rule == finding.rule and one.title == fix.title]


class _Tried(NamedTuple):
    """What a fixed text comes to: its analysis, whether the fix holds, and what is found that was not before."""

    after: Analysis
    holds: bool
    new: tuple[Finding, ...]


async def attempt_all(
    source: Source, repaired: Sequence[Repair], tracer: Tracer, before: Analysis
) -> Analysis | None:
    """The analysis of the text with several fixes if they hold, else None. Raises `host.errors.TracerError`."""
    tried = await _try(source, repaired, tracer, before)
    return tried.after if tried is not None and tried.holds else None


async def _try(source: Source, repaired: Sequence[Repair], tracer: Tracer, before: Analysis) -> _Tried | None:
    edits = [edit for _, fix in repaired for edit in fix.edits]
    try:
        fixed = apply_to(source, edits)
    except ValueError:
        return None
    if fixed.text == source.text or (_parses(source.text) and not _parses(fixed.text)):
        return None
    after = await analyse(fixed, tracer)
    if len(after.repaired.broken) > len(before.repaired.broken):
        return None
    findings = [finding for finding, _ in repaired]
    new = tuple(_new(findings, edits, before.findings, after.findings))
    reached = all(_is_reached(one, edits, before.log, after.log) for one in findings)
    if len(_empty(after.log)) > len(_empty(before.log)):  # a layer for no features at all fits as well
        reached = False
    return _Tried(after, reached and not new, new if reached else ())


async def verified(analysis: Analysis, tracer: Tracer, seconds: float = math.inf) -> Analysis:
    """The analysis with only those fixes left that hold, as far as they can be tried in so many seconds. Raises `host.errors.TracerError`.

    The first fixes of all findings of one rule are tried together, as they are made together.
    """
    tracer = _InTime(tracer, time.monotonic() + seconds, _TWICE * analysis.log.seconds)
    firsts: dict[str, list[Repair]] = defaultdict(list)
    for finding in analysis.findings:
        if finding.fixes:
            firsts[finding.rule].append((finding, finding.fixes[0]))
    held: list[Repair] = []
    for rule in firsts.values():
        with suppress(_NoTime):
            held += await _holding(rule, tracer, analysis)
    findings = []
    for finding in analysis.findings:
        good = [fix for one, fix in held if one is finding]
        with suppress(_NoTime):
            await _more(analysis, finding, good, tracer)
        findings.append(replace(finding, fixes=tuple(good)))
    return replace(analysis, findings=tuple(findings))


async def _more(analysis: Analysis, finding: Finding, good: list[Fix], tracer: Tracer) -> None:
    """Add to the fixes of a finding that hold the others that do, or what is found where none does."""
    for fix in finding.fixes[1:]:
        if len(good) < ENOUGH:
            whole = await holds(analysis.source, finding, fix, tracer, analysis)
            good += [whole] if whole is not None else []
    if not good and finding.torch_error is not None:
        for fix in finding.fixes[:FURTHER]:
            whole = await further(analysis.source, finding, fix, tracer, analysis)
            good += [whole] if whole is not None else []
    if not good:
        good += await guessed(analysis, finding, tracer)


class _NoTime(Exception):
    """There is none for another trace."""


class _InTime:
    """A tracer that is asked only what it can answer until `end` (of `time.monotonic()`). `took`: seconds of the last trace."""

    def __init__(self, tracer: Tracer, end: float, took: float) -> None:
        self._tracer, self._end, self._took = tracer, end, took

    async def trace(self, path: str, repaired: Repaired, *rest: Any, **how: Any) -> Log:
        """Raises _NoTime, and what the tracer raises."""
        began = time.monotonic()
        if began + self._took > self._end:
            raise _NoTime
        log = await self._tracer.trace(path, repaired, *rest, **how)
        self._took = time.monotonic() - began
        return log


async def guessed(analysis: Analysis, finding: Finding, tracer: Tracer) -> list[Fix]:
    """What a search finds that holds, the likeliest first. Raises `host.errors.TracerError`."""
    attempt = partial(_guess, analysis, finding, tracer)
    return await searched(analysis, finding, attempt, time.monotonic() + _SEARCHING)


async def _guess(analysis: Analysis, finding: Finding, tracer: Tracer, fix: Fix) -> Fix | None:
    return await holds(analysis.source, finding, fix, tracer, analysis, is_guess=True)


async def _holding(repaired: Sequence[Repair], tracer: Tracer, before: Analysis) -> list[Repair]:
    """Those that hold: all where they do so together, else those of each half."""
    if len(repaired) == 1:
        finding, fix = repaired[0]
        whole = await holds(before.source, finding, fix, tracer, before)
        return [(finding, whole)] if whole is not None else []
    if await attempt_all(before.source, repaired, tracer, before) is not None:
        return [*repaired]
    middle = len(repaired) // 2
    return [
        *await _holding(repaired[:middle], tracer, before),
        *await _holding(repaired[middle:], tracer, before),
    ]


def _new(
    repaired: Sequence[Finding], edits: Sequence[Edit], before: Sequence[Finding], after: Sequence[Finding]
) -> Iterator[Finding]:
    """What is found that was not before, or was to be repaired; columns may have moved.

    What only rules say that are off by default is no new finding, nor what the line now comes to, nor a hint where more
    than one is repaired: the program goes on there, or a layer is not used any more.
    """
    allowed = Counter((one.rule, moved_line(one.span.line, edits)) for one in before)
    for finding in repaired:
        line = moved_line(finding.span.line, edits)
        allowed[finding.rule, line] -= 1
        allowed.update((rule, line) for rule in finding.behind)
    wanted = {finding.rule for finding in repaired}
    off = {page.name for page in pages().values() if not page.default} - wanted
    is_hint = all(one.severity == "hint" for one in repaired)
    for one in after:
        if one.rule in off or (one.severity == "hint" and not is_hint):
            continue
        allowed[one.rule, one.span.line] -= 1
        if allowed[one.rule, one.span.line] < 0:
            yield one


def _is_reached(finding: Finding, edits: Sequence[Edit], before: Log, after: Log) -> bool:
    """Whether what was refused is still called, and with what is known: where all is unknown, nothing is found either."""
    if finding.torch_error is None:
        return True
    first, last = finding.span.line, finding.span.end_line
    refused = [one for one in _at(before, first, last) if isinstance(one, Op) and one.failure is not None]
    added = sum(edit.text.count("\n") for edit in edits if first <= edit.span.line <= last)
    there = _at(after, moved_line(first, edits), moved_line(last, edits) + added)
    names = {one.name for one in refused}
    again = [one for one in there if isinstance(one, Op) and one.name in names]
    if not again:
        return bool(there) or all(map(_is_only_told_failed, refused))
    return min(map(_unknowns, again)) <= max(map(_unknowns, refused))


def _is_lost(finding: Finding, edits: Sequence[Edit], before: Log, after: Log) -> bool:
    """Whether what was refused gives nothing that is known, or a name that had a value has none any more."""
    first, last = finding.span.line, finding.span.end_line
    added = sum(edit.text.count("\n") for edit in edits if first <= edit.span.line <= last)
    there = _at(after, moved_line(first, edits), moved_line(last, edits) + added)
    given = [one.value if isinstance(one, Bound) else one.result for one in there]
    if not given or isinstance(given[-1], Unknown):
        return True
    lines = {one.span.line for one in edits}
    had = {(moved_line(line, edits), name) for line, name in _known(before) if line not in lines}
    return not had <= _known(after)


def _known(log: Log) -> set[tuple[int, str]]:
    """The names that have a value, by the lines on which they get it."""
    return {
        (event.span.line, event.name)
        for event in log.events
        if isinstance(event, Bound) and event.kind == "binding" and not isinstance(event.value, Unknown)
        if log.frames[event.frame].file == log.file
    }


def _empty(log: Log) -> set[tuple[int, int]]:
    """Where ops give tensors without an element, and layers are built for no features."""
    return {
        (event.span.line, event.span.column)
        for event in log.events
        if isinstance(event, Op)
        if (isinstance(event.result, Tensor) and 0 in event.result.shape)
        or (event.name.startswith(_OF_FEATURES) and Scalar(0) in event.args[:2])
    }


_OF_FEATURES = ("torch.nn.Linear", "torch.nn.Conv", "torch.nn.LSTM", "torch.nn.GRU")


def _is_only_told_failed(op: Op) -> bool:
    """Whether nothing is written down where it goes well: what numpy does, and what has to do with no tensor."""
    return op.name.startswith("numpy.") or not any(map(_holds_a_tensor, op.args))


def _holds_a_tensor(value: Value) -> bool:
    if isinstance(value, Group):
        return not value.items or any(map(_holds_a_tensor, value.items))
    return isinstance(value, Tensor)


def _unknowns(op: Op) -> int:
    return sum(isinstance(arg, Unknown) for arg in op.args)


def _at(log: Log, first: int, last: int) -> list[Event]:
    return [
        event
        for event in log.events
        if first <= event.span.line <= last and log.frames[event.frame].file == log.file
    ]


def _parses(text: str) -> bool:
    try:
        parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
