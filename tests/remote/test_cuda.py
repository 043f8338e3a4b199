"""On a machine with a card; skipped where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

from shapewise.cli import cli

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.slow,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no CUDA device"),
]

CONVOLVING = (1, 5, 6, 11)
"""Models for which cuDNN takes memory of its own to work in."""
TEXT = """
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Sequential(nn.Linear(1024, 4096), nn.ReLU(), nn.Linear(4096, 10)).to(device)
optimizer = torch.optim.AdamW(net.parameters())
for step in range(5):
    x = torch.randn(256, 1024).to(device)
    y = torch.zeros(256, dtype=torch.long, device=device)
    with torch.autocast(device, dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
    turned = x.t().contiguous()
"""


def validated(folder, text):
    file = folder / "main.py"
    file.write_text(text)
    result = CliRunner().invoke(cli, ["validate", str(file), "--output-format", "json"])
    assert result.exit_code in (0, 1), result.stderr
    return json.loads(result.stdout)


def test_a_training_step_on_a_card(tmp_path):
    found = validated(tmp_path, TEXT)
    assert found["gpus"] and found["cuda"] and found["error"] is None
    assert not found["refuted"] and not found["facts"]["not_reached"] and found["facts"]["confirmed"] > 10
    assert {note["kind"] for note in found["notes"]} == {"move", "wait", "copy"}
    parameters = 1024 * 4096 + 4096 + 4096 * 10 + 10
    assert found["peak_memory"] > 4 * 4 * parameters  # weights, gradients and two moments


def test_the_memory_of_forward_passes_is_as_estimated(tmp_path):
    text = (Path(__file__).with_name("models.py")).read_text().replace('DEVICE = "cpu"', 'DEVICE = "cuda"')
    found = validated(tmp_path, text)
    assert found["error"] is None and len(found["memory"]) == 12
    for at, one in enumerate(found["memory"]):
        assert one["device"] == "cuda"
        if at in CONVOLVING:
            assert 0.6 * one["measured"] < one["estimated"] <= 1.1 * one["measured"], one
        elif one["layer"] != "TransformerEncoderLayer":  # whose weights of attention a card does not keep
            assert one["estimated"] == pytest.approx(one["measured"], rel=0.1), one


def test_devices_that_clash(tmp_path):
    found = validated(tmp_path, "import torch\nx = torch.ones(2, device='cuda')\ny = x + torch.ones(2)\n")
    assert [one["verdict"] for one in found["judged_findings"] if one["torch_error"]] == ["confirmed"]
