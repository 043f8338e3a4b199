"""Random edits of real files: no exception, no position that is not there, and nothing left of what was before.

A small part in the suite; `SHAPEWISE_FUZZ=10000 pytest tests/fuzz/test_positions.py` makes as many edits, others with
`SHAPEWISE_FUZZ_SEED=7`.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from shapewise.host.process import TracerProcess
from shapewise.queries.facts import facts_of
from shapewise.repair import repair
from shapewise.rules import check
from shapewise.vocabulary.facts import Fact
from shapewise.vocabulary.findings import Finding
from shapewise.vocabulary.span import Span

ROOT = Path(__file__).parents[2]
EDITS = int(os.environ.get("SHAPEWISE_FUZZ", "40"))
SEED = int(os.environ.get("SHAPEWISE_FUZZ_SEED", "0"))
VERSIONS = 5
"""Edits, one upon the other, between two comparisons."""
ROW = re.compile(r"\r\n|\r|\n")
GARBAGE = (
    "\0",
    "\x1b[0m",
    "\ufeff",
    "é😀𝕏",
    "\t\t \t",
    "\r\n",
    "\r",
    "\f",
    '"""',
    "'''",
    "f'{",
    "((((",
    "]]}",
    "\\\n",
    "<<<<<<< HEAD\n=======\n>>>>>>> main\n",
    "match x:\n case _:\n",
    "async def f():\n\tawait x\n",
    "class A(nn.Module):\n    pass\n",
    "del x\n",
    "global x\n",
    "return\n",
    "x = x.view(-1)\n",
    "import torch as nn\n",
    "from . import *\n",
    "raise\n",
    "while True: x = x @ x.T\n",
    "lambda: (yield)\n",
    "x: int = nonlocal\n",
)

_UNFINISHED = "not all functions"
"""Noted where the time for functions that nobody calls has run out: the next trace may come further."""

pytestmark = pytest.mark.slow


def real_files() -> list[Path]:
    """Fifty files of several hands: ours, model code of the truth tests, torch's own layers and optimizers."""
    torch = importlib.util.find_spec("torch")
    assert torch is not None and torch.origin is not None
    home = Path(torch.origin).parent
    ours = [*(ROOT / "examples").glob("*.py"), *(ROOT / "tests/truth/inputs").glob("*.py")]
    theirs = [*sorted((home / "nn/modules").glob("*.py")), *sorted((home / "optim").glob("*.py"))]
    found = [path for path in [*sorted(ours), *theirs] if 300 < path.stat().st_size < 60_000]
    return found[:50]


FILES = real_files()


def versions(text: str, rng: random.Random) -> Iterator[str]:
    """Each the one before after one edit: a letter, a line, a cut at any place, a paste of anything."""
    for _ in range(VERSIONS):
        rows = text.split("\n")
        at, row = rng.randrange(len(text) + 1), rng.randrange(len(rows))
        kind = rng.randrange(7)
        if kind == 0:
            text = text[:at] + rng.choice("()[]{}:=,. \n\t'\"#@0x_é") + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + rng.choice((1, 1, 3, 20)) :]
        elif kind == 2:
            text = text[:at] + rng.choice(GARBAGE) + text[at:]
        elif kind == 3:
            text = text[:at]
        elif kind == 4:
            other = FILES[rng.randrange(len(FILES))].read_text(encoding="utf-8").split("\n")
            start = rng.randrange(len(other))
            text = "\n".join([*rows[:row], *other[start : start + rng.choice((1, 5, 30))], *rows[row:]])
        elif kind == 5:
            text = "\n".join(rows[:row] + rows[row + rng.choice((1, 2, 10)) :])
        else:
            text = text.replace("\n", rng.choice(("\r\n", "\n", "\n")))
        yield text


class Tracer:
    """A tracer to call without waiting."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.process = TracerProcess(sys.executable, limit=240, patience=1)

    def __call__(self, text: str) -> tuple[tuple[Fact, ...], tuple[Finding, ...], bool]:
        repaired = repair(text)
        log = self.loop.run_until_complete(self.process.trace("fuzzed.py", repaired))
        return (
            facts_of(log),
            check(log, repaired.text),
            log.cut is None and not any(_UNFINISHED in n for n in log.notes),
        )

    def close(self) -> None:
        self.loop.run_until_complete(self.process.close())
        self.loop.close()


@pytest.fixture(scope="module")
def tracers() -> Iterator[tuple[Tracer, Tracer]]:
    """One that sees every version, and one that sees the last of a few only."""
    both = Tracer(), Tracer()
    yield both
    for tracer in both:
        tracer.close()


def is_in(span: Span, rows: list[str]) -> bool:
    """Whether a place is one of the text."""
    if not 1 <= span.line <= span.end_line <= len(rows):
        return False
    if not (
        0 <= span.column <= len(rows[span.line - 1]) and 0 <= span.end_column <= len(rows[span.end_line - 1])
    ):
        return False
    return (span.line, span.column) <= (span.end_line, span.end_column)


def misplaced(text: str, facts: tuple[Fact, ...], findings: tuple[Finding, ...]) -> list[object]:
    """What is said of a place that is not there, or of a name that stands elsewhere."""
    rows = ROW.split(text)
    wrong: list[object] = []
    for fact in facts:
        if not is_in(fact.span, rows):
            wrong.append(fact)
        elif fact.kind in ("binding", "parameter") and fact.span.line == fact.span.end_line:
            written = rows[fact.span.line - 1][fact.span.column : fact.span.end_column]
            if fact.name.isidentifier() and written.lstrip("*") != fact.name:
                wrong.append((written, fact))
    return wrong + [finding for finding in findings if not is_in(finding.span, rows)]


@settings(
    max_examples=max(1, EDITS // VERSIONS),
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(number=st.integers(0, len(FILES) - 1), seed=st.integers(0, 2**32))
def test_edits_leave_nothing_behind(tracers, number, seed):
    many, few = tracers
    rng = random.Random(seed + SEED)
    text, answer = "", None
    for edited in versions(FILES[number].read_text(encoding="utf-8"), rng):
        text, answer = edited, many(edited)
        assert not misplaced(text, *answer[:2])
    fresh = few(text)
    if answer is not None and answer[2] and fresh[2]:  # one that was cut may have got further
        assert answer == fresh


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py"))[:2], ids=lambda path: path.stem)
def test_cut_at_any_byte(path, tracers):
    data = path.read_bytes()
    step = max(1, len(data) * 5 // EDITS) if EDITS < 1000 else 1
    for end in range(0, len(data), step):
        text = data[:end].decode("utf-8", "replace")
        facts, findings, _ = tracers[0](text)
        assert not misplaced(text, facts, findings), text[-80:]


def test_there_are_enough_files():
    assert len(FILES) == 50
