"""Facts of a file whose functions only other files call."""

from __future__ import annotations

import json
import os

import pytest
from click.testing import CliRunner

from shapewise.cli import cli

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, 5)

    def forward(self, x):
        y = self.fc(x)
        return y.mean(0)


def unused(z):
    return z.half()
"""
MAIN = "import torch\nfrom net import Net\nout = Net(10)(torch.zeros(4, 10))\n"
TEST = """\
import pytest
import torch
from lib.net import Net


@pytest.mark.parametrize("batch", [2, 6])
def test_net(batch):
    net = Net(width=7)
    assert net(torch.zeros(batch, 7)).shape == (5,)


def test_wrong():
    with pytest.raises(RuntimeError):
        Net(3)(torch.zeros(2, 4))
"""


@pytest.fixture
def facts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def ask(*names, **files):
        for name, text in files.items():
            path = tmp_path / f"{name.replace('__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        result = CliRunner().invoke(cli, ["facts", "--json", *names])
        assert not result.exit_code, result.output
        answers = [json.loads(line) for line in result.output.strip().split("\n")]
        return [
            {
                (fact["scope"], fact["name"]): [one["shape"] for one in fact["variants"]] or fact["shape"]
                for fact in answer["facts"]
                if fact["kind"] != "expression" and "file" not in fact and fact["type"] == "tensor"
            }
            for answer in answers
        ]

    return ask


def test_a_script_beside_it(facts):
    (found,) = facts("net.py", net=NET, main=MAIN)
    assert found["Net.forward", "x"] == [4, 10]
    assert found["Net.forward", "y"] == [4, 5]
    assert found["Net.forward", "<return>"] == [5]


def test_tests_in_another_folder(facts):
    (found,) = facts(os.path.join("lib", "net.py"), lib__net=NET, tests__test_net=TEST)
    assert found["Net.forward", "y"] == [[2, 5], [6, 5]]


def test_one_program_that_uses_several_files(facts):
    texts = {
        "net": NET,
        "loss": "def loss(a, b):\n    d = a - b\n    return (d * d).mean()\n",
        "main": f"{MAIN}from loss import loss\nloss(out, torch.zeros(5))\n",
    }
    net, loss = facts("net.py", "loss.py", **texts)
    assert net["Net.forward", "y"] == [4, 5]
    assert loss["loss", "d"] == [5]


def test_what_cannot_be_traced_or_fails_shows_nothing_wrong(facts):
    (found,) = facts(
        "net.py", net=NET, main="import torch\nfrom net import Net\nNet(10)(torch.zeros(4, 11))\n"
    )
    assert ("Net.forward", "<return>") not in found or found["Net.forward", "<return>"] != [4, 5]
