"""What is told of what only data decides holds for all data: each expression is run for real on several.

Lengths that data decides are two or more here: of one row or none no more is said than that.
"""

from __future__ import annotations

import contextlib
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

INPUTS = Path(__file__).with_name("inputs")
PARTS = 6
"""Traces of a long file are cut off."""
MASKS = ((1, 0, 1, 1, 0), (1, 0, 0, 1, 0), (1, 1, 1, 1, 1))
TEXTS = (
    "one two three four five\nsix sevenn a\n",
    "aa b cccc\ndd eeeeee f gg hh\nii jjj\nkkkk l\n",
    "hello big world of\nwords and more\n" * 3,
)
EITHER = {
    "of another float": ("torch.randn(5, 4)", "torch.randn(5, 4, dtype=torch.float64)"),
    "of integers": ("torch.arange(20).view(5, 4)", "torch.randn(5, 4)"),
    "of truth values": ("torch.randn(5, 4) > 0", "torch.randn(5, 4)"),
    "with other rows": ("torch.randn(5, 4)", "torch.randn(3, 4)"),
    "with one row": ("torch.randn(5, 4)", "torch.randn(1, 4)"),
    "with other columns": ("torch.randn(5, 4)", "torch.randn(5, 6)"),
    "of another rank": ("torch.randn(5, 4)", "torch.randn(2, 5, 4)"),
    "that lies otherwise": ("torch.randn(5, 4)", "torch.randn(4, 5).t()"),
    "that is expanded": ("torch.randn(5, 4)", "torch.randn(1, 4).expand(5, 4)"),
    "that requires grad": ("torch.randn(5, 4)", "torch.randn(5, 4, requires_grad=True)"),
}


def read(name: str) -> tuple[str, list[str]]:
    head, _, lines = (INPUTS / name).read_text("utf-8").partition("---\n")
    return head, [f"r{number} = {line}" for number, line in enumerate(lines.splitlines())]


def really(head: str, lines: Sequence[str]) -> dict[str, Any]:
    """The names of a real run; of what raises there, none."""
    names: dict[str, Any] = {}
    exec(head, names)
    for line in lines:
        try:
            exec(line, names)
        except (RuntimeError, TypeError, ValueError, IndexError, ZeroDivisionError, NotImplementedError):
            continue
    return names


def wrong(value: Any, real: Any, numbers: dict[str, int]) -> Iterator[str]:
    """What is told of a tensor and is not so."""
    if value.shape is None:
        return
    if len(value.shape) != real.dim():
        yield f"{value.shape}, really {list(real.shape)}"
        return
    for told, size in zip(value.shape, real.shape):
        if isinstance(told, str):
            with contextlib.suppress(NameError):  # a word of no number of the file's
                told = eval(told, {}, numbers)
        if isinstance(told, int) and told != size:
            yield f"{value.shape}, really {list(real.shape)}"
    steps = zip(value.stride or (), real.stride(), real.shape)
    if any(isinstance(told, int) and told != step and size > 1 for told, step, size in steps):
        yield f"stride {value.stride}, really {real.stride()}"
    for fact, true in (
        ("dtype", str(real.dtype)[6:]),
        ("contiguous", real.is_contiguous()),
        ("requires_grad", real.requires_grad),
    ):
        if getattr(value, fact) not in (None, true):
            yield f"{fact} {getattr(value, fact)}, really {true}"


def held(traced: Any, lines: Sequence[str], runs: Sequence[dict[str, Any]]) -> int:
    """How many of the names are known. Fails where something is told that is not so in one of the runs."""
    known, found = 0, []
    for line in lines:
        name = line.partition(" ")[0]
        value = traced.fact(name).value if traced.knows(name) else None
        known += value is not None and value.shape is not None
        for run in runs if value is not None else ():
            if isinstance(real := run.get(name), torch.Tensor):
                numbers = {key: one for key, one in run.items() if type(one) is int}
                found += [f"{line}: {one}" for one in wrong(value, real, numbers)]
    assert not found, "\n".join(found)
    return known


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("part", range(PARTS))
def test_rows_that_a_mask_takes(trace, part):
    head, lines = read("of_masks.txt")
    lines = lines[part::PARTS]
    runs = [really(head.replace("torch.rand(5) > 0.5", f"torch.tensor({mask}) > 0"), lines) for mask in MASKS]
    assert held(trace(head + "\n".join(lines)), lines, runs) > 0.85 * len(lines)


def test_lists_of_what_a_file_says(trace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    head, lines = read("of_lists.txt")
    runs = []
    for text in TEXTS:
        Path("data.txt").write_text(text)
        runs.append(really(head, lines))
    assert held(trace(head + "\n".join(lines)), lines, runs) > 140


def test_loops_over_what_a_file_says(trace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    head, _, rest = (INPUTS / "of_loops.txt").read_text("utf-8").partition("---\n")
    bodies = [textwrap.indent(body, "    ") for body in rest.strip("\n").split("\n===\n")]
    lines = [f"def f{at}():\n{body}\n    return x\nr{at} = f{at}()" for at, body in enumerate(bodies)]
    runs = []
    for text in TEXTS:
        Path("data.txt").write_text(text)
        runs.append(really(head, lines))
    known = 0
    for part in range(PARTS):
        some = {f"r{at}": line for at, line in enumerate(lines) if at % PARTS == part}
        traced = trace(head + "\n".join(some.values()) + "\n")
        known += held(traced, [f"{name} = loop" for name in some], runs)
    assert known > 0.6 * len(lines)


@pytest.mark.parametrize("other", EITHER)
def test_one_of_two_tensors(trace, other):
    head, lines = read("of_either.txt")
    ways = dict(zip("ab", EITHER[other]))
    runs = [really(head.format(flag=flag, **ways), lines) for flag in (True, False)]
    traced = trace(head.format(flag="torch.rand(1).item() > 0.5", **ways) + "\n".join(lines))
    assert held(traced, lines, runs) > (10 if other == "of another rank" else 130)


def test_known_indices_lie_within_a_size_that_data_decides(trace):
    traced = trace(
        """
import os, pickle
import torch
from torch import nn
size = None
if os.path.exists("meta.pkl"):
    with open("meta.pkl", "rb") as file:
        size = pickle.load(file)["vocab_size"]
embedding = nn.Embedding(size if size is not None else 300, 8)
ids = torch.tensor([[7, 3, 90]])
e = embedding(ids)
row = embedding.weight[torch.tensor([5, 70])]
of_few = nn.Embedding(7, 8)(torch.tensor([[7, 3]]))
"""
    )
    assert traced.shape("e") == (1, 3, 8) and traced.shape("row") == (2, 8)
    assert [line for line, _ in traced.failures()] == [12]
