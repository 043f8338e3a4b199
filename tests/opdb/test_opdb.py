"""Torch's own test inputs, all that it refuses and a part of those it runs: shapewise says what real torch says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("expecttest", reason="torch's testing modules import it")

MEASURE = Path(__file__).resolve().parent / "measure.py"

pytestmark = [pytest.mark.truth, pytest.mark.slow]


def measured(*arguments: str) -> tuple[dict[str, int], str]:
    """What came out how often. In a process of its own: a tracer patches torch."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, str(MEASURE), *arguments, "-v"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    rows = re.findall(r"^(\w+) +(\d+) +[\d.]+ %$", done.stdout, re.MULTILINE)
    return {outcome: int(count) for outcome, count in rows}, done.stdout


def test_what_torch_refuses_is_refused_in_its_words():
    counts, shown = measured("errors")
    total = sum(counts.values())
    assert total > 600
    assert counts["same"] + counts.get("worded", 0) >= 0.99 * total, shown
    assert counts["same"] >= 0.97 * total, shown


def test_integers_and_truth_values_are_refused_where_torch_refuses_them():
    """Not halves: what a CPU has no kernel for, a card has. Nor a division by a zero that nobody knows."""
    counts, shown = measured("dtypes", "part=0.4")
    assert sum(counts.values()) > 500
    assert counts["same"] >= 0.83 * sum(counts.values()), shown
    missed = [line for line in shown.splitlines() if line.startswith("missed: ") and "'Half'" not in line]
    assert len(missed) <= 0.03 * sum(counts.values()), shown


def test_what_torch_runs_is_not_refused_and_comes_out_alike():
    counts, shown = measured("samples", "part=0.3")
    assert counts["equal"] > 900
    assert not counts.get("refused"), shown
    assert counts["equal"] >= 0.999 * (counts["equal"] + counts.get("differs", 0)), shown
    assert not counts.get("unknown"), shown
    assert counts["open"] < 0.03 * sum(counts.values()), shown


@pytest.mark.thorough
def test_where_tensors_may_stand_is_what_a_card_said():
    """Recorded on a card, told on none: one tensor of each call left on the CPU."""
    command = [sys.executable, str(MEASURE.with_name("devices.py")), "compare", "-v"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=1500, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    )
    assert done.returncode == 0, done.stderr[-3000:]
    mixed = done.stdout.rpartition("one on the CPU:")[2]
    counts = {outcome: int(count) for outcome, count in re.findall(r"^ +(\w+) +(\d+) ", mixed, re.MULTILINE)}
    refused = sum(counts[outcome] for outcome in ("same", "worded", "missed", "unknown"))
    assert refused > 2500
    assert counts["same"] >= 0.92 * refused, done.stdout
    assert counts["missed"] <= 0.04 * refused, done.stdout
    assert counts["refused"] + counts.get("elsewhere", 0) <= 0.002 * sum(counts.values()), done.stdout
