"""The seconds that a process has worked, and not those for which it waited."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time

import pytest

from shapewise.host.working_time import WorkingTime, processor_seconds

pytestmark = pytest.mark.skipif(processor_seconds(os.getpid()) is None, reason="they cannot be read here")


def _passed(code: str) -> tuple[float, float]:
    """What counted, and what the clock said."""
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        worked, began = WorkingTime(process.pid), time.monotonic()
        time.sleep(1.2)
        passed, waited = worked.passed(), time.monotonic() - began
        process.kill()
    return passed, waited


def test_one_that_does_nothing_does_not_wait_for_a_processor():
    passed, waited = _passed("import time; time.sleep(60)")
    assert passed == pytest.approx(waited, rel=0.1)


def test_one_that_works_has_worked_for_what_it_got():
    passed, waited = _passed("while True: pass")
    assert 0.2 * waited < passed <= waited


@pytest.mark.asyncio
async def test_what_is_gone_counts_by_the_clock():
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    worked, began = WorkingTime(process.pid), time.monotonic()
    await process.wait()
    await worked.reaches(0.2)
    assert time.monotonic() - began < 10
