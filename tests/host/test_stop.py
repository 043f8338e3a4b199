"""Before a trace is over: what is known so far, and that it is wanted no more. With the real tracer."""

from __future__ import annotations

import asyncio

from shapewise.host.process import TracerProcess
from shapewise.repair import Repaired
from shapewise.vocabulary.events import Log

LONG = "import torch\nx = w = torch.randn(10, 10)\n" + "".join(f"x = x @ w + {n}\n" for n in range(6000))


async def test_a_trace_can_be_stopped_and_the_next_one_is_whole():
    async with TracerProcess() as tracer:
        await tracer.start()
        waiting = asyncio.ensure_future(tracer.trace("/long.py", Repaired(LONG)))
        await asyncio.sleep(0.5)
        tracer.stop("/other.py")
        tracer.stop("/long.py")
        log = await waiting
        assert log.cut == "this trace was stopped"
        assert len(log.events) < 12_000
        tracer.stop("/long.py")  # nothing is under way
        after = await tracer.trace("/short.py", Repaired("import torch\nx = torch.zeros(3)\n"))
        assert after.cut is None and after.events


async def test_a_trace_can_be_stopped_before_the_tracer_has_been_asked():
    tracer = TracerProcess(early=lambda path: tracer.stop(path))
    async with tracer:
        assert (await tracer.trace("/long.py", Repaired(LONG))).cut == "this trace was stopped"


async def test_what_is_known_so_far_is_told_before_the_end():
    told: list[Log] = []

    async def hear(log: Log) -> None:
        told.append(log)

    async with TracerProcess(early=lambda path: hear if path == "/long.py" else None) as tracer:
        log = await tracer.trace("/long.py", Repaired(LONG))
        lengths = [len(one.events) for one in told]
        assert lengths == sorted(set(lengths)) and 0 < lengths[0] < lengths[-1] <= len(log.events)
        assert all(one.events == log.events[: len(one.events)] for one in told)
        await tracer.trace("/other.py", Repaired(LONG))
        assert len(told) == len(lengths)
