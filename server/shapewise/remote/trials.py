"""Inputs for functions that nothing calls: those that the trace tried, as far as a real run can bear them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from ..vocabulary.events import Log

_ELEMENTS = 1 << 24
"""Of one tensor that is made up: 64 MB of floats."""
_WIDTH = 4096
"""The largest whole number that a constructor is given: it is often a width, of which a layer has the square."""
_PREFERRED = (0, 2, 1)
"""The runs in the order of their sizes: of the second all numbers are larger."""


def trials_of(log: Log, name: str | None = None) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """What can be called, small sizes first, and by name why something cannot. `name`: only what it names."""
    runs: dict[int, list[dict[str, Any]]] = {0: [], 1: [], 2: []}
    refused: dict[str, str] = {}
    for frame in log.frames:
        if not frame.tried or frame.file != log.file:
            continue
        forms = [json.loads(one) for one in frame.tried]
        scope = ".".join(filter(None, (forms[0]["name"], forms[0]["method"])))
        if name is not None and not (scope == name or scope.startswith(f"{name}.")):
            continue
        if "unknown" in forms[0]:
            refused.setdefault(scope, forms[0]["unknown"])
            continue
        for number, form in enumerate(forms):
            if number == 0 or _is_bearable(form):
                runs[number].append(form)
    return [form for number in _PREFERRED for form in runs[number]], refused


def _is_bearable(form: dict[str, Any]) -> bool:
    return all(
        math.prod(one["tensor"]) <= _ELEMENTS if "tensor" in one else abs(one["value"]) <= _WIDTH
        for one in _leaves([*form["constructor"].values(), *form["inputs"].values()])
    )


def _leaves(forms: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for form in forms:
        if "tensor" in form or "value" in form and type(form["value"]) is int:
            yield form
        for inner in ("list", "tuple"):
            yield from _leaves(form.get(inner, []))
        yield from _leaves([*form.get("fields", {}).values()])
