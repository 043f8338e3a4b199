"""`textDocument/codeAction`: the fixes of the findings in a range, each tried before it is offered."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lsprotocol import types

from ..fixes.apply import SAFE
from ..fixes.verify import holds
from ..host.errors import TracerError
from ..vocabulary.findings import Finding, Fix
from .aside import aside
from .diagnostics import SOURCE, diagnostic
from .documents import Document, edits_by_text
from .session import Session
from .texts import Text

if TYPE_CHECKING:
    from .server import ShapewiseServer

log = logging.getLogger(__name__)

_PATIENCE = 2.0
"""Seconds to wait for the findings of a text that was just edited."""


async def code_actions(ls: ShapewiseServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Quick fixes, the safe ones preferred."""
    wanted = params.context.only
    if wanted is not None and not any(_covers(kind, types.CodeActionKind.QuickFix) for kind in wanted):
        return []
    document = ls.document_of(params.text_document.uri)
    if document is None or not await document.settled(_PATIENCE) or not document.is_current:
        return []
    actions: list[types.CodeAction] = []
    snapshot, known = document.snapshot, document.known
    assert snapshot is not None and known is not None
    for finding in known.findings:
        place = snapshot.place(finding.span)
        if place is None or place[0].uri != params.text_document.uri or not _meet(place[1], params.range):
            continue
        fixes = await holding_fixes(ls.session, document, finding)
        if not document.is_current:
            return []  # the edits would land beside their places
        shown = next((one for one in params.context.diagnostics if _is(one, finding, place[1])), None)
        shown = shown or diagnostic(finding, place[1], snapshot, with_related=False)
        for fix in fixes:
            by_text = edits_by_text(snapshot, fix.edits)
            if by_text is not None:
                actions.append(_action(fix, workspace_edit(by_text, ls.versions_edits), shown))
    return actions


async def holding_fixes(session: Session, document: Document, finding: Finding) -> list[Fix]:
    """Those fixes of a finding with which the text, traced again, no longer has it and no new one."""
    known, tried = document.known, document.fix_holds
    assert known is not None
    analysis = known.analysis
    good = []
    for fix in finding.fixes:
        if (finding, fix) not in tried:
            try:
                tried[finding, fix] = await aside(
                    lambda tracer, fix=fix: holds(analysis.source, finding, fix, tracer, analysis),  # type: ignore[misc]
                    session.tracer,
                )
            except TracerError as error:
                log.info("a fix could not be tried: %s", error)
                continue
        if tried[finding, fix]:
            good.append(fix)
        if not document.is_current:
            break
    return good


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


def _action(fix: Fix, edit: types.WorkspaceEdit, shown: types.Diagnostic) -> types.CodeAction:
    is_safe = fix.safety == SAFE
    return types.CodeAction(
        title=fix.title if is_safe else f"{fix.title} (changes behaviour)",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[shown],
        is_preferred=is_safe or None,
        edit=edit,
    )


def _covers(kind: types.CodeActionKind | str, of: types.CodeActionKind) -> bool:
    name = kind.value if isinstance(kind, types.CodeActionKind) else kind
    return name == "" or of.value == name or of.value.startswith(name + ".")


def _is(shown: types.Diagnostic, finding: Finding, range_: types.Range) -> bool:
    return shown.source == SOURCE and shown.code == finding.rule and shown.range == range_


def _meet(one: types.Range, other: types.Range) -> bool:
    return _at(one.start) <= _at(other.end) and _at(other.start) <= _at(one.end)


def _at(position: types.Position) -> tuple[int, int]:
    return position.line, position.character


def register(server: ShapewiseServer) -> None:
    """Announce this to the client."""
    options = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(code_actions)
