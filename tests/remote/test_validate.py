"""`shapewise validate` on this machine, with real torch on both sides."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from shapewise.cli import cli

pytestmark = pytest.mark.slow


def run(target: Path | str, *options: str) -> Result:
    return CliRunner().invoke(cli, ["validate", str(target), *options])


def validated(folder: Path, text: str, *options: str, name: str = "") -> dict[str, Any]:
    file = folder / "main.py"
    file.write_text(textwrap.dedent(text))
    result = run(f"{file}{name}", "--output-format", "json", *options)
    assert result.exit_code in (0, 1), result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    assert (result.exit_code == 1) == bool(found["refuted"] or found["error"])
    return found


def test_a_training_step(tmp_path):
    (tmp_path / "layers").mkdir()
    (tmp_path / "layers" / "__init__.py").write_text("from .norm import scaled\n")
    (tmp_path / "layers" / "norm.py").write_text("def scaled(x):\n    y = x / x.norm()\n    return y\n")
    found = validated(
        tmp_path,
        """
        import torch
        from torch import nn
        from layers import scaled

        net = nn.Sequential(nn.Flatten(), nn.Linear(12, 5))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for step in range(3):
            x = torch.randn(8, 3, 4)
            logits = net(scaled(x))
            loss = nn.functional.cross_entropy(logits, torch.zeros(8, dtype=torch.long))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            rows = [row.sum() for row in x]
            if (total := loss.detach()) > 0:
                print("hello", total.item())
        """,
    )
    assert found["facts"]["refuted"] == found["facts"]["not_reached"] == 0
    assert found["facts"]["confirmed"] > 15
    assert found["printed"].startswith("hello") and found["error"] is None
    assert len(found["digests"]) == 3 and found["host"] and found["torch"]


def test_findings(tmp_path):
    found = validated(
        tmp_path,
        """
        import torch
        x = torch.randn(2, 3, 4).transpose(0, 1)
        try:
            y = x.view(6, 4)
        except RuntimeError:
            pass
        z = torch.randn(2, 3) @ torch.randn(4, 5)
        w = torch.randn(2, 3) @ torch.randn(4, 5)
        """,
    )
    verdicts = {one["line"]: one["verdict"] for one in found["judged_findings"]}
    assert verdicts == {8: "confirmed", 9: "not_reached"}
    assert found["error"]["line"] == 8 and found["error"]["type"] == "RuntimeError"


def test_a_class_that_nothing_calls(tmp_path):
    text = """
        import torch
        from torch import nn

        class Head(nn.Module):
            def __init__(self, width, heads=4):
                super().__init__()
                self.heads = heads
                self.lin = nn.Linear(width, 2 * width)

            def forward(self, x):
                B, T, C = x.shape
                y = self.lin(x).view(B, T, self.heads, -1)
                return y.transpose(1, 2)

        def lost(model):
            x = model(torch.ones(2, 3))
            return x
        """
    found = validated(tmp_path, text, name="::Head")
    assert found["facts"]["refuted"] == found["facts"]["not_reached"] == 0 < found["facts"]["confirmed"]
    assert found["trials"]["run"] >= 2 and not found["trials"]["failed"]
    found = validated(tmp_path, text)
    assert found["facts"]["confirmed"] == 0 < found["facts"]["not_reached"]
    found = validated(tmp_path, text, "--uncalled")
    assert found["facts"]["confirmed"] and "given by what calls" in found["trials"]["not_callable"]["lost"]
    assert "cannot be called alone" in run(f"{tmp_path / 'main.py'}::lost").stderr
    assert "defines no Tail" in run(f"{tmp_path / 'main.py'}::Tail").stderr


def test_what_costs(tmp_path):
    found = validated(
        tmp_path,
        """
        import torch
        x = torch.randn(512, 1024).t()
        y = x.contiguous()
        z = y.contiguous()
        """,
    )
    assert [(note["line"], note["kind"], note["bytes"]) for note in found["notes"]] == [(4, "copy", 2097152)]


def test_a_run_that_compiles_nothing_loads_no_compiler(tmp_path):
    found = validated(
        tmp_path,
        """
        import sys
        import torch
        y = torch.nn.Linear(3, 4)(torch.ones(2, 3))
        print("torch._dynamo" in sys.modules)
        """,
    )
    assert found["printed"] == "False\n" and len(found["memory"]) == 1


def test_a_prefix(tmp_path):
    text = "import os, torch\nx = torch.ones(2) if os.environ['PLACE'] == 'there' else None\n"
    found = validated(tmp_path, text, "--on", "env PLACE=there", "--python", sys.executable)
    assert found["error"] is None and found["command"].startswith("env PLACE=there ")
    refused = run(tmp_path / "main.py", "--on", "env PLACE=there", "--python", "no-such-python")
    assert refused.exit_code == 2 and "there is no such program there" in refused.stderr


def test_a_folder_to_run_in(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "number.txt").write_text("3")
    text = "import torch\nx = torch.ones(2)\nn = int(open('number.txt').read())\n"
    assert validated(tmp_path, text, "--cwd", str(tmp_path / "data"))["error"] is None
    refused = run(tmp_path / "main.py", "--cwd", str(tmp_path / "gone"))
    assert refused.exit_code == 2 and f"the folder {tmp_path / 'gone'} cannot be entered" in refused.stderr


def test_reports(tmp_path):
    (tmp_path / "main.py").write_text("import torch\nx = torch.ones(2, 3)\n")
    report = run(tmp_path / "main.py", "--output-format", "markdown").stdout
    assert "| Facts | 2 | 0 | 0 | |" in report and "SHA-256" in report and "Command" in report
    assert "Facts" in run(tmp_path / "main.py").stdout


@pytest.mark.parametrize(
    "text, name, options, expected",
    [
        ("import torch\nx = torch.ones(2\n", "", (), "line 2 does not parse"),
        (None, "", (), "does not exist"),
        ("import torch\n", "::Net", (), "main.py defines no Net"),
        ("import torch\n", "", ("--timeout", "0"), "no number above 0"),
        ("import torch\n", "", ("--memory-limit", "nan"), "no number above 0"),
    ],
)
def test_what_cannot_be_run_is_not_begun(tmp_path, text, name, options, expected):
    if text is not None:
        (tmp_path / "main.py").write_text(text)
    result = run(f"{tmp_path / 'main.py'}{name}", *options)
    assert result.exit_code == 2 and expected in result.stderr and "Runs" not in result.stderr


def test_the_memory_of_forward_passes_is_as_estimated(tmp_path):
    found = validated(tmp_path, Path(__file__).with_name("models.py").read_text())
    assert found["error"] is None
    assert len(found["memory"]) == 12
    for one in found["memory"]:
        assert one["estimated"] == pytest.approx(one["measured"], rel=0.1), one
