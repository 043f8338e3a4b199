"""`textDocument/codeAction`: the fixes of the findings in a range, each tried before it is offered."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from ..edits.apply import apply
from ..fixes.offered import SAFE
from ..fixes.titles import elsewhere
from ..suppression import ignoring
from ..vocabulary.findings import Edit, Finding, Fix
from ..vocabulary.span import Span
from .causes import cause_of
from .diagnostics import SOURCE, diagnostic
from .documents import Document, Snapshot
from .texts import Text
from .trying import fix_holds, holding_fixes
from .workspace_edits import workspace_edit

if TYPE_CHECKING:
    from .server import ShapewiseServer

_QUICK = types.CodeActionKind.QuickFix

FIX_ALL = "source.fixAll.shapewise"
"""What is asked on saving: all safe fixes at once."""

_PATIENCE = 2.0
"""Seconds to wait for the findings of a text that was just edited."""


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
        if _is_asked_for(snapshot, finding, params):
            actions += await _for_finding(ls, document, finding, params.context.diagnostics)
            if not document.is_current:
                return []  # the edits would land beside their places
    return actions


def _is_asked_for(snapshot: Snapshot, finding: Finding, params: types.CodeActionParams) -> bool:
    """Whether a finding, or its cause, stands in the range."""
    cause = cause_of(finding)
    place = snapshot.place(finding.span)
    places = (place, snapshot.place(cause.span) if cause is not None else None)
    return place is not None and any(
        one is not None and one[0].uri == params.text_document.uri and _meet(one[1], params.range)
        for one in places
    )


async def _for_finding(
    ls: ShapewiseServer, document: Document, finding: Finding, told: Sequence[types.Diagnostic]
) -> list[types.CodeAction]:
    """Its fixes, the first of them for all findings of its rule, and the comment that silences it."""
    snapshot, known = document.snapshot, document.known
    assert snapshot is not None and known is not None
    text = known.analysis.source.text
    fixes = await holding_fixes(ls.session, document, finding)
    if not document.is_current:
        return []
    together = _of_the_rule(text, known.findings, finding, fixes[0]) if fixes else None
    if together is not None and await fix_holds(ls.session, document, finding, together) is None:
        together = None
    place = snapshot.place(finding.span)
    if place is None or not document.is_current:
        return []
    shown = next((one for one in told if _is(one, finding, place[1])), None)
    shown = shown or diagnostic(finding, place[1], snapshot, with_related=False)
    seen = partial(_seen, snapshot, place[0])

    def edit(edits: Sequence[Edit]) -> types.WorkspaceEdit | None:
        return workspace_edit(snapshot, edits, ls.versions_edits)

    actions = [_action(fix, edit(fix.edits), shown, elsewhere(finding, fix, seen)) for fix in fixes]
    if together is not None:
        actions.append(_action(together, edit(together.edits), shown, preferred=False))
    comment = ignoring(text, finding)
    if comment is not None:
        title = f"Ignore {finding.rule} on this line"
        actions.append(types.CodeAction(title, kind=_QUICK, diagnostics=[shown], edit=edit([comment])))
    return [one for one in actions if one.edit is not None]


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
    edit = workspace_edit(snapshot, edits, ls.versions_edits)
    if edit is None:
        return []
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


def _seen(snapshot: Snapshot, text: Text, line: int) -> str:
    """The number of a line where the finding's text has it; nothing if it is in another cell."""
    place = snapshot.place(Span(line, 0, line, 0))
    return str(place[1].start.line + 1) if place is not None and place[0] is text else ""


def _action(
    fix: Fix,
    edit: types.WorkspaceEdit | None,
    shown: types.Diagnostic,
    where: str = "",
    preferred: bool = True,
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
