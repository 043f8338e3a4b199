"""One analysis of one moment: what is asked of the tracer, of other files, of the rules and the settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ..analysis import Analysis, Tracer, judged, seen
from ..call_sites import CallSites
from ..config import Config, ConfigError, config_for
from ..repair import Repaired
from ..rule_choice import RuleChoice
from ..same_code import read
from ..source import Source
from ..vocabulary.events import Log
from .documents import Document, Known


async def facts(
    source: Source,
    tracer: Tracer,
    is_wanted: Callable[[Source], bool],
    call_sites: CallSites | None,
    called: Sequence[str],
    before: Analysis | None,
) -> Analysis:
    """What is seen of a source. Raises TracerError.

    With `call_sites`, with what the programs show that were found the last time; `called` are the
    functions that they called then. `before` is what was seen last, if only the source itself was
    edited since.
    """
    if not is_wanted(source):
        return _nothing(source)
    analysis = await seen(source, tracer, called, before)
    if call_sites is not None:
        analysis = await call_sites.refined(analysis, tracer, search=False)
        if not set(called) <= set(analysis.called):
            analysis = await call_sites.refined(await seen(source, tracer), tracer, search=False)
    return analysis


def findings(analysis: Analysis, severities: Mapping[str, str], is_stale: Callable[[], bool]) -> Known:
    """An analysis with its findings, none where the project leaves the file out. `severities`: of rules, by the editor's settings."""
    path = Path(analysis.source.path)
    read(analysis.source.text)
    analysis = judged(analysis, is_stale) if analysis.log.torch else analysis
    try:
        # What was never saved has no place, and so no project.
        config = config_for(path) if path.is_absolute() else Config()
        rules = RuleChoice.of(config).with_severities(severities)
        if config.excludes(path):
            return Known(analysis)
    except ConfigError as error:
        rules = RuleChoice.of(Config()).with_severities(severities)
        return Known(analysis, rules.wanted(analysis), f"{error}.")
    found = rules.wanted_of(analysis.calls, analysis.source.text)
    return Known(analysis, (*rules.wanted(analysis), *found))


def written_since(document: Document) -> bool:
    """Whether a file that this one imports has been written on disk since its last trace."""
    assert document.known is not None
    for file in document.known.analysis.log.files:
        try:
            if os.stat(file).st_mtime >= document.traced_at:
                return True
        except OSError:
            return True
    return False


def _nothing(source: Source) -> Analysis:
    return Analysis(source, Repaired(source.text), Log(source.path, "", "", 0.0, (), ()), (), ())
