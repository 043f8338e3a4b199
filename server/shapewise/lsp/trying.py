"""Which fixes of a finding hold: tried on the document as it is, for as long as somebody waits, and remembered."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import Any

from ..fixes.verify import ENOUGH, FURTHER, further, holds, searched
from ..host.errors import TracerError
from ..vocabulary.findings import Finding, Fix
from .aside import aside
from .documents import Document
from .session import Session

log = logging.getLogger(__name__)

Way = Callable[..., Coroutine[Any, Any, Fix | None]]
"""How it is found out whether a fix holds: as `fixes.verify.holds` does, or `further`."""

_TRYING = 5.0
"""Seconds for which repairs of one finding are tried."""


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
        whole = await fix_holds(session, document, finding, fix)
        if whole is not None:
            good.append(whole)
        if not document.is_current:
            break
    for fix in finding.fixes[:FURTHER] if not good and finding.torch_error is not None else ():
        if document.is_current and document.known is not None and time.monotonic() < end:
            whole = await fix_holds(session, document, finding, replace(fix, title=f"{fix.title} +"), further)
            good += [whole] if whole is not None else []
    if not good and document.is_current and document.known is not None:
        attempt = partial(fix_holds, session, document, finding, way=partial(holds, is_guess=True))
        good = await searched(document.known.analysis, finding, attempt, end)
    return good


async def fix_holds(
    session: Session, document: Document, finding: Finding, fix: Fix, way: Way = holds
) -> Fix | None:
    """The fix as it holds, if it does, tried once for each moment of a document. `way`: how that is found out."""
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
