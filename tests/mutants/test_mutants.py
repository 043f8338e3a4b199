"""A few mutants of a few scripts: what raises is found where it raises, what runs has no error."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import measure_mutants  # noqa: E402
from mutate import mutants  # noqa: E402

QUICK = ("contrastive", "mdn", "vae")


@pytest.mark.truth
@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each mutant runs in a process of its own")
def test_what_is_broken_is_found_at_its_line():
    chosen = [path for path in measure_mutants.scripts() if path.stem in QUICK]
    score = asyncio.run(measure_mutants.measure(chosen, each=3, seed=2))
    shown = "\n".join([*score.lines, str(dict(score.counts))])
    assert score.counts["raise"] >= 6, shown
    assert score.share("found", "raise") >= 0.9, shown
    assert score.share("findings", "raise") <= 1.2, shown
    assert not score.counts["false errors"], shown


def test_a_mutant_is_one_change_that_parses():
    text = "x = torch.randn(4, 3)\nw = x / x.sum(1, keepdim=True)\ny = nn.Linear(3, 5)(x.float())\n"
    made = mutants(text, 20)
    assert {one.kind for one in made} == {"width", "keepdim", "dtype"}
    for one in made:
        before, after = text.split("\n"), one.text.split("\n")
        assert [i for i, (a, b) in enumerate(zip(before, after), 1) if a != b] == [one.line]
