"""Typing, cutting and pasting in the examples: the tracer never falls, and forgets what was before."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shapewise.host.process import TracerProcess
from shapewise.queries.facts import facts_of
from shapewise.repair import repair
from shapewise.rules import check
from shapewise.vocabulary.facts import Fact
from shapewise.vocabulary.findings import Finding

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
PIECES = [
    *"()[]{}:=,.\n\t '\"#0",
    "    ",
    "x",
    "dim=1",
    "-1",
    "self",
    "if ",
    "for i in ",
    "return",
    "torch.",
    ".T",
    " @ ",
]

pytestmark = pytest.mark.slow


class Tracer:
    """A tracer to call without waiting. `has_room`: as an editor's has."""

    def __init__(self, has_room: bool = False) -> None:
        self.loop = asyncio.new_event_loop()
        self.process = TracerProcess(sys.executable, limit=20, has_room=has_room)

    def __call__(self, text: str) -> tuple[tuple[Fact, ...], tuple[Finding, ...]]:
        repaired = repair(text)
        log = self.loop.run_until_complete(self.process.trace("example.py", repaired))
        return facts_of(log), check(log, repaired.text)

    def close(self) -> None:
        self.loop.run_until_complete(self.process.close())
        self.loop.close()


@pytest.fixture(scope="module")
def warm() -> Iterator[Tracer]:
    tracer = Tracer(has_room=True)
    yield tracer
    tracer.close()


@pytest.fixture
def fresh() -> Iterator[Tracer]:
    tracer = Tracer()
    yield tracer
    tracer.close()


def edits(text: str, rng: random.Random, count: int) -> Iterator[str]:
    """Versions of a text as somebody leaves them behind who works in it."""
    for _ in range(count):
        rows = text.split("\n")
        row, at = rng.randrange(len(rows)), rng.randrange(len(text) + 1)
        kind = rng.randrange(5)
        if kind == 0:
            text = text[:at] + rng.choice(PIECES) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + rng.choice([1, 1, 2, 8]) :]
        elif kind == 2:
            text = "\n".join([*rows[:row], rng.choice(rows), *rows[row:]])
        elif kind == 3:
            text = "\n".join(rows[:row] + rows[row + 1 :])
        else:
            rows[row] = rows[row].replace(
                *rng.choice([("1", "7"), ("2", "3"), ("x", "y"), ("dim", "axis"), ("64", "60")])
            )
            text = "\n".join(rows)
        yield text


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_after_many_edits_all_is_as_if_opened_now(path, warm, fresh, thorough):
    original = path.read_text(encoding="utf-8")
    first = warm(original)
    rng = random.Random(path.stem)
    texts = []
    for _ in range(4 if thorough else 2):
        texts += edits(original, rng, 10)
    answers = [warm(text) for text in texts]
    assert warm(original) == first
    for index in rng.sample(range(len(texts)), len(texts) // 5):
        assert fresh(texts[index]) == answers[index], texts[index]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_line_typed_again_gives_the_same_at_its_end(path, warm):
    original = path.read_text(encoding="utf-8")
    first = warm(original)
    rng = random.Random(path.stem)
    rows = original.split("\n")
    plain = [
        i for i, text in enumerate(rows) if len(text) > 12 and text[0].isalpha() and not text.endswith(":")
    ]
    for row in rng.sample(plain, min(3, len(plain))):
        for end in range(0, len(rows[row]), 4):
            facts, _ = warm("\n".join([*rows[:row], rows[row][:end], *rows[row + 1 :]]))
            above = {fact for fact in first[0] if fact.span.line <= row and fact.scope == "<module>"}
            assert above <= set(facts), "what stands above a half-typed line keeps its facts"
    assert warm(original) == first
