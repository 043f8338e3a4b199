"""The real tracer, killed at any moment, stopped in its tracks, out of memory, or of another torch."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time

import pytest

from shapewise.host.errors import SetAside, TooSlow, TracerDied
from shapewise.host.process import TracerProcess
from shapewise.queries.facts import facts_of
from shapewise.repair import repair
from shapewise.vocabulary.events import Log
from shapewise.vocabulary.facts import TensorFact

TEXT = "import torch\nx = w = torch.randn(10, 10)\n" + "".join(f"x = x @ w + {n}\n" for n in range(200))
ENDLESS = "import torch\nbefore = torch.zeros(2, 3)\n" + "".join(
    f"def f{n}(x, y):\n    return x @ y.view(-1, {n + 1}) + {n}\n" for n in range(3000)
)
GREEDY = """
import torch
before = torch.zeros(2, 3)
kept = []
def grow(text):
    kept.append(text + text)
    return grow(kept[-1])
grow("x" * 400_000)
held = [[0] * 900_000 for _ in range(10**6)]
after = torch.zeros(3)
"""

pytestmark = pytest.mark.slow


def shapes(log: Log) -> dict[str, object]:
    return {
        f.name: f.value.shape
        for f in facts_of(log)
        if f.kind == "binding" and isinstance(f.value, TensorFact)
    }


async def test_killed_at_any_moment_it_is_back_with_the_next_request():
    rng = random.Random(8)
    async with TracerProcess(sys.executable) as tracer:
        began = time.monotonic()
        await tracer.start()
        start = time.monotonic() - began
        for _ in range(3):
            waiting = asyncio.ensure_future(tracer.trace("a.py", repair(TEXT)))
            await asyncio.sleep(rng.uniform(0.0, 0.6))
            pid = tracer.pid
            if pid is not None:
                os.kill(pid, signal.SIGKILL)
            try:
                await waiting
            except TracerDied as error:
                assert "it is started again" in str(error)
            await asyncio.sleep(0.5)  # its death is known a little later
            began = time.monotonic()
            assert shapes(await tracer.trace("b.py", repair("import torch\ny = torch.zeros(3)\n"))) == {
                "y": (3,)
            }
            assert time.monotonic() - began < 3 * start + 20, "a start like the first, no longer wait"


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs SIGSTOP")
async def test_a_tracer_that_stands_still_is_ended_and_three_times_is_enough():
    async with TracerProcess(sys.executable, limit=1.0) as tracer:
        for _ in range(3):
            await tracer.start()
            assert tracer.pid is not None
            os.kill(tracer.pid, signal.SIGSTOP)
            with pytest.raises(TooSlow):
                await tracer.trace("a.py", repair(TEXT))
        with pytest.raises(SetAside, match=r"a\.py ended the tracer 3 times in a row and is set aside"):
            await tracer.trace("a.py", repair(TEXT))
        tracer.limit = 60
        assert shapes(await tracer.trace("b.py", repair("import torch\ny = torch.zeros(3)\n"))) == {"y": (3,)}


async def test_a_file_that_takes_too_long_is_asked_to_stop_and_what_is_known_is_shown():
    async with TracerProcess(sys.executable, limit=15, patience=1000) as tracer:
        await tracer.start()
        log = await tracer.trace("a.py", repair(ENDLESS))
        assert shapes(log)["before"] == (2, 3)


async def test_a_file_that_takes_all_memory_keeps_its_facts():
    async with TracerProcess(sys.executable, limit=60) as tracer:
        pid = (await tracer.start()) and tracer.pid
        found = shapes(await tracer.trace("a.py", repair(GREEDY)))
        assert found["before"] == (2, 3)
        assert tracer.pid == pid


async def test_a_tracer_of_another_torch_is_asked_the_same(tmp_path):
    fake = tmp_path / "fake.py"
    fake.write_text(
        "import json, sys\n"
        "def send(m):\n"
        "    b = json.dumps(m).encode(); sys.stdout.buffer.write(b'Content-Length: %d\\r\\n\\r\\n' % len(b) + b); sys.stdout.flush()\n"
        "sys.stdout.buffer.write(b'shapewise-tracer 1\\n')\n"
        "send({'hello': {'protocol': 1, 'python': '3.14.1', 'torch': '9.9.9a0+git', 'path': [], 'more': [1]}})\n"
        "head = sys.stdin.buffer.readline(); sys.stdin.buffer.readline()\n"
        "body = json.loads(sys.stdin.buffer.read(int(head.split(b':')[1])))\n"
        "send({'id': body['id'], 'log': [99, 'of another version'], 'news': True})\n"
        "sys.stdin.buffer.read()\n"
    )
    async with TracerProcess(command=[sys.executable, str(fake)]) as tracer:
        hello = await tracer.start()
        assert (hello.torch, hello.python) == ("9.9.9a0+git", "3.14.1")
        with pytest.raises(Exception, match=r"The tracer's log cannot be read"):
            await tracer.trace("a.py", repair("x = 1\n"))
