"""What stood at each place while the code ran. Only descriptions are kept: no tensor lives longer for it."""

from __future__ import annotations

import dataclasses
import sys
import threading
import time
import weakref
from collections import Counter
from types import FrameType
from typing import Any

import torch

DISTINCT = 12
"""Different values that are kept of one place."""
_ALIKE = 3
"""Calls in which an equal value is kept too: a name for a dim may stand for something else there."""
_NUMBERS = 64
"""Whole numbers that are kept of one place: what names of dims stand for."""
_OFTEN = 1000
"""Visits after which only every sixteenth is looked at, if it is no tensor: containers cost more than a glance."""
_ITEMS = 64
_DEPTH = 3
_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


def describe(value: Any, depth: int = 0) -> dict[str, Any] | None:
    """A tensor or a container that holds some; None for anything else."""
    if isinstance(value, torch.Tensor):
        if value.layout is not torch.strided:
            return None
        return {
            "type": "tensor",
            "shape": list(value.shape),
            "dtype": str(value.dtype)[6:],
            "device": str(value.device),
            "stride": list(value.stride()),
            "contiguous": value.is_contiguous(),
            "requires_grad": value.requires_grad,
        }
    if depth >= _DEPTH:
        return None
    names: list[str] | None = None
    if isinstance(value, (tuple, list)):
        items = list(value[:_ITEMS])
        names = list(getattr(value, "_fields", ())) or None
    elif isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            return None
        names, items = list(value), list(value.values())
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if hasattr(value, field.name)]
        items = [getattr(value, name) for name in names]
    else:
        return None
    if len(items) > _ITEMS or isinstance(value, (tuple, list)) and len(value) > _ITEMS:
        return None
    found = [describe(item, depth + 1) for item in items]
    if not any(found):
        return None
    return {"type": "group", "items": found, "keys": names}


def _key(value: Any) -> Any:
    """What is quick to ask of a tensor, and tells its description from others."""
    if isinstance(value, torch.Tensor) and value.layout is torch.strided:
        return value.shape, value.dtype, value.device, value.stride(), value.requires_grad
    return None


class Place:
    """One place, and what stood there."""

    def __init__(self, file: str, kind: str, scope: str, line: int, column: int, name: str) -> None:
        self.row = {"file": file, "kind": kind, "scope": scope, "line": line, "column": column, "name": name}
        self.visits = 0
        self.seen: list[dict[str, Any]] = []
        self.alike: Counter[Any] = Counter()
        self.numbers = 0
        self.others: set[str] = set()


class Observer:
    """What instrumented code calls. Every method gives back what it is given, and raises nothing of its own."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.raises: list[dict[str, Any]] = []
        self.watched: dict[int, dict[str, Any]] = {}
        self.timings: dict[int, dict[str, Any]] = {}
        self.methods: list[tuple[str, str, int, int]] = []
        self.seconds = 0.0
        self._calls: Counter[tuple[str, str]] = Counter()
        self._numbers: dict[int, int] = {}
        self._objects: dict[int, tuple[int, Any]] = {}
        self._count = 0
        self._lock = threading.Lock()

    def place(self, *row: Any) -> int:
        """A new place's number."""
        self.places.append(Place(*row))
        return len(self.places) - 1

    # ------------------------------------------------------------ called by the code

    def enter(self, file: str, scope: str, *of: Any) -> None:
        """A function begins. `of`: the object, if it is a method."""
        key = (file, scope)
        self._calls[key] += 1
        call = self._calls[key]
        self._numbers[id(sys._getframe(1))] = call  # a frame that takes this one's place in memory enters too
        if of and len(self.methods) < 100_000:
            number = self._object(of[0])
            if number is not None:
                self.methods.append((file, scope, call, number))

    def _object(self, value: Any) -> int | None:
        known = self._objects.get(id(value))
        if known is not None and known[1]() is value:
            return known[0]
        try:
            reference = weakref.ref(value)
        except TypeError:
            return None
        self._count += 1
        self._objects[id(value)] = (self._count, reference)
        return self._count

    def see(self, number: int, value: Any) -> Any:
        """A value stands at a place."""
        place = self.places[number]
        place.visits += 1
        if place.visits > _OFTEN and place.visits % 16 and not isinstance(value, torch.Tensor):
            return value
        try:
            self._look(place, value, sys._getframe(1))
        except Exception:  # whatever a class of the code does when it is looked at
            pass
        return value

    def saw(self, number: int, value: Any) -> bool:
        """The same, as a condition of a comprehension."""
        self.see(number, value)
        return True

    def _look(self, place: Place, value: Any, frame: FrameType | None) -> None:
        if type(value) is int:
            if place.numbers < _NUMBERS:
                place.numbers += 1
                place.seen.append({"type": "int", "value": value, "call": self._call(frame)})
            return
        key = _key(value)
        if key is not None:
            place.alike[key] += 1
            if place.alike[key] > _ALIKE or len(place.alike) > DISTINCT:
                return
        elif len(place.seen) >= _NUMBERS + DISTINCT:
            return
        described = describe(value)
        if described is not None:
            call = self._call(frame)
            if key is not None or all(
                {**one, "call": call} != {**described, "call": call} for one in place.seen
            ):
                place.seen.append({**described, "call": call})
            return
        if len(place.others) < 4:
            place.others.add(type(value).__name__)
        if place.row["kind"] == "parameter":
            self._fields(place, value, frame)

    def _fields(self, place: Place, value: Any, frame: FrameType | None) -> None:
        """The whole numbers in a configuration: an object of plain fields, or a dict."""
        if place.numbers:
            return
        fields = value if isinstance(value, dict) else getattr(value, "__dict__", {})
        plain = (int, float, str, bool, tuple, list, type(None))
        if not all(isinstance(key, str) and isinstance(one, plain) for key, one in fields.items()):
            return
        for name, one in fields.items():
            if type(one) is int and place.numbers < _NUMBERS:
                place.numbers += 1
                place.seen.append({"type": "int", "value": one, "field": name, "call": self._call(frame)})

    def _call(self, frame: FrameType | None) -> int:
        while frame is not None and frame.f_code.co_name in _COMPREHENSIONS:
            frame = frame.f_back
        return self._numbers.get(id(frame), 0)

    def passed(self, number: int, value: Any = None) -> Any:
        """What was expected to fail came to its end."""
        self.watched[number]["passed"] += 1
        return value

    def raised(self, number: int, error: BaseException) -> None:
        """It failed."""
        row, trace = self.watched[number], error.__traceback__
        first, _, last, _ = row["extent"]
        if len(row["raised"]) < 4 and trace is not None and first <= trace.tb_lineno <= last:
            row["raised"].append({"type": type(error).__name__, "message": _first_line(error)})

    def timed(self, number: int, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A call that may copy, or wait for a card."""
        started = time.perf_counter()
        result = function(*args, **kwargs)
        spent = time.perf_counter() - started
        try:
            self._time(self.timings[number], getattr(function, "__self__", None), result, spent)
        except Exception:  # an object that only looks like a tensor
            pass
        return result

    def _time(self, row: dict[str, Any], source: Any, result: Any, spent: float) -> None:
        if not isinstance(source, torch.Tensor):
            return
        row["count"] += 1
        row["seconds"] += spent
        row["longest"] = max(row["longest"], spent)
        row["device"] = str(source.device)
        if isinstance(result, torch.Tensor):
            row["to"] = str(result.device)
            if source.device != result.device:
                row["moved"] += result.numel() * result.element_size()
            elif not source.is_contiguous() and result.data_ptr() != source.data_ptr():
                row["copied"] += result.numel() * result.element_size()

    # ------------------------------------------------------------ afterwards

    def result(self) -> dict[str, Any]:
        """All that was seen, as JSON has it."""
        return {
            "places": [
                {**place.row, "visits": place.visits, "seen": place.seen, "others": sorted(place.others)}
                for place in self.places
                if place.visits
            ],
            "watched": list(self.watched.values()),
            "timings": [row for row in self.timings.values() if row["count"]],
            "methods": self.methods,
        }


def _first_line(error: BaseException) -> str:
    try:
        return str(error).strip().partition("\n")[0][:1000]
    except Exception:
        return ""
