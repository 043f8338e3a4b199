"""shapewise against real torch: every tensor of these files, and nothing wrong of any."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from compare import ATTRIBUTES, HEADER, Score, compare  # noqa: E402

INPUTS = sorted(path for path in (HERE / "inputs").iterdir() if path.suffix in (".py", ".ipynb"))
STRETCH = sorted((HERE / "inputs" / "stretch").glob("*.py"))

# Findings that are right: the notes make this mistake on purpose.
MEANT = {
    "torch_autograd.py": {"autograd-variable"},
    "karpathy_notes.py": {"reduction-broadcast-back", "view-used-as-transpose", "naive-softmax"},
    "karpathy_notes.ipynb": {"reduction-broadcast-back", "view-used-as-transpose", "naive-softmax"},
}

pytestmark = [pytest.mark.truth, pytest.mark.slow]


@lru_cache
def truths_of(paths: tuple[Path, ...], folder: Path) -> dict[Path, dict[str, Any]]:
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, str(HERE / "recorder.py"), str(folder), *map(str, paths)]
    subprocess.run(command, check=True, cwd=folder, env=environment, timeout=600)
    return {
        path: json.loads((folder / f"{path.name}.truth.json").read_text(encoding="utf-8")) for path in paths
    }


@lru_cache
def facts_of(paths: tuple[Path, ...]) -> dict[Path, dict[str, Any]]:
    command = [
        sys.executable,
        "-m",
        "shapewise",
        "facts",
        "--json",
        "--interpreter",
        sys.executable,
        *map(str, paths),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == len(paths), done.stderr
    facts = {}
    for path, line in zip(paths, lines):
        line.setdefault("facts", [])
        line.setdefault("findings", [])
        facts[path] = line
    return facts


def score_of(path: Path, folder: Path) -> tuple[Score, list[str]]:
    group = tuple(INPUTS) if path in INPUTS else tuple(STRETCH)
    facts, truth = facts_of(group)[path], truths_of(group, folder)[path]
    if "could not create a primitive" in (truth["error"] or ""):
        pytest.skip(f"{path.name}: oneDNN lacks a kernel of it for this processor")
    assert truth["error"] is None, f"{path.name} does not run: {truth['error']}"
    findings = [
        f"{found['line']}: {found['rule']}: {found['message']}"
        for found in facts["findings"]
        if found["rule"] not in MEANT.get(path.name, ()) and found["severity"] in ("error", "warning")
    ]
    if "error" in facts:
        findings.append(f"no facts: {facts['error']}")
    return compare(truth, facts), findings


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("truth")


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.name)
def test_all_is_known_and_nothing_is_wrong(path, folder, capsys):
    score, findings = score_of(path, folder)
    with capsys.disabled():
        print(f"\n{HEADER}\n{score.row(path.name)}")
    assert not score.faults, "\n".join(score.faults)
    assert not findings, "\n".join(findings)
    assert not score.gaps, "\n".join(score.gaps)


@pytest.mark.thorough
def test_the_yardstick_of_what_comes_next(folder, capsys):
    """Measured and shown, and held to no more than being right nearly always."""
    total, rows = Score(), [HEADER]
    for path in STRETCH:
        score, findings = score_of(path, folder)
        rows.append(score.row(path.name) + "".join(f"\n    false finding, {found}" for found in findings))
        rows += [f"    wrong: {fault}" for fault in score.faults]
        total.observed += score.observed
        total.stated += score.stated
        total.right += score.right
    with capsys.disabled():
        print("\n" + "\n".join([*rows, total.row("all")]))
    assert all(total.precision(attribute) >= 0.95 for attribute in ATTRIBUTES)


def test_a_comparison_sees_faults_and_gaps():
    real = {"type": "tensor", "shape": [2, 3], "dtype": "float32", "device": "cpu", "stride": [3, 1]}
    real |= {"contiguous": True, "requires_grad": False}
    place = {"kind": "binding", "scope": "<module>", "line": 1, "column": 0, "name": "x", "seen": [real]}
    good = {
        **{key: place[key] for key in ("kind", "line", "column", "name")},
        **real,
        "why": None,
        "variants": [],
    }

    def score(**changes: Any) -> Score:
        return compare({"places": [place]}, {"facts": [{**good, **changes}]})

    assert score().recall("shape") == score().precision("stride") == 1
    assert score(shape=[2, 4]).faults == ["shape of 1:0 <module> x: stated [2, 4], really [[2, 3]]"]
    assert score(shape=["B", 3]).gaps and not score(shape=["B", 3]).faults
    assert score(shape=["B", 4]).faults
    assert score(device="cuda:0").faults
    assert len(score(name="y").gaps) == len(ATTRIBUTES)
