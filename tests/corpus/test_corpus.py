"""A quick part of the corpus: nothing wrong, and no less known than before.

The whole of it is measured by `measure.py`; docs/corpus.md says how.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import entries  # noqa: E402
import measure  # noqa: E402
from counting import OTHERS, Tally, by_place, compare  # noqa: E402

QUICK = "byol_ema fft func_transforms gp_opt hooks_gradcam lora_finetune mdn meta minigpt swin_window vae views vit"
RECALL = 0.95
PRECISION = 0.99
"""Of dtype and the others; of the shapes none may be wrong."""


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> list[measure.Measured]:
    chosen = [entry for entry in entries.entries() if entry.name in QUICK.split()]
    assert len(chosen) == len(QUICK.split())
    truths = [entries.truth_of(entry) for entry in chosen]
    return asyncio.run(measure.measure(chosen, truths, sys.executable))


@pytest.mark.truth
def test_nothing_is_wrong_and_most_is_known(results, capsys):
    total = Tally()
    for one in results:
        total += one.tally
    with capsys.disabled():
        print("\n" + measure.table([*measure.rows_of(results), ("all", total, "")]))
    wrong = [line for one in results for line in measure.details(one).split("\n") if "WRONG" in line]
    assert not total["WRONG"], "\n".join(wrong)
    assert not [error for one in results for error in one.false_errors]
    assert all(total.precision(key) >= PRECISION for key in OTHERS), "\n".join(wrong)
    assert total.recall() >= RECALL


def test_each_script_says_what_it_needs():
    known = {entry.name for entry in entries.entries()}
    pins = {line.partition("==")[0] for line in entries.PACKAGES.read_text("utf-8").split()}
    assert set((HERE / "held_out.txt").read_text("utf-8").split()) <= known
    for entry in entries.entries():
        assert set(entry.needs) <= pins, f"{entry.name} needs what packages.txt does not pin"


def site(kind="binding", name="x", line=2, **seen):
    real = {"type": "tensor", "shape": [4, 3], "dtype": "float32", "device": "cpu", "stride": [3, 1]}
    real |= {"contiguous": True, "requires_grad": False, "call": 1, **seen}
    return {
        "file": "/a.py",
        "kind": kind,
        "scope": "f",
        "line": line,
        "column": 4,
        "name": name,
        "seen": [real],
    }


def fact(name="x", line=2, **said):
    return {"name": name, "line": line, "column": 4, "variants": [], **site()["seen"][0], **said}


def verdicts(sites, *facts):
    return [
        judged.verdict
        for judged in compare({"sites": sites}, by_place({"file": "/a.py", "facts": facts})).judged
    ]


def test_a_tensor_is_right_wrong_vague_or_missing():
    assert verdicts([site()], fact()) == ["right"]
    assert verdicts([site()], fact(shape=[4, 2])) == ["WRONG"]
    assert verdicts([site()], fact(shape=[4, None])) == verdicts([site()], fact(shape=None)) == ["vague"]
    assert verdicts([site()], fact(line=3)) == ["missing"]
    both = [site()["seen"][0], {**site()["seen"][0], "shape": [5, 3]}]
    assert verdicts(
        [{**site(), "seen": both}], fact(shape=[None, 3], variants=[fact(), fact(shape=[5, 3])])
    ) == ["right"]


def test_a_symbol_is_one_number_of_a_call():
    parameter, number = site("parameter", "y", line=1), site("binding", "n", line=1)
    number["seen"] = [{"type": "int", "value": 2, "call": 1}]
    named = fact("y", line=1, shape=["B", 3])
    assert verdicts([parameter, site()], named, fact(shape=["B", 3])) == ["right", "right"]
    assert verdicts([parameter, site()], named, fact(shape=["B + 1", 3])) == ["right", "WRONG"]
    assert verdicts([number, site()], fact(shape=["2*n", 3])) == ["right"]
    assert verdicts([site()], fact(shape=["nobody", 3])) == ["vague"]


def test_a_fact_of_another_module_is_found_there():
    elsewhere = fact(file="/b.py")
    assert verdicts([{**site(), "file": "/b.py"}], elsewhere) == ["right"]
    assert verdicts([site()], elsewhere) == ["missing"]
