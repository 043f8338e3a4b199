"""A quick part of the modules that nobody calls: nothing wrong, no finding, and no less known than before.

All of them are measured by `measure_classes.py`; docs/corpus.md says how.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import entries  # noqa: E402
import measure_classes  # noqa: E402
import samples  # noqa: E402
from counting import OTHERS, Tally  # noqa: E402
from measure import details  # noqa: E402

QUICK = "attention classic_cnn gpt recurrent vae"
RECALL = {"alone": 0.65, "called": 0.97, "entry": 0.97}
"""What is known at least, of shapes."""
PRECISION = {"alone": 0.98, "called": 1.0, "entry": 1.0}
"""How much of it is right at least. Inputs that are made up are wrong where a default decides a shape."""


@pytest.fixture(scope="module", params=RECALL)
def results(request):
    chosen = [sample for sample in samples.samples() if sample.name in QUICK.split()]
    assert len(chosen) == len(QUICK.split())
    return request.param, measure_classes.run(chosen, request.param, jobs=1)


@pytest.mark.truth
def test_nothing_is_wrong_and_most_is_known(results, capsys):
    mode, measured = results
    with capsys.disabled():
        print(f"\n{mode}\n{measure_classes.table(measure_classes.rows(measured))}")
    total = Tally()
    for one in measured:
        total += one.tally
    problems = "\n".join(line for one in measured for line in details(one).split("\n") if "WRONG" in line)
    wanted = PRECISION[mode]
    assert total["shape right"] >= wanted * (total["shape right"] + total["WRONG"]), problems
    if wanted == 1.0:
        assert not total["names wrong"], [measure_classes.wrong_names(one) for one in measured]
    for key in OTHERS if wanted == 1.0 else ("dtype", "device"):
        assert total[f"{key} right"] == total[f"{key} stated"], problems
    assert not [error for one in measured for error in (*one.false_errors, one.error) if error]
    assert total.recall() >= RECALL[mode]


def test_the_samples_fit_together():
    every = samples.samples()
    names = {sample.name for sample in every}
    pins = {line.partition("==")[0] for line in entries.PACKAGES.read_text("utf-8").split()}
    modules = {file.stem for file in (samples.CLASSES / "modules").glob("*.py")}
    assert modules == {sample.name for sample in every if sample.copy is None}
    assert set((samples.CLASSES / "held_out.txt").read_text("utf-8").split()) <= names
    assert all(set(sample.needs) <= pins for sample in every)


def test_no_file_calls_what_it_defines():
    for file in (samples.CLASSES / "modules").glob("*.py"):
        for statement in ast.parse(file.read_text("utf-8")).body:
            assert isinstance(
                statement,
                (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef, ast.Assign, ast.Expr),
            ), f"{file.name}:{statement.lineno}"
