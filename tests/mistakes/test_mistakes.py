"""Common mistakes: each is found at the line where torch raises, in its words, and found once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shapewise.analysis import Analysis, analyse
from shapewise.host.process import TracerProcess
from shapewise.source import Source

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "rules")]

from apart import Apart  # noqa: E402
from snippets import Snippet, really, snippets  # noqa: E402

RAISE = [
    one for kind in ("shapes", "layers", "dtypes") for one in snippets(HERE / "inputs" / f"raise_{kind}.py")
]
PEOPLE = [
    one
    for kind in ("shapes", "sizes", "dtypes", "graphs")
    for one in snippets(HERE / "inputs" / f"people_{kind}.py")
]
"""As people write them: whole models, whose cause lies elsewhere than the line that raises."""
SILENT = snippets(HERE / "inputs" / "silent.py")
"""What runs, and is wrong at the line that is marked."""


@pytest.fixture(scope="module")
def apart() -> Iterator[Apart]:
    runner = Apart()
    yield runner
    runner.close()


on_one_loop = pytest.mark.asyncio(loop_scope="session")


async def analysed(code: str, tracer: TracerProcess) -> Analysis:
    return await analyse(Source("snippet.py", code), tracer)


def test_there_are_many_and_no_two_alike():
    every = [*RAISE, *PEOPLE, *SILENT]
    assert len({snippet.title for snippet in every}) == len(every)
    assert len(RAISE) >= 80 and len(PEOPLE) + len(SILENT) >= 35


@on_one_loop
@pytest.mark.parametrize("snippet", [*RAISE, *PEOPLE], ids=lambda snippet: snippet.title)
async def test_a_mistake_is_one_finding_in_the_words_of_torch(snippet: Snippet, tracer):
    raised = really(snippet.code)
    assert raised is not None, "this runs"
    findings = (await analysed(snippet.code, tracer)).findings
    told = [one for one in findings if one.severity != "hint"]
    assert [(one.span.line, one.torch_error) for one in told] == [(raised.line, raised.message)]


@on_one_loop
@pytest.mark.parametrize("snippet", SILENT, ids=lambda snippet: snippet.title)
async def test_what_is_silently_wrong_is_one_warning_at_its_line(snippet: Snippet, tracer, apart, tmp_path):
    outcome = apart.run(snippet.code, str(tmp_path))
    assert not outcome.raised, outcome.story
    marked = [number for number, line in enumerate(snippet.code.split("\n"), 1) if line.endswith("# <-")]
    told = [one for one in (await analysed(snippet.code, tracer)).findings if one.severity != "hint"]
    assert [(one.span.line, one.severity) for one in told] == [(line, "warning") for line in marked]


@on_one_loop
async def test_nearly_every_one_of_people_has_a_cause_elsewhere_and_most_have_a_fix(tracer):
    """A number of a call that nobody bound has no place of its own."""
    told = [
        one
        for snippet in (*PEOPLE, *SILENT)
        for one in (await analysed(snippet.code, tracer)).findings
        if one.severity != "hint"
    ]
    assert sum(bool(one.related) for one in told) >= 0.85 * len(told)
    assert sum(bool(one.fixes) for one in told) >= 0.6 * len(told)


@on_one_loop
async def test_what_was_meant_is_known_below_a_mistake(tracer):
    code = """\
import torch
from torch import nn
import torch.nn.functional as F
a = nn.Linear(256, 120)(torch.randn(4, 400))
b = nn.Conv2d(3, 8, 3)(torch.rand(2, 16, 16, 3))
c = torch.randn(2, 5) @ torch.randn(3, 4)
d = F.cross_entropy(torch.randn(8, 10), torch.randint(0, 10, (8, 1)))
e = nn.Linear(10, 2)(torch.randn(4, 10, dtype=torch.float64))
f = nn.Linear(784, 10)(torch.rand(16, 1, 28, 28))
"""
    analysis = await analysed(code, tracer)
    assert [one.span.line for one in analysis.findings] == [4, 5, 6, 7, 8, 9]
    shapes = {fact.name: fact.value.shape for fact in analysis.facts if fact.kind == "binding"}
    assert shapes == {"a": (4, 120), "b": (2, 8, 14, 14), "c": (2, 4), "d": (), "e": (4, 2), "f": (16, 10)}
