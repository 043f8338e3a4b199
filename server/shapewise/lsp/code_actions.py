"""`textDocument/codeAction`: the fixes of the findings in a range, each tried before it is offered."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ..edits.apply import apply
from ..fixes.offered import SAFE
from ..fixes.titles import elsewhere
from ..fixes.verify import ENOUGH, FURTHER, further, holds, searched
from ..host.errors import TracerError
from ..suppression import ignoring
from ..vocabulary.findings import Edit, Finding, Fix
from ..vocabulary.span import Span
from .aside import aside
from .causes import cause_of
from .diagnostics import SOURCE, diagnostic
from .documents import Document, Snapshot, edits_by_text
from .session import Session
from .texts import Text

if TYPE_CHECKING:
    from .server import ShapewiseServer

log = logging.getLogger(__name__)

Way = Callable[..., Coroutine[Any, Any, Fix | None]]
"""How it is found out whether a fix holds: as `fixes.verify.holds` does, or `further`."""

_QUICK = types.CodeActionKind.QuickFix

FIX_ALL = "source.fixAll.shapewise"
"""What is asked on saving: all safe fixes at once."""

_PATIENCE = 2.0
"""Seconds to wait for the findings of a text that was just edited."""


_TRYING = 5.0
"""Seconds for which repairs of one finding are tried."""


async def code_actions(ls: ShapewiseServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Quick fixes, the safe ones preferred."""
    wanted = params.context.only
    fix_all = wanted is not None and any(_covers(kind, FIX_ALL) for kind in wanted)
    if wanted is not None and not fix_all and not any(_covers(kind, _QUICK) for kind in wanted):
        return []
    document = ls.document_of(params.text_document.uri)
    if document is None or not await document.settled(_PATIENCE) or not document.is_current:
        return []
    if fix_all:
        return await _fix_all(ls, document)
    actions: list[types.CodeAction] = []
    snapshot, known = document.snapshot, document.known
    assert snapshot is not None and known is not None
    for finding in known.findings:
        place = snapshot.place(finding.span)
        cause = cause_of(finding)
        places = [place, snapshot.place(cause.span) if cause is not None else None]
        if place is None or not any(
            one is not None and one[0].uri == params.text_document.uri and _meet(one[1], params.range)
            for one in places
        ):
            continue
        fixes = await holding_fixes(ls.session, document, finding)
        if not document.is_current:
            return []  # the edits would land beside their places
        shown = next((one for one in params.context.diagnostics if _is(one, finding, place[1])), None)
        shown = shown or diagnostic(finding, place[1], snapshot, with_related=False)
        for fix in fixes:
            by_text = edits_by_text(snapshot, fix.edits)
            if by_text is not None:
                edit = workspace_edit(by_text, ls.versions_edits)
                where = elsewhere(finding, fix, partial(_seen, snapshot, place[0]))
                actions.append(_action(fix, edit, shown, where))
        together = (
            _of_the_rule(known.analysis.source.text, known.findings, finding, fixes[0]) if fixes else None
        )
        if together is not None and await _holds(ls.session, document, finding, together) is not None:
            by_text = edits_by_text(snapshot, together.edits)
            if by_text is not None and document.is_current:
                edit = workspace_edit(by_text, ls.versions_edits)
                actions.append(_action(together, edit, shown, preferred=False))
        comment = ignoring(known.analysis.source.text, finding)
        by_text = edits_by_text(snapshot, [comment]) if comment is not None else None
        if by_text is not None:
            edit = workspace_edit(by_text, ls.versions_edits)
            title = f"Ignore {finding.rule} on this line"
            actions.append(types.CodeAction(title, kind=_QUICK, diagnostics=[shown], edit=edit))
    return actions


async def _fix_all(ls: ShapewiseServer, document: Document) -> list[types.CodeAction]:
    """One action with every safe fix that holds and that no other has touched."""
    snapshot, known = document.snapshot, document.known
    assert snapshot is not None and known is not None
    edits: list[Edit] = []
    for finding in known.findings:
        for fix in await holding_fixes(ls.session, document, finding):
            if not document.is_current:
                return []
            joint = [*edits, *(edit for edit in fix.edits if edit not in edits)]
            if fix.safety == SAFE and _apart(known.analysis.source.text, joint):
                edits = joint
                break
    by_text = edits_by_text(snapshot, edits) if edits else None
    if by_text is None:
        return []
    edit = workspace_edit(by_text, ls.versions_edits)
    return [types.CodeAction("Fix all that shapewise can fix safely", kind=FIX_ALL, edit=edit)]


def _of_the_rule(text: str, findings: Sequence[Finding], finding: Finding, fix: Fix) -> Fix | None:
    """One fix for all findings of a rule: this one, and of each other one the first that is as safe."""
    edits, others = [*fix.edits], 0
    for one in findings:
        other = next((each for each in one.fixes if each.safety == fix.safety), None)
        if one is finding or one.rule != finding.rule or other is None:
            continue
        joint = [*edits, *(edit for edit in other.edits if edit not in edits)]
        if _apart(text, joint):
            edits, others = joint, others + 1
    return Fix(f"Fix all {finding.rule} in this file", fix.safety, tuple(edits)) if others else None


def _apart(text: str, edits: list[Edit]) -> bool:
    try:
        apply(text, edits)
    except ValueError:
        return False
    return True


async def holding_fixes(session: Session, document: Document, finding: Finding) -> list[Fix]:
    """Those fixes of a finding with which the text, traced again, no longer has it and no new one.

    The likeliest few: whoever asks again is told what was found out, and the rest is gone on with.
    """
    good: list[Fix] = []
    end = time.monotonic() + _TRYING
    for fix in finding.fixes:
        is_known = (finding, fix) in document.fix_holds
        if len(good) == ENOUGH or (time.monotonic() > end and not is_known):
            break
        whole = await _holds(session, document, finding, fix)
        if whole is not None:
            good.append(whole)
        if not document.is_current:
            break
    for fix in finding.fixes[:FURTHER] if not good and finding.torch_error is not None else ():
        if document.is_current and document.known is not None and time.monotonic() < end:
            whole = await _holds(session, document, finding, replace(fix, title=f"{fix.title} +"), further)
            good += [whole] if whole is not None else []
    if not good and document.is_current and document.known is not None:
        attempt = partial(_holds, session, document, finding, way=partial(holds, is_guess=True))
        good = await searched(document.known.analysis, finding, attempt, end)
    return good


async def _holds(
    session: Session, document: Document, finding: Finding, fix: Fix, way: Way = holds
) -> Fix | None:
    """The fix as it holds, if it does. `way`: how that is found out."""
    known, tried = document.known, document.fix_holds
    assert known is not None
    analysis = known.analysis
    if (finding, fix) not in tried:
        try:
            tried[finding, fix] = await aside(
                lambda tracer: way(analysis.source, finding, fix, tracer, analysis),
                session.tracer,
            )
        except TracerError as error:
            log.info("a fix could not be tried: %s", error)
            return None
    return tried[finding, fix]


def _seen(snapshot: Snapshot, text: Text, line: int) -> str:
    """The number of a line where the finding's text has it; nothing if it is in another cell."""
    place = snapshot.place(Span(line, 0, line, 0))
    return str(place[1].start.line + 1) if place is not None and place[0] is text else ""


def workspace_edit(by_text: dict[Text, list[types.TextEdit]], versioned: bool) -> types.WorkspaceEdit:
    """Edits as the client can take them: with the version they are for, if it knows what that is."""
    if not versioned:
        return types.WorkspaceEdit(changes={text.uri: edits for text, edits in by_text.items()})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(uri=text.uri, version=text.version), list(edits)
            )
            for text, edits in by_text.items()
        ]
    )


def _action(
    fix: Fix, edit: types.WorkspaceEdit, shown: types.Diagnostic, where: str = "", preferred: bool = True
) -> types.CodeAction:
    """`where`: the lines that it changes, if they are to be told."""
    is_safe = fix.safety == SAFE
    notes = "; ".join(filter(None, (where, "" if is_safe else "changes behaviour")))
    return types.CodeAction(
        title=f"{fix.title} ({notes})" if notes else fix.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[shown],
        is_preferred=(is_safe and preferred) or None,
        edit=edit,
    )


def _covers(kind: types.CodeActionKind | str, of: types.CodeActionKind | str) -> bool:
    name, asked = (one.value if isinstance(one, types.CodeActionKind) else one for one in (kind, of))
    return name == "" or asked == name or asked.startswith(name + ".")


def _is(shown: types.Diagnostic, finding: Finding, range_: types.Range) -> bool:
    return shown.source == SOURCE and shown.code == finding.rule and shown.range == range_


def _meet(one: types.Range, other: types.Range) -> bool:
    return _at(one.start) <= _at(other.end) and _at(other.start) <= _at(one.end)


def _at(position: types.Position) -> tuple[int, int]:
    return position.line, position.character


def register(server: ShapewiseServer) -> None:
    """Announce this to the client."""
    options = types.CodeActionOptions(code_action_kinds=[_QUICK, FIX_ALL])
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(code_actions)
