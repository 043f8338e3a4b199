"""Fix after fix, until none is left that holds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from shapewise import documents
from shapewise.analysis import analyse
from shapewise.fixes.repeat import repeat
from shapewise.host.process import TracerProcess

GATHERED = """
import torch
import torch.nn.functional as F

values = torch.randn(8, 4, requires_grad=True)
chosen = values.gather(1, torch.randint(0, 4, (8,)))
loss = F.mse_loss(chosen, torch.randn(8))
loss.backward()
"""


@pytest.mark.asyncio
async def test_where_a_fix_does_not_hold_the_next_is_tried(tmp_path: Path) -> None:
    path = tmp_path / "q.py"
    path.write_text(GATHERED)
    document = documents.read(str(path))
    tracer = TracerProcess(sys.executable)
    try:
        analysis = await analyse(document.source, tracer)
        repaired = await repeat(document, analysis, tracer, lambda one: one.findings, unsafe=True)
    finally:
        await tracer.close()
    assert (
        "values.gather(1, torch.randint(0, 4, (8,)).unsqueeze(1)).squeeze(1)" in repaired.document.source.text
    )
    assert [finding.rule for finding, _ in repaired.done] == ["gather-scatter-index-shape"]
