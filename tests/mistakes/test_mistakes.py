"""Common mistakes: each is found at the line where torch raises, in its words, and found once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from shapewise.analysis import Analysis, analyse
from shapewise.host.process import TracerProcess
from shapewise.source import Source

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from snippets import Snippet, really, snippets  # noqa: E402

RAISE = snippets(HERE / "inputs" / "raise.py")

on_one_loop = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module")
def tracer():
    return TracerProcess(sys.executable)


async def analysed(code: str, tracer: TracerProcess) -> Analysis:
    return await analyse(Source("snippet.py", code), tracer)


def test_there_are_many_and_no_two_alike():
    assert len({snippet.title for snippet in RAISE}) == len(RAISE) >= 80


@on_one_loop
@pytest.mark.parametrize("snippet", RAISE, ids=lambda snippet: snippet.title)
async def test_a_mistake_is_one_finding_in_the_words_of_torch(snippet: Snippet, tracer):
    raised = really(snippet.code)
    assert raised is not None, "this runs"
    findings = (await analysed(snippet.code, tracer)).findings
    told = [one for one in findings if one.severity != "hint"]
    assert [(one.span.line, one.torch_error) for one in told] == [(raised.line, raised.message)]
