"""Products of groups (`grouped_mm`, experts of a mixture), held against torch on this machine."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
from torch.nn import functional as F

pytestmark = pytest.mark.skipif(not hasattr(F, "grouped_mm"), reason="this torch has none")

HEAD = """\
import torch
import torch.nn.functional as F

ends = torch.tensor([2, 4, 6, 8], dtype=torch.int32)
"""
RIGHT = (
    "F.grouped_mm(torch.randn(8, 16), torch.randn(4, 16, 32), offs=ends)",
    "F.grouped_mm(torch.randn(8, 16).half(), torch.randn(4, 16, 32).half(), offs=ends)",
    "F.grouped_mm(torch.randn(8, 16).bfloat16(), torch.randn(4, 16, 32).bfloat16(), offs=ends)",
    "F.grouped_mm(torch.randn(8, 16), torch.randn(4, 32, 16).mT, offs=ends)",
    "F.grouped_mm(torch.randn(4, 8, 16), torch.randn(4, 16, 32))",
    "F.grouped_mm(torch.randn(16, 8), torch.randn(8, 32), offs=ends)",
    "F.grouped_mm(torch.randn(4, 8, 16), torch.randn(16, 8), offs=ends * 2)",
)
WRONG = (
    "F.grouped_mm(torch.randn(8, 5), torch.randn(4, 5, 7), offs=ends)",
    "F.grouped_mm(torch.randn(8, 16), torch.randn(4, 12, 32), offs=ends)",
    "F.grouped_mm(torch.randn(8, 16), torch.randn(4, 16, 32))",
    "F.grouped_mm(torch.randn(8, 16), torch.randn(4, 16, 32), offs=ends.long())",
    "F.grouped_mm(torch.randn(8, 16), torch.randn(3, 16, 32), offs=ends)",
    "F.grouped_mm(torch.randn(8, 16), torch.randn(4, 16, 32).half(), offs=ends)",
)


def _run(call: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(f"{HEAD}out = {call}\n", names)
    return names


@pytest.mark.parametrize("call", RIGHT)
def test_what_torch_takes(trace: Any, call: str) -> None:
    real = _run(call)["out"]
    value = trace(f"{HEAD}out = {call}\n").fact("out").value
    assert (value.shape, value.dtype, value.stride) == (
        tuple(real.shape),
        str(real.dtype).removeprefix("torch."),
        real.stride(),
    )


@pytest.mark.parametrize("call", WRONG)
def test_what_torch_refuses(trace: Any, call: str) -> None:
    with pytest.raises(RuntimeError) as refused:
        _run(call)
    assert trace(f"{HEAD}out = {call}\n").failures() == [(5, str(refused.value).split("\n")[0])]


def test_gradients(trace: Any) -> None:
    text = textwrap.dedent("""\
        a = torch.randn(8, 16, requires_grad=True)
        b = torch.randn(4, 16, 32, requires_grad=True)
        F.grouped_mm(a, b, offs=ends).square().sum().backward()
        of_a, of_b = a.grad, b.grad
        """)
    traced = trace(HEAD + text)
    assert (traced.shape("of_a"), traced.shape("of_b")) == ((8, 16), (4, 16, 32))
    once = text.replace(".square()", "")  # the gradient of a sum is one number for all
    with pytest.raises(RuntimeError) as refused:
        exec(HEAD + once, {})
    assert trace(HEAD + once).failures() == [(7, str(refused.value).split("\n")[0])]
