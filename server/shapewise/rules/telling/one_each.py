"""One mistake, one finding: of what several rules say of one place, and of a cause and its effect, what stays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ...queries.lineage import Lineage, lineage_of, tensors
from ...vocabulary.events import Log, Op
from ...vocabulary.findings import Finding, Fix, Related
from ...vocabulary.span import Span

_ANCESTORS = 60
"""Ops that are looked at behind one that fails."""


def one_each(findings: Sequence[Finding], log: Log) -> Iterator[Finding]:
    """What is left of the findings of a file.

    Of what torch refuses in one line only what it comes to first: the rest of the line is not reached. No warning of
    an expression that raises, nor of what is made of its result: it would be of values that are never made. And a warning of what an op further down is
    refused for is said there, as its cause.
    """
    first_met = _order(log)
    last = len(first_met)
    errors = sorted(
        (one for one in findings if _raises(one)),
        key=lambda one: (_end(one.span), first_met.get((one.span, one.torch_error), last)),
    )
    raised: list[Finding] = []
    for one in errors:
        first = next((at for at, other in enumerate(raised) if _is_before(other.span, one.span)), None)
        if first is None:
            raised.append(one)
        else:
            raised[first] = replace(raised[first], behind=(*raised[first].behind, one.rule))
    rest = [one for one in findings if not _raises(one)]
    warnings = [one for one in rest if one.severity == "warning"]
    causes = (
        {**_causes(raised, warnings, log), **_known(raised, warnings), **_left_on_the_cpu(raised, warnings)}
        if raised and warnings
        else {}
    )
    told = [one for found in causes.values() for one in found]
    for one in raised:
        found = causes.get(one.span, ())
        yield replace(
            one,
            related=(
                *(near for near in one.related if all(near.span != cause.span for cause in found)),
                *(Related(cause.span, cause.message) for cause in found),
            ),
            fixes=(*one.fixes, *_together(found)),
        )
    unreal = _below(raised, warnings, log) if raised else set()
    for one in rest:
        if one.severity == "warning" and one.span in unreal:
            continue
        beside = one.severity == "warning" and any(_overlap(one.span, other.span) for other in raised)
        if not beside and not any(one is other for other in told):
            yield one


_BY_WORDS = {
    "optimizer got an empty parameter list": ("modules-in-plain-container", "unregistered-learnable-tensor"),
    "Can't call numpy() on Tensor that requires grad": ("graph-kept-alive",),
    "element 0 of tensors does not require grad": ("trained-params-frozen", "graph-broken-in-loss"),
}
"""What torch refuses because of what a rule warns of elsewhere, by the beginning of its words."""


def _known(raised: Iterable[Finding], warnings: Sequence[Finding]) -> dict[Span, tuple[Finding, ...]]:
    """The causes of errors that say by themselves what led to them, if nothing else was refused."""
    found: dict[Span, tuple[Finding, ...]] = {}
    for one in raised:
        for words, rules in _BY_WORDS.items():
            if (one.torch_error or "").startswith(words):
                causes = tuple(other for other in warnings if other.rule in rules)
                if causes:
                    found[one.span] = causes
    return found


def _left_on_the_cpu(
    raised: Iterable[Finding], warnings: Sequence[Finding]
) -> dict[Span, tuple[Finding, ...]]:
    """Of clashes of devices the warning that stands where the tensor on the CPU was made."""
    found: dict[Span, tuple[Finding, ...]] = {}
    for one in raised:
        made = [near.span for near in one.related] if one.rule == "device-mismatch" else []
        causes = tuple(
            other
            for other in warnings
            if other.rule in ("tensor-upload-in-forward", "module-tensor-not-buffer")
            and any(_overlap(other.span, span) for span in made)
        )
        if causes:
            found[one.span] = causes
    return found


def _together(causes: Sequence[Finding]) -> Iterator[Fix]:
    """The repairs of causes; of several that say the same one that makes all of them."""
    by_title: dict[str, list[Fix]] = {}
    for cause in causes:
        for fix in cause.fixes:
            by_title.setdefault(fix.title, []).append(fix)
    for title, fixes in by_title.items():
        if len(fixes) == 1 or len(fixes) < len(causes):
            yield from fixes
        else:
            edits = tuple(dict.fromkeys(edit for fix in fixes for edit in fix.edits))
            yield replace(fixes[0], title=f"{title}, in {len(fixes)} places", edits=edits)


def _raises(finding: Finding) -> bool:
    return finding.severity == "error" and bool(finding.torch_error)


def _order(log: Log) -> dict[tuple[Span, str | None], int]:
    """In which order torch refuses what: by place and message."""
    found: dict[tuple[Span, str | None], int] = {}
    for event in log.events:
        if isinstance(event, Op) and event.failure is not None:
            found.setdefault((event.span, event.failure.message), len(found))
    return found


def _below(raised: Sequence[Finding], warnings: Sequence[Finding], log: Log) -> set[Span]:
    """Where warnings stand of ops that were only ever given what an op that fails would have given."""
    places, lineage = {one.span for one in warnings}, lineage_of(log)
    found: set[Span] = set()
    really: set[Span] = set()
    for event in log.events:
        if isinstance(event, Op) and event.span in places:
            (found if lineage.below_a_failure(event) else really).add(event.span)
    return found - really


def _causes(
    raised: Iterable[Finding], warnings: Sequence[Finding], log: Log
) -> dict[Span, tuple[Finding, ...]]:
    """For the place of each error the warnings of what led to it."""
    places, lineage = {one.span for one in raised}, lineage_of(log)
    found: dict[Span, tuple[Finding, ...]] = {}
    for event in log.events:
        if isinstance(event, Op) and event.failure is not None and event.span in places - found.keys():
            behind = _behind(lineage, event)
            causes = tuple(one for one in warnings if one.span in behind and one.span != event.span)
            if causes:
                found[event.span] = causes
    return found


def _behind(lineage: Lineage, op: Op) -> set[Span]:
    """Where the ops stand that an op's operands were made by."""
    waiting, seen, places = [op], set[int](), set[Span]()
    while waiting and len(seen) < _ANCESTORS:
        for tensor in [one for arg in waiting.pop(0).args for one in tensors(arg)]:
            maker = lineage.maker(tensor)
            if maker is not None and id(maker) not in seen:
                seen.add(id(maker))
                places.add(maker.span)
                waiting.append(maker)
    return places


def _end(span: Span) -> tuple[int, int, int, int]:
    return span.end_line, span.end_column, -span.line, -span.column


def _is_before(one: Span, other: Span) -> bool:
    """Whether a line ends at one place before it comes to the other, or in an earlier call of the same."""
    return one.line <= other.end_line and other.line <= one.end_line


def _overlap(one: Span, other: Span) -> bool:
    return (one.line, one.column) < (other.end_line, other.end_column) and (other.line, other.column) < (
        one.end_line,
        one.end_column,
    )
