"""Garbage in cycles goes in the pauses, and only there where it is much."""

import asyncio
import gc
import weakref

import pytest

from shapewise.lsp import tidying


class Ring:
    def __init__(self):
        self.me = self


@pytest.fixture
def thresholds(monkeypatch):
    kept = gc.get_threshold()
    monkeypatch.setattr(tidying, "_QUIET", 0.05)
    gc.set_threshold(1_000_000, 10, 4)
    yield
    gc.set_threshold(*kept)


def _ring_in_the_oldest():
    ring = Ring()
    gc.collect()
    return weakref.ref(ring)


async def test_a_pause_frees_what_went_in_cycles(thresholds):
    ring = _ring_in_the_oldest()
    for _ in range(3):
        gc.collect(0)
    tidying.Tidying().edited()
    assert ring() is not None
    await asyncio.sleep(0.2)
    assert ring() is None


async def test_somebody_who_types_on_is_not_stopped(thresholds):
    ring = _ring_in_the_oldest()
    for _ in range(3):
        gc.collect(0)
    tidy = tidying.Tidying()
    for _ in range(8):
        tidy.edited()
        await asyncio.sleep(0.02)
    assert ring() is not None


async def test_what_somebody_waits_for_comes_first(thresholds):
    ring, busy = _ring_in_the_oldest(), [True]
    for _ in range(3):
        gc.collect(0)
    tidying.Tidying(lambda: busy[0]).edited()
    await asyncio.sleep(0.15)
    assert ring() is not None
    busy[0] = False
    await asyncio.sleep(0.15)
    assert ring() is None


async def test_a_few_new_objects_are_not_worth_it(thresholds):
    ring = _ring_in_the_oldest()
    tidying.Tidying().edited()
    await asyncio.sleep(0.2)
    assert ring() is not None
