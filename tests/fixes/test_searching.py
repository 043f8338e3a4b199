"""Where no rule knows a repair, small changes of what the refused call hangs on are tried, and those that hold are offered."""

from __future__ import annotations

import asyncio

from shapewise.analysis import Analysis, analyse
from shapewise.edits.apply import apply_to
from shapewise.fixes.verify import verified
from shapewise.host.process import TracerProcess
from shapewise.source import Source

HEAD = "import torch\nfrom torch import nn\n\n"
CASES = {
    "a change that takes another one": (
        "pool, fc = nn.AdaptiveAvgPool2d(1), nn.Linear(64, 64)\nx = torch.rand(2, 64, 9, 9)\ny = fc(pool(x))\nz = x * y.expand_as(x)\n",
        "y = fc(pool(x).flatten(1))\nz = x * y[..., None, None].expand_as(x)",
    ),
    "a shape that is called": (
        "x = torch.rand(4, 3)\nn = x.shape(0)\ny = x.sum(1) / n\n",
        "n = x.size(0)",
    ),
    "a method that is not called": (
        "model = nn.Linear(4, 3)\nopt = torch.optim.Adam(model.parameters, lr=1e-3)\n",
        "torch.optim.Adam(model.parameters(), lr=1e-3)",
    ),
    "a class in the place of a loss": (
        "criterion = nn.MSELoss\nx, y = torch.randn(4, 6), torch.randn(4, 1)\nloss = criterion(nn.Linear(6, 1)(x), y)\n",
        "criterion = nn.MSELoss()",
    ),
    "a layer built from what it should be given": (
        "h = nn.ReLU(torch.randn(2, 8))\ny = nn.Linear(8, 1)(h)\n",
        "h = nn.ReLU()(torch.randn(2, 8))",
    ),
    "a layer of another number of dims": (
        "def block(i, o):\n    return nn.Sequential(nn.Conv2d(i, o, 3), nn.BatchNorm1d(o))\n\n\n"
        "y = block(3, 8)(torch.randn(2, 3, 9, 9))\n",
        "nn.BatchNorm2d(o)",
    ),
    "a stride that the layer beside it has": (
        "class Block(nn.Module):\n"
        "    def __init__(self, i, o, stride=2):\n"
        "        super().__init__()\n"
        "        self.conv = nn.Conv2d(i, o, 3, stride=stride, padding=1)\n"
        "        self.short = nn.Conv2d(i, o, 1)\n\n"
        "    def forward(self, x):\n"
        "        return self.conv(x) + self.short(x)\n\n\n"
        "y = Block(3, 8)(torch.randn(2, 3, 16, 16))\n",
        "nn.Conv2d(i, o, 1, stride=stride)",
    ),
    "an argument that is not taken": (
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.gru = nn.GRU(5, 16, batch_first=True)\n\n"
        "    def forward(self, x):\n"
        "        return self.gru(x)[0]\n\n\n"
        "y = Net()(torch.randn(4, 9, 5), torch.zeros(1, 4, 16))\n",
        "Net()(torch.randn(4, 9, 5))",
    ),
    "a batch that is smaller than it was said": (
        "class Net(nn.Module):\n"
        "    def __init__(self, batch=32):\n"
        "        super().__init__()\n"
        "        self.batch = batch\n"
        "        self.rnn = nn.LSTM(5, 16, batch_first=True)\n\n"
        "    def forward(self, x):\n"
        "        h = torch.zeros(1, self.batch, 16)\n"
        "        c = torch.zeros(1, self.batch, 16)\n"
        "        return self.rnn(x, (h, c))[0]\n\n\n"
        "y = Net()(torch.randn(4, 9, 5))\n",
        "c = torch.zeros(1, x.size(0), 16)",
    ),
}


LOST = "x = torch.randn(4, 6)\ny = nn.Linear(5, 2)(x) + torch.randn(3, 7)\nz = y.sum()\n"


async def _all_verified(texts: list[str]) -> list[Analysis]:
    tracer = TracerProcess(limit=60)
    try:
        return [await verified(await analyse(Source("script.py", text), tracer), tracer) for text in texts]
    finally:
        await tracer.close()


def test_a_small_change_that_holds_is_offered_first() -> None:
    analyses = asyncio.run(_all_verified([HEAD + text for text, _ in CASES.values()]))
    for (name, (_, wanted)), analysis in zip(CASES.items(), analyses):
        (finding,) = [one for one in analysis.findings if one.torch_error]
        assert finding.fixes, name
        assert wanted in apply_to(analysis.source, finding.fixes[0].edits).text, name


def test_no_layer_is_left_out_to_make_the_rest_fit() -> None:
    (analysis,) = asyncio.run(_all_verified([HEAD + LOST]))
    texts = [apply_to(analysis.source, fix.edits).text for one in analysis.findings for fix in one.fixes]
    assert all("nn.Linear" in text for text in texts)
