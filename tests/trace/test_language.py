"""Python itself is the oracle: what programs leave in their globals, run for real and traced."""

from __future__ import annotations

import builtins
import math
import os
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

PROGRAMS = sorted((Path(__file__).parent / "inputs").glob("*.py"))
_SCALARS = (int, float, complex, str, bytes, bytearray, bool, type(None))


def plain(value: Any, depth: int = 6) -> Any:
    """A value as far as it can be compared: what is not made of numbers, texts and tensors is `...`."""
    if type(value) in _SCALARS:
        return "nan" if isinstance(value, float) and math.isnan(value) else value
    if isinstance(value, torch.Tensor):
        return ("tensor", tuple(value.shape), str(value.dtype))
    if depth and isinstance(value, (list, tuple)):
        return (type(value).__name__, *[plain(item, depth - 1) for item in value])
    if depth and isinstance(value, dict):
        return {"dict": [(plain(k, depth - 1), plain(v, depth - 1)) for k, v in value.items()]}
    if isinstance(value, (set, frozenset)):
        return (type(value).__name__, *sorted(map(repr, value)))
    return ...


def differing(real: Any, seen: Any, where: str) -> list[str]:
    """Every place where two plain values differ; a `...` on the real side is like anything."""
    if real is ...:
        return []
    if isinstance(real, tuple) and isinstance(seen, tuple) and len(real) == len(seen):
        return [d for i, (a, b) in enumerate(zip(real, seen)) for d in differing(a, b, f"{where}[{i - 1}]")]
    if isinstance(real, dict) and isinstance(seen, dict) and len(real["dict"]) == len(seen["dict"]):
        pairs = zip(real["dict"], seen["dict"])
        return [d for (k, a), (m, b) in pairs for d in differing((k, a), (m, b), f"{where}[{k!r}]")]
    same = type(real) is type(seen) and real == seen
    return [] if same else [f"{where}: {'unknown' if seen is ... else seen!r} where Python has {real!r}"]


def compared(path: Path, traced: Any) -> list[str]:
    before = dict(sys.modules)
    try:
        real = runpy.run_path(str(path), run_name="__main__")
    finally:
        for name in sys.modules.keys() - before.keys():
            del sys.modules[name]
    found = []
    for name, value in real.items():
        wanted = plain(value)
        if name.startswith("__") or wanted is ... or hasattr(builtins, name):
            continue
        found += differing(wanted, plain(traced.get(name, "nothing")), name)
    return found


@pytest.fixture(scope="session")
def globals_of():
    """A function that gives what a traced program leaves at its top level."""
    from shapewise.trace import one_world, session

    session.prepare()
    run_all = one_world._run_all

    def trace(path: Path) -> dict[str, Any]:
        left: dict[str, Any] = {}

        def run(run: Any, main: Any, body: Any) -> None:
            run_all(run, main, body)
            left.update(main.top().names)

        one_world._run_all = run
        try:
            log = session.trace(os.fspath(path), path.read_text(encoding="utf-8"), {})
        finally:
            one_world._run_all = run_all
        left["<notes>"] = log.notes
        return left

    return trace


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_leaves_what_it_leaves_in_python(path, globals_of):
    assert compared(path, globals_of(path)) == []
