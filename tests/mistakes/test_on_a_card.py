"""Mixed devices: on a machine without a card each is found at its line, in the words that a card said."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import torch

from shapewise.analysis import analyse
from shapewise.host.process import TracerProcess
from shapewise.source import Source

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]

from snippets import snippets  # noqa: E402

pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a card")

EVERY = [
    one
    for kind in ("ops", "layers", "indices", "dtypes")
    for one in snippets(HERE / "inputs" / f"card_{kind}.py")
]
OTHER_WORDS = frozenset(
    (
        "cosine",
        "cross entropy float target class ids",
        "cross entropy int32 target",
        "numpy of grad",
        "pin memory of cuda",
        "rnn cell",
        "torch.equal",
    )
)
"""Found at their lines, and said otherwise than the card did."""
NOT_FOUND = frozenset(
    (
        "bce under autocast",
        "grad device",
        "optimizer state left behind",
        "randperm generator cuda, cpu perm",
        "scaler half gradients",
        "second card",
        "torch.full_like cross",
    )
)
"""What is not seen yet."""


def test_the_lists_of_what_is_left_are_short():
    """No more of them than were measured."""
    assert len(OTHER_WORDS) + len(NOT_FOUND) < 0.1 * len(EVERY)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_card_would_say_the_same(tracer: TracerProcess, thorough: bool):
    wrong: list[str] = []
    for snippet in EVERY[:: 1 if thorough else 3]:
        said = re.search(r"^# (?:(\d+): (.*)|runs)\n*\Z", snippet.code, re.MULTILINE)
        assert said is not None, snippet.title
        findings = (await analyse(Source("snippet.py", snippet.code), tracer)).findings
        told = [(one.span.line, one.torch_error) for one in findings if one.severity == "error"]
        if snippet.title in NOT_FOUND:
            expected = told == []
        elif snippet.title in OTHER_WORDS:
            expected = [line for line, _ in told] == [int(said[1])]
        else:
            expected = told == ([] if said[1] is None else [(int(said[1]), said[2])])
        if not expected:
            wrong.append(f"{snippet.title}: {told}, really {said[0].strip()}")
    assert not wrong, "\n".join(wrong)
