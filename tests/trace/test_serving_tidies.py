"""What the last traces left is freed when nobody waits."""

from __future__ import annotations

import queue
from types import SimpleNamespace
from typing import Any

from shapewise.trace import serving


def test_who_types_does_not_wait_for_it(monkeypatch: Any) -> None:
    tidied: list[int] = []
    session = SimpleNamespace(tidy=lambda: (tidied.append(1), requests.put({"trace": "later"})))
    requests: queue.Queue[dict[str, Any]] = queue.Queue()
    requests.put({"trace": "at once"})
    monkeypatch.setattr(serving, "_MUCH", 1 << 60)  # other tests of this process have left some
    assert serving._next(requests, session) == {"trace": "at once"}
    assert not tidied
    monkeypatch.setattr(serving, "_PAUSE", 0.01)
    assert serving._next(requests, session) == {"trace": "later"}
    assert tidied == [1]


def test_much_of_it_is_freed_at_once(monkeypatch: Any) -> None:
    tidied: list[int] = []
    requests: queue.Queue[dict[str, Any]] = queue.Queue()
    requests.put({"trace": "at once"})
    monkeypatch.setattr(serving, "_MUCH", 0)
    assert serving._next(requests, SimpleNamespace(tidy=lambda: tidied.append(1))) == {"trace": "at once"}
    assert tidied == [1]
