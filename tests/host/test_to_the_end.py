"""Whoever waits for all that can be known has traces gone on with that had too little time."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from shapewise.host.process import TracerProcess
from shapewise.host.to_the_end import ToTheEnd, is_unfinished
from shapewise.repair import repair
from shapewise.vocabulary.events import SHORT, UNFINISHED, Log

FAKE = Path(__file__).with_name("fake_tracer.py")
LAYERS = "import torch\nfrom torch import nn\n" + "".join(
    f"""
class Layer{at}(nn.Module):
    def __init__(self, width, heads=4, bias=True, scale=None, dropout=0.0):
        super().__init__()
        self.heads, self.scale = heads, scale
        self.qkv = nn.Linear(width, 3 * width, bias=bias)
        self.norm = nn.LayerNorm(width)
    def forward(self, x, mask=None):
        b, n, c = x.shape
        q, k, v = self.qkv(self.norm(x)).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-2, -1)).softmax(-1)
        return (weights @ v).transpose(1, 2).reshape(b, n, c)
"""
    for at in range(6)
)


def traced(kind: type[TracerProcess], tmp_path: Path) -> Log:
    async def run() -> Log:
        async with kind(patience=0.3) as tracer:
            return await tracer.trace(str(tmp_path / "layers.py"), repair(LAYERS))

    return asyncio.run(run())


def test_a_trace_that_had_too_little_time_is_gone_on_with(tmp_path):
    once, whole = traced(TracerProcess, tmp_path), traced(ToTheEnd, tmp_path)
    assert UNFINISHED in once.notes
    assert len(whole.events) > len(once.events)


def test_the_same_text_has_more_time_once_a_trace_was_too_short_for_it(tmp_path):
    async def run() -> list[tuple[str, ...]]:
        async with TracerProcess(command=[sys.executable, str(FAKE)]) as tracer:
            path = str(tmp_path / "train.py")
            return [(await tracer.trace(path, repair(text))).notes for text in (*["SHORT"] * 3, "SHORT + 1")]

    first, *others, edited = asyncio.run(run())
    assert SHORT in first and "times 1" in first
    assert all("times 3" in notes and SHORT not in notes for notes in others)
    assert SHORT in edited


def test_what_tells_no_more_is_not_gone_on_with():
    log = Log("file.py", "3.11", "2.13", 0.0, (), (), notes=(UNFINISHED,))
    assert not is_unfinished(log, before=0)
