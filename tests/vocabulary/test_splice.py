"""A log put together from the last one and what differs is the log."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapewise.vocabulary.events import Bound, Frame, Log, Modes, Scalar
from shapewise.vocabulary.span import Span
from shapewise.vocabulary.splice import Kept, between, whole

numbers = st.lists(st.sampled_from([0, 1, 2, 1.0, True, 0.0, -0.0]), max_size=12)


def log(values: list[float], notes: tuple[str, ...] = ()) -> Log:
    events = tuple(Bound(0, Span(1, 0, 1, 1), "binding", "x", Scalar(one), Modes()) for one in values)
    return Log("/a.py", "3.11", "2.13", 0.1, (Frame(0, "/a.py", "<module>"),), events, notes)


@given(numbers, numbers)
def test_what_lies_between_and_the_rest_make_the_whole(old: list[float], new: list[float]) -> None:
    part, around = between(log(old), log(new, ("later",)))
    assert repr(whole(log(old), part, around)) == repr(log(new, ("later",)))
    assert len(part.events) == len(new) - sum(around[0])
    assert not part.frames


@given(numbers, st.integers(0, 12), numbers)
def test_only_what_differs_is_sent(old: list[float], at: int, more: list[float]) -> None:
    part, _ = between(log(old), log([*old[:at], *more, *old[at:]]))
    assert len(part.events) <= len(more)


@pytest.mark.parametrize("before, after", [(2, 2), (-1, 0), (0, -1)])
def test_another_log_than_that_it_goes_on_from_is_refused(before: int, after: int) -> None:
    with pytest.raises(ValueError):
        whole(log([1, 2, 3]), log([]), [[before, after], [0, 0], [0, 0]])
    with pytest.raises(ValueError):
        whole(None, log([]), [[0, 0]] * 3)


@pytest.mark.parametrize(
    "around", [None, 3, [1, 2, 3], [[0, 0]], [["0", 0], [0, 0], [0, 0]], [[0], [0], [0]]]
)
def test_what_says_nothing_about_both_ends_is_refused(around: object) -> None:
    with pytest.raises(ValueError):
        whole(log([1, 2, 3]), log([]), around)


def test_the_last_log_of_a_file_is_kept_under_its_number() -> None:
    kept = Kept()
    assert kept.number("/a.py") is None
    kept.keep("/a.py", 3, log([1]))
    kept.keep("/a.py", 5, log([2]))
    assert kept.number("/a.py") == 5
    assert kept.get("/a.py", 3) is None
    assert kept.get("/a.py", 5) == log([2])
    assert replace(log([2]), notes=()) == kept.get("/a.py", 5)
