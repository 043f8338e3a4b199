"""Whole scripts, as people write them: the planted mistake is found, and its repaired twin is silent."""

from __future__ import annotations

import pytest

from shapewise.analysis import Tracer, analyse
from shapewise.rules.telling.pages import pages
from shapewise.source import Source
from shapewise.suppression import suppress

from .labelled import SCRIPTS, Labelled, scripts

ALL = list(scripts())
VARIED = [one for folder in ("varied", "thirtieth") for one in scripts(SCRIPTS.parent / "unseen" / folder)]
"""The same mistakes in other forms than the pages have."""
SOME = [one for one in ALL if one.rule.startswith("good-") or sum(map(ord, one.rule)) % 8 == 0] + VARIED
"""What CI has time for; `measure_scripts.py` takes all."""


def test_each_is_about_a_rule_or_good() -> None:
    assert {one.rule for one in ALL if one.kind == "bad"} <= pages().keys()
    assert all(one.rule in pages() or one.rule.startswith("good-") for one in ALL)


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("labelled", SOME, ids=lambda one: one.name)
async def test_what_is_found(labelled: Labelled, tracer: Tracer) -> None:
    analysis = await analyse(Source("script.py", labelled.text), tracer)
    findings = suppress(analysis.findings, labelled.text)
    if labelled.kind == "bad":
        assert labelled.found_in(findings) == "line"
    else:
        assert labelled.false_in(findings) == []
