"""Repairs that torch's own words ask for: the text with the first that holds runs."""

from __future__ import annotations

import pytest

from shapewise.analysis import Tracer, analyse
from shapewise.edits.apply import apply_to
from shapewise.fixes.verify import holds
from shapewise.source import Source

HEAD = "import torch\nfrom torch import nn\n"
REFUSED = {
    "rows written as columns": (
        "bank, keys = torch.zeros(8, 20), torch.rand(4, 8)\nbank[:, 4:8] = keys",
        "bank, keys = torch.zeros(8, 20), torch.rand(4, 8)\nbank[:, 4:8] = keys.mT",
    ),
    "a gate for each channel": (
        "x, gate = torch.rand(2, 3, 8, 8), torch.rand(2, 3)\ny = x * gate.expand_as(x)",
        "x, gate = torch.rand(2, 3, 8, 8), torch.rand(2, 3)\ny = x * gate[..., None, None].expand_as(x)",
    ),
    "a total that goes backward in each round": (
        "net, total = nn.Linear(3, 1), 0\nfor _ in range(3):\n    loss = net(torch.rand(4, 3)).mean()\n"
        "    total += loss\n    total.backward()",
        "net, total = nn.Linear(3, 1), 0\nfor _ in range(3):\n    loss = net(torch.rand(4, 3)).mean()\n"
        "    total += loss.item()\n    loss.backward()",
    ),
    "a mask of places with several numbers each": (
        "boxes, hit = torch.rand(2, 12), torch.rand(2, 3) > 0.5\npositive = boxes[hit]",
        "boxes, hit = torch.rand(2, 12), torch.rand(2, 3) > 0.5\npositive = boxes.reshape(*hit.shape, -1)[hit]",
    ),
    "labels of unlike lengths": (
        "tags = [torch.randint(0, 5, (n,)) for n in (3, 5)]\ny = torch.stack(tags)\n"
        "loss = nn.functional.cross_entropy(torch.randn(10, 5), y.flatten(), ignore_index=-100)",
        "tags = [torch.randint(0, 5, (n,)) for n in (3, 5)]\n"
        "y = nn.utils.rnn.pad_sequence(tags, batch_first=True, padding_value=-100)\n"
        "loss = nn.functional.cross_entropy(torch.randn(10, 5), y.flatten(), ignore_index=-100)",
    ),
    "one number for each picture": (
        "a, x = torch.rand(4, 1), torch.rand(4, 1, 9, 9)\ny = a * x",
        "a, x = torch.rand(4, 1), torch.rand(4, 1, 9, 9)\ny = a[..., None, None] * x",
    ),
    "a table of all positions beside what is embedded": (
        "ids, words, places = torch.zeros(2, 6).long(), nn.Embedding(9, 4), torch.rand(1, 20, 4)\nx = words(ids) + places",
        "ids, words, places = torch.zeros(2, 6).long(), nn.Embedding(9, 4), torch.rand(1, 20, 4)\n"
        "x = words(ids) + places[:, :ids.size(1)]",
    ),
    "a state of full batches": (
        "from torch.utils.data import DataLoader\nrnn, h = nn.GRU(3, 5, batch_first=True), torch.zeros(1, 4, 5)\n"
        "for x in DataLoader(torch.rand(10, 6, 3), batch_size=4):\n    y, _ = rnn(x, h)",
        "from torch.utils.data import DataLoader\nrnn, h = nn.GRU(3, 5, batch_first=True), torch.zeros(1, 4, 5)\n"
        "for x in DataLoader(torch.rand(10, 6, 3), batch_size=4, drop_last=True):\n    y, _ = rnn(x, h)",
    ),
    "two steps on one graph": (
        "body, a, b = nn.Linear(3, 4), nn.Linear(4, 1), nn.Linear(4, 1)\nmodel = nn.ModuleList([body, a, b])\n"
        "opt = torch.optim.SGD(model.parameters(), lr=0.1)\nh = body(torch.rand(2, 3))\nfirst, second = a(h).mean(), b(h).mean()\n"
        "opt.zero_grad()\nfirst.backward()\nopt.step()\nsecond.backward()\nopt.step()\n",
        "body, a, b = nn.Linear(3, 4), nn.Linear(4, 1), nn.Linear(4, 1)\nmodel = nn.ModuleList([body, a, b])\n"
        "opt = torch.optim.SGD(model.parameters(), lr=0.1)\nh = body(torch.rand(2, 3))\nfirst, second = a(h).mean(), b(h).mean()\n"
        "opt.zero_grad()\n(first + second).backward()\nopt.step()\n",
    ),
    "a chain of writes": (
        "w = nn.Linear(3, 3).weight\nw.mul_(0.9).add_(torch.ones(3, 3))",
        "w = nn.Linear(3, 3).weight\nwith torch.no_grad():\n    w.mul_(0.9).add_(torch.ones(3, 3))",
    ),
    "scalars in a row": (
        "whole = torch.cat([torch.rand(()) for _ in range(4)])",
        "whole = torch.stack([torch.rand(()) for _ in range(4)])",
    ),
    "t of a batch": (
        "f = torch.rand(2, 3, 4)\ngram = f.bmm(f.t())",
        "f = torch.rand(2, 3, 4)\ngram = f.bmm(f.mT)",
    ),
    "one minus a mask": (
        "mask = torch.rand(4) > 0.5\nrest = torch.rand(4) * (1 - mask)",
        "mask = torch.rand(4) > 0.5\nrest = torch.rand(4) * (~mask)",
    ),
    "class numbers for several labels": (
        "out, y = nn.Linear(4, 6)(torch.rand(8, 4)), torch.randint(0, 6, (8,))\nloss = nn.BCEWithLogitsLoss()(out, y)",
        "out, y = nn.Linear(4, 6)(torch.rand(8, 4)), torch.randint(0, 6, (8,))\n"
        "loss = nn.BCEWithLogitsLoss()(out, nn.functional.one_hot(y, 6).float())",
    ),
    "ones of another shape": (
        "out, real = torch.rand(8, 1, 4, 4), torch.ones(8, 1)\nloss = nn.BCELoss()(out, real)",
        "out, real = torch.rand(8, 1, 4, 4), torch.ones(8, 1)\nloss = nn.BCELoss()(out, torch.ones_like(out))",
    ),
    "groups": (
        "mid = 16\nconv = nn.Conv2d(mid, 16, 3, groups=5)\nx = conv(torch.rand(1, 16, 8, 8))",
        "mid = 16\nconv = nn.Conv2d(mid, 16, 3, groups=mid)\nx = conv(torch.rand(1, 16, 8, 8))",
    ),
    "a dim too few": (
        "clip = torch.rand(2, 8, 32, 32, 3).permute(0, 3, 1, 2)\ny = nn.Conv3d(3, 4, 3)(clip)",
        "clip = torch.rand(2, 8, 32, 32, 3).permute(0, 4, 1, 2, 3)\ny = nn.Conv3d(3, 4, 3)(clip)",
    ),
    "columns for rows": (
        "edges = torch.randint(0, 4, (6, 2))\nfirst, second = edges",
        "edges = torch.randint(0, 4, (6, 2))\nfirst, second = edges.t()",
    ),
    "an odd width": (
        "d = 5\npe = torch.zeros(9, d)\npe[:, 1::2] = torch.rand(9, (d + 1) // 2)",
        "d = 5\npe = torch.zeros(9, d)\npe[:, 1::2] = torch.rand(9, (d + 1) // 2)[..., : pe[:, 1::2].size(-1)]",
    ),
    "output padding": (
        "x = torch.rand(2, 1, 8, 8)\nup = nn.ConvTranspose2d(1, 1, 3, stride=2, padding=1)\n"
        "loss = (up(nn.Conv2d(1, 1, 3, 2, 1)(x)) - x).abs().mean()",
        "x = torch.rand(2, 1, 8, 8)\nup = nn.ConvTranspose2d(1, 1, 3, stride=2, padding=1, output_padding=1)\n"
        "loss = (up(nn.Conv2d(1, 1, 3, 2, 1)(x)) - x).abs().mean()",
    ),
    "the outputs of a recurrent layer": (
        "net = nn.Sequential(nn.GRU(4, 8), nn.Linear(8, 2))\ny = net(torch.rand(5, 3, 4))",
        "class Outputs(nn.Module):\n    def forward(self, pair):\n        return pair[0]\n\n\n"
        "net = nn.Sequential(nn.GRU(4, 8), Outputs(), nn.Linear(8, 2))\ny = net(torch.rand(5, 3, 4))",
    ),
    "states with the batch first": (
        "x, n = torch.rand(4, 7, 3), 2\nh = torch.zeros(4, n, 5)\nout, h = nn.GRU(3, 5, n, batch_first=True)(x, h)",
        "x, n = torch.rand(4, 7, 3), 2\nh = torch.zeros(n, 4, 5)\nout, h = nn.GRU(3, 5, n, batch_first=True)(x, h)",
    ),
    "a list of layers": (
        "net = nn.ModuleList([nn.Linear(4, 4), nn.ReLU()])\ny = net(torch.rand(2, 4))",
        "net = nn.Sequential(*[nn.Linear(4, 4), nn.ReLU()])\ny = net(torch.rand(2, 4))",
    ),
    "parameters of two": (
        "a, b = nn.Linear(2, 2), nn.Linear(2, 2)\nsgd = torch.optim.SGD([a.parameters(), b.parameters()], lr=0.1)",
        "a, b = nn.Linear(2, 2), nn.Linear(2, 2)\nsgd = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)",
    ),
    "linear interpolation": (
        "y = nn.functional.interpolate(torch.rand(2, 3, 8), size=16, mode='bilinear')",
        "y = nn.functional.interpolate(torch.rand(2, 3, 8), size=16, mode='linear')",
    ),
    "keys of another width": (
        "attend = nn.MultiheadAttention(8, 2)\nx, c = torch.rand(5, 2, 8), torch.rand(6, 2, 12)\ny = attend(x, c, c)",
        "attend = nn.MultiheadAttention(8, 2, kdim=12, vdim=12)\nx, c = torch.rand(5, 2, 8), torch.rand(6, 2, 12)\n"
        "y = attend(x, c, c)",
    ),
}


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("name", REFUSED)
async def test_the_first_repair_is_the_one_that_is_meant(name: str, tracer: Tracer) -> None:
    text, meant = REFUSED[name]
    source = Source("/x.py", f"{HEAD}{text}\n")
    analysis = await analyse(source, tracer)
    (finding,) = (one for one in analysis.findings if one.severity == "error")
    for fix in finding.fixes:
        if await holds(source, finding, fix, tracer, analysis) is not None:
            assert apply_to(source, fix.edits).text == f"{HEAD}{meant}\n"
            return
    pytest.fail("nothing holds")
