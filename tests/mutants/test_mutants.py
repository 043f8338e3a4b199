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
from mutate import Mutant, mutants  # noqa: E402
from originals import originals  # noqa: E402

QUICK = ("script-vit",)


@pytest.mark.truth
@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each mutant runs in a process of its own")
def test_what_is_broken_is_found_at_its_line():
    chosen = [one for one in originals(packages=False) if one.name in QUICK]
    score = asyncio.run(measure_mutants.measure(chosen, each=6, seed=0, packages=False))
    shown = "\n".join([*score.lines, measure_mutants.table(score)])
    assert score["raises"] >= 3, shown
    assert score.share("found", "raises") >= 0.95, shown
    assert score.share("findings", "raises") <= 1.1, shown
    assert score["silent"] and score.share("silent found", "silent") >= 0.8, shown
    assert not score["false"], shown


def test_what_runs_is_silently_wrong_only_if_other_numbers_come_out_in_the_same_shapes():
    text = "import torch\nx = torch.rand(3, 3)\ny = x / x.sum(1, keepdim=True)\nz = x.mean(dim=0)\n"
    made = {
        "silent": Mutant(text.replace("keepdim=True", "keepdim=False"), "keepdim", 3, ""),
        "same": Mutant(text.replace("x.mean", "x.float().mean"), "dtype", 4, ""),
        "told": Mutant(text.replace("x.mean(dim=0)", "x.mean(dim=(0, 1))"), "dim", 4, ""),
        "raises": Mutant(text.replace("dim=0", "dim=2"), "dim", 4, ""),
        "": Mutant(text.replace("(3, 3)", "(3, 4)"), "width", 2, ""),
    }
    before, *labels = measure_mutants.labelled([text, *(one.text for one in made.values())])
    assert labels[3]["line"] == 4 and labels[3]["type"] == "IndexError"
    for what, mutant, label in zip(made, made.values(), labels):
        assert measure_mutants.verdict(mutant, label, before, before) == what


def test_a_mutant_is_one_change_that_parses():
    text = "x = torch.randn(4, 3)\nw = x / x.sum(1, keepdim=True)\ny = nn.Linear(3, 5)(x.float())\n"
    made = mutants(text, 20)
    assert {one.kind for one in made} == {"width", "keepdim", "dtype", "dim"}
    for one in made:
        before, after = text.split("\n"), one.text.split("\n")
        assert [i for i, (a, b) in enumerate(zip(before, after), 1) if a != b] == [one.line]
