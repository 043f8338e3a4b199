"""Fix after fix, until none is left that holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shapewise import documents
from shapewise.analysis import Tracer, analyse
from shapewise.fixes.repeat import Repaired, repeat
from shapewise.vocabulary.events import Log

pytestmark = pytest.mark.asyncio(loop_scope="session")

GATHERED = """
import torch
import torch.nn.functional as F

values = torch.randn(8, 4, requires_grad=True)
chosen = values.gather(1, torch.randint(0, 4, (8,)))
loss = F.mse_loss(chosen, torch.randn(8))
loss.backward()
"""


MOVED = """
import torch

device = torch.device("cuda")
images, labels = torch.randn(4, 3), torch.ones(4, 3)
images.to(device)
labels.to(device)
error = (images - labels).abs()
"""
INSIDE = """
import torch
import torch.nn.functional as F
from torch import nn

embed, gate = nn.Linear(3, 1), nn.Sequential(nn.Linear(1, 1), nn.Sigmoid())
h = embed(torch.rand(16, 3))
loss = F.binary_cross_entropy_with_logits(gate(h), torch.ones(16, 1))
loss.backward()
"""


LAST_STEP = """
import torch
from torch import nn

lstm, head = nn.LSTM(10, 20, batch_first=True), nn.Linear(20, 2)
out = lstm(torch.randn(4, 7, 10))
logits = head(out[:, -1])
"""


async def _repaired(text: str, tmp_path: Path, tracer: Tracer) -> Repaired:
    path = tmp_path / "q.py"
    path.write_text(text)
    document = documents.read(str(path))
    analysis = await analyse(document.source, tracer)
    return await repeat(document, analysis, tracer, lambda one: one.findings, unsafe=True)


async def test_where_a_fix_does_not_hold_the_next_is_tried(tmp_path: Path, tracer: Tracer) -> None:
    repaired = await _repaired(GATHERED, tmp_path, tracer)
    assert (
        "values.gather(1, torch.randint(0, 4, (8,)).unsqueeze(1)).squeeze(1)" in repaired.document.source.text
    )
    assert [finding.rule for finding, _ in repaired.done] == ["gather-scatter-index-shape"]


async def test_those_that_need_one_another_are_made_together(tmp_path: Path, tracer: Tracer) -> None:
    repaired = await _repaired(MOVED, tmp_path, tracer)
    text = repaired.document.source.text
    assert "images = images.to(device)" in text and "labels = labels.to(device)" in text


async def test_a_sigmoid_at_the_end_of_a_model_does_not_take_the_model_with_it(
    tmp_path: Path, tracer: Tracer
) -> None:
    repaired = await _repaired(INSIDE, tmp_path, tracer)
    assert "gate(h)" in repaired.document.source.text


class Counting:
    """How often a tracer was asked."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer, self.traces = tracer, 0

    async def trace(self, *args: Any, **how: Any) -> Log:
        self.traces += 1
        return await self.tracer.trace(*args, **how)


async def test_what_holds_together_costs_one_trace(tmp_path: Path, tracer: Tracer) -> None:
    lines = [f"a{number} = torch.Tensor([{number}, 2])" for number in range(8)]
    counting = Counting(tracer)
    repaired = await _repaired("\n".join(["import torch", *lines, ""]), tmp_path, counting)
    assert len(repaired.done) == 8 and counting.traces == 2


async def test_what_a_search_finds_is_made_too(tmp_path: Path, tracer: Tracer) -> None:
    repaired = await _repaired(LAST_STEP, tmp_path, tracer)
    assert "head(out[0][:, -1])" in repaired.document.source.text
