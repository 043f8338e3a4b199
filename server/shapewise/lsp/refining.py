"""What other files show of a document, asked while nobody types."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace

from ..analysis import Analysis, Tracer
from ..call_sites import CallSites
from ..host.errors import TracerError
from .aside import aside
from .documents import Document

log = logging.getLogger(__name__)


class Refining:
    """Asks the programs that use a file, one file at a time. `call_sites`: None where none are known."""

    def __init__(self, call_sites: CallSites | None) -> None:
        self.call_sites = call_sites
        self.is_under_way = False

    def stop(self) -> None:
        """If any is under way, it is in the way of somebody."""
        if self.is_under_way and self.call_sites is not None:
            self.call_sites.stop()

    async def changes(
        self, document: Document, tracer: Tracer, is_open: Callable[[Document], bool]
    ) -> bool | None:
        """Take over what the others show. Whether any hint is another then; None if there was nothing to take over."""
        known, call_sites = document.known, self.call_sites
        assert known is not None and call_sites is not None
        document.elsewhere_asked = self.is_under_way = True
        try:
            analysis: Analysis = await aside(
                lambda tracer: call_sites.refined(known.analysis, tracer), tracer
            )
        except TracerError as error:
            log.info("%s", error)
            return None
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("what uses %s", document.uri)
            return None
        finally:
            self.is_under_way = False
        if call_sites.is_stopped:
            document.elsewhere_asked = False
        elif document.known is known and is_open(document):
            document.seconds_elsewhere = analysis.seconds_elsewhere
            return document.refine(replace(known, analysis=analysis))
        return None
