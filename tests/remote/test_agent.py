"""Framing, and what is looked at in a text."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import torch

from shapewise.agent.framing import Damaged, Frames, framed
from shapewise.agent.inputs import called, made
from shapewise.agent.instrument import OBSERVER, instrumented
from shapewise.agent.observer import Observer
from shapewise.agent.worker import _Worker


def test_messages_come_through_whatever_is_around_them():
    messages = [{"n": number, "text": "é\n\0" * number} for number in range(5)]
    stream = b"Welcome\r\n@1 zz\n" + b"srun: note".join(framed(message) for message in messages) + b"tail"
    for size in (1, 7, 100000):
        frames, found = Frames(), []
        for at in range(0, len(stream), size):
            found += frames.feed(stream[at : at + size])
        assert found == messages
    assert Frames().feed(stream.replace(b"\n", b"\r\n")) == messages


def test_damage_is_seen():
    data = bytearray(framed({"n": 1}))
    data[-4] ^= 1
    with pytest.raises(Damaged):
        Frames().feed(bytes(data))


def seen(text: str, **watch: Any) -> tuple[dict[str, Any], Observer]:
    observer = Observer()
    vars(sys.modules["builtins"])[OBSERVER] = observer
    try:
        exec(instrumented(observer, "m.py", "m.py", text, watch), {"__name__": "m"})
    finally:
        delattr(sys.modules["builtins"], OBSERVER)
    found = {}
    for place in observer.places:
        shapes = [one.get("shape", one.get("value")) for one in place.seen]
        found.setdefault(f"{place.row['scope']} {place.row['name'] or place.row['line']}", []).extend(shapes)
    return found, observer


def test_a_stop_before_the_run_is_told(monkeypatch):
    def ended(code: int) -> None:
        raise SystemExit(code)

    said: list[dict[str, Any]] = []
    worker = _Worker(0, 0)
    monkeypatch.setattr(worker, "say", said.append)
    monkeypatch.setattr("os._exit", ended)
    with pytest.raises(SystemExit):
        worker.finish(None, "its time was over")
    assert said == [{"failed": "the run was stopped before it began: its time was over"}]


PLACES = '''
from __future__ import annotations
import torch
from dataclasses import dataclass

class Box:
    """Doc."""
    __hidden = 3
    def __init__(self, x, *rest, scale: int = 2, **more):
        super().__init__()
        self.x, (self.y, *others) = x, (x[:1], x, x)
        self.__z = x + self.__hidden
        self.n = scale
    @property
    def both(self):
        return self.x, self.y

def f(a, b=torch.ones(5)):
    global g
    g = a
    a += 1
    with torch.no_grad() as w:
        c: torch.Tensor = a[None]
    d: int
    for i, row in enumerate(c):
        pass
    match a.shape:
        case (2, 3):
            e = a.t()
    kinds = {k: v for k, v in {"a": a}.items()}
    if (h := a.sum()) is not None:
        del e
    return [t for t in c], locals().keys()

keys = f(torch.ones(2, 3))[1]
assert not [key for key in keys if "shapewise" in key]
box = Box(torch.ones(4), torch.ones(1), k=torch.ones(2))
text = f"{box.both[0].sum():.2f}"
gen = list(z for z in torch.ones(2, 2))
'''


def test_places():
    found, _ = seen(PLACES)
    expected = {
        "Box.__init__ x": [[4]],
        "Box.__init__ self.x": [[4]],
        "Box.__init__ self.y": [[1]],
        "Box.__init__ self.__z": [[4]],
        "Box.__init__ self.n": [2],
        "f a": [[2, 3], [2, 3]],
        "f b": [[5]],
        "f c": [[1, 2, 3]],
        "f row": [[2, 3]],
        "f i": [0],
        "f e": [[3, 2]],
        "f h": [[]],
        "f v": [[2, 3]],
        "f t": [[2, 3]],
        "<module> z": [[2], [2]],
    }
    assert {key: found.get(key) for key in expected} == expected


def test_expressions_and_failures():
    text = "import torch\nx = torch.ones(2)\ny = (x + 1) * 2\nx += 1\ntry:\n    x.view(3)\nexcept RuntimeError:\n    pass\n"
    watch = {
        "expressions": [[3, 4, 3, 11], [3, 5, 3, 10], [4, 0, 4, 6]],
        "failing": [[6, 4, 6, 13], [3, 4, 3, 15]],
    }
    found, observer = seen(text, **watch)
    assert found["<module> 3"] == [[2]] and found["<module> 4"] == [[2]]
    rows = {row["extent"][0]: row for row in observer.watched.values()}
    assert rows[3]["passed"] == 1 and not rows[3]["raised"]
    assert rows[6]["passed"] == 0 and rows[6]["raised"][0]["type"] == "RuntimeError"
    assert "shape '[3]' is invalid" in rows[6]["raised"][0]["message"]


def test_lines_of_tracebacks_stay():
    with pytest.raises(ZeroDivisionError) as caught:
        seen(
            "def f(x):\n    'doc'\n\n    y = (1 /\n         x)\n    return y\n\nf(0)\n",
            failing=[[4, 9, 5, 10]],
        )
    trace = caught.value.__traceback__
    lines = []
    while trace is not None:
        lines.append(trace.tb_lineno)
        trace = trace.tb_next
    assert lines[-2:] == [8, 4]


def test_nothing_is_kept_alive():
    text = "import torch, weakref\nx = torch.ones(2)\nr = weakref.ref(x)\nx = None\nassert r() is None\n"
    seen(text)


def test_inputs():
    class Config:
        def __init__(self, width: int) -> None:
            self.width = width

    assert made({"tensor": [2, 3], "dtype": "int64"}, {}).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert made({"tensor": [2], "dtype": "bool"}, {}).dtype == torch.bool
    assert made({"list": [{"value": 1}, {"tuple": [{"value": None}]}]}, {}) == [1, (None,)]
    assert made({"object": "Config", "fields": {"width": {"value": 3}}}, {"Config": Config}).width == 3
    assert made({"object": None, "fields": {"width": {"value": 3}}}, {}).width == 3
    calls = []
    called(
        {"name": "f", "method": None, "instance": None, "inputs": {"x": {"value": 1}}},
        {"f": lambda x: calls.append(x)},
    )
    assert calls == [1]
