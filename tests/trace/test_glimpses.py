"""What is told while a trace is under way holds at its end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from shapewise.queries.facts import facts_of
from shapewise.queries.files import happened_in
from shapewise.repair import repair
from shapewise.trace import glimpses, session
from shapewise.vocabulary.events import Log
from shapewise.vocabulary.facts import Fact

TESTS = Path(__file__).resolve().parents[1]
FILES = sorted([*(TESTS.parent / "examples").glob("*.py"), *(TESTS / "truth" / "inputs").glob("**/*.py")])


@pytest.fixture(autouse=True)
def all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    session.prepare()
    monkeypatch.setattr(glimpses, "_FIRST", 0.0)
    monkeypatch.setattr(glimpses, "_TIMES", 1.2)


def facts(log: Log) -> dict[tuple[object, ...], Fact]:
    found = facts_of(happened_in(log, log.file))
    return {(fact.span, fact.kind, fact.name): fact for fact in found}


def traced(path: str, text: str) -> tuple[list[Log], Log]:
    repaired, early = repair(text), list[Log]()
    broken = {one.span.line: one.names for one in repaired.broken}
    return early, session.trace(path, repaired.text, broken, early=early.append)


def contradictions(early: list[Log], last: Log) -> Iterator[str]:
    """What was told of a place that none of its runs shows: there may be more of these later, but none is another."""
    known = facts(last)
    for log in early:
        for place, fact in facts(log).items():
            at_last = known.get(place)
            said = set(fact.variants or [fact.value])
            if at_last is None or not said <= {at_last.value, *at_last.variants}:
                yield f"line {fact.span.line}: {fact.name} {fact.value}, at last {at_last}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_was_told_holds(path: Path) -> None:
    early, last = traced(str(path), path.read_text())
    assert list(contradictions(early, last)) == []
