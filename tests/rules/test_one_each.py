"""One mistake, one finding: the first error of a line, with what led to it, and no warning of what is never made."""

from __future__ import annotations

import pytest

from shapewise.analysis import Tracer, analyse
from shapewise.source import Source

pytestmark = pytest.mark.asyncio(loop_scope="session")

HEAD = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"


async def _found(text: str, tracer: Tracer):
    found = (await analyse(Source("/nowhere/one_each.py", HEAD + text), tracer)).findings
    return [one for one in found if one.severity != "hint"]


async def test_what_led_to_an_error_is_said_with_it(tracer):
    text = "x = nn.Linear(12, 12)(torch.randn(2, 10, 12))\nflat = x.reshape(12, 20)\ny = flat @ torch.randn(12, 3)\n"
    (error,) = await _found(text, tracer)
    assert (error.rule, error.span.line) == ("matmul-inner-mismatch", 6)
    assert any(one.span.line == 5 and "cuts across dims" in one.message for one in error.related)


async def test_one_error_a_line_and_no_second_in_the_same_words(tracer):
    text = (
        "def corners(a, b):\n    low = a[:, :2] + b[:, :2]\n    high = a[:, 2:] + b[:, 2:]\n    return low + high\n"
        "corners(torch.rand(4), torch.rand(4))\n"
    )
    (error,) = await _found(text, tracer)
    assert error.span.line == 5


async def test_no_warning_of_what_an_error_would_have_given(tracer):
    text = "x = nn.Linear(3, 12)(torch.randn(2, 10, 4))\nflat = x.reshape(12, 20)\n"
    (error,) = await _found(text, tracer)
    assert error.span.line == 4


async def test_in_a_function_what_is_refused_twice_is_one_mistake(tracer):
    text = (
        "def judged(real, fake):\n    share = torch.rand(8, 1)\n    loss = (share * real - fake).mean()\n"
        "    return loss + nn.functional.conv2d(fake.detach(), torch.randn(4, 3, 3, 3)).mean()\n"
        "judged(torch.rand(8, 6), torch.rand(8, 5))\n"
    )
    (error,) = await _found(text, tracer)
    assert error.span.line == 6


async def test_a_layer_that_is_built_too_wide_in_one_place_is_one_mistake(tracer):
    text = (
        "class Block(nn.Module):\n    def __init__(self, wide, groups):\n        super().__init__()\n"
        "        self.conv = nn.Conv2d(8, wide + 1, 1, groups=groups)\n        self.norm = nn.BatchNorm2d(wide)\n"
        "    def forward(self, x):\n        return self.norm(self.conv(x))\n"
        "first, second = Block(8, 8), Block(8, 1)\nsecond(torch.randn(2, 8, 4, 4))\n"
    )
    (error,) = await _found(text, tracer)
    assert error.span.line == 7


async def test_what_is_written_in_each_round_of_a_loop_and_fails_is_told(tracer):
    text = "kept = torch.zeros(3, 4)\nfor step in range(3):\n    kept[step] = torch.rand(4, 1)\nkept.sum(2)\n"
    (error,) = await _found(text, tracer)
    assert error.span.line == 6


async def test_a_dim_that_a_product_refused_is_not_told_again_where_it_goes_on(tracer):
    text = (
        "class Codes(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.codes = nn.Embedding(64, 17)\n    def forward(self, x):\n        shape, flat = x.shape, x.view(-1, 16)\n"
        "        far = torch.matmul(flat, self.codes.weight.t())\n"
        "        chosen = torch.zeros(flat.size(0), 64)\n        chosen.scatter_(1, far.argmin(1, keepdim=True), 1)\n"
        "        return torch.matmul(chosen, self.codes.weight).view(shape)\nCodes()(torch.rand(4, 8, 16))\n"
    )
    (error,) = await _found(text, tracer)
    assert error.span.line == 10


async def test_the_width_of_a_layer_is_told_once_although_einops_turned_what_it_gave(tracer):
    text = (
        "from einops import rearrange\nclass Scales(nn.Module):\n    def __init__(self, wide):\n        super().__init__()\n"
        "        self.layers = nn.ModuleList([nn.Sequential(nn.Linear(n, wide + 1), nn.ReLU()) for n in (3, wide + 3)])\n"
        "    def forward(self, z):\n        x, found = z, []\n        for layer in self.layers:\n            x = layer(x)\n"
        "            found.append(x)\n            x = torch.cat((x, z))\n        return found\n"
        "def scaled(x, scales):\n    for one in scales:\n        x = x * rearrange(one, 'd -> () d')\n    return x\n"
        "scaled(torch.rand(8, 24), Scales(24)(torch.rand(3)))\n"
    )
    (error,) = await _found(text, tracer)
    assert error.span.line == 12


async def test_a_tensor_whose_dtype_is_refused_twice_is_one_mistake(tracer):
    text = "mask = torch.zeros(6)\nx = torch.randn(6, 2)\nothers = ~mask\nkept = x[mask]\n"
    (error,) = await _found(text, tracer)
    assert error.span.line == 6
