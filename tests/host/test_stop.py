"""A trace that is wanted no more, with the real tracer."""

from __future__ import annotations

import asyncio
import time

from shapewise.host.process import TracerProcess
from shapewise.repair import Repaired

LONG = "import torch\nx = w = torch.randn(10, 10)\n" + "".join(f"x = x @ w + {n}\n" for n in range(6000))


async def test_a_trace_can_be_stopped_and_the_next_one_is_whole():
    async with TracerProcess() as tracer:
        await tracer.start()
        waiting = asyncio.ensure_future(tracer.trace("/long.py", Repaired(LONG)))
        await asyncio.sleep(0.5)
        began = time.monotonic()
        tracer.stop("/other.py")
        tracer.stop("/long.py")
        log = await waiting
        assert log.cut == "this trace was stopped"
        assert len(log.events) < 12_000
        assert time.monotonic() - began < 5
        tracer.stop("/long.py")  # nothing is under way
        after = await tracer.trace("/short.py", Repaired("import torch\nx = torch.zeros(3)\n"))
        assert after.cut is None and after.events
