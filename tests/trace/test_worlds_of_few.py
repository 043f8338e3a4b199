"""What holds no element, or one row, lies contiguously however its strides are: it is not said that it does not."""

from __future__ import annotations

import pytest

_HEAD = """
import torch
x = torch.randn(10, 4)
mask = x[:, 0] > 0
"""


@pytest.mark.parametrize(
    "code",
    [
        "a, z = x[mask][:, :2].unbind(-1)",
        "z = x[mask].t()",
        "z = x[mask][:, 1]",
        "z = x[mask][:, ::2]",
        "z = x[mask].t() + 1",
        "z = x[mask].unsqueeze(0).transpose(1, 2)",
        "rows = x[mask]\nif len(rows) == 0:\n    raise SystemExit\nz = rows[:, 0]",
        "rows = x[mask]\nif len(rows):\n    z = rows.view(-1, 2, 2).transpose(0, 1)",
        "rows = x[mask]\nassert rows.max() < 9\nz = rows.view(-1, 2, 2).permute(1, 0, 2)",
    ],
)
def test_what_may_be_of_one_row_may_be_contiguous(trace, code):
    traced = trace(_HEAD + code + "\n")
    assert traced.fact("z").value.contiguous is None


@pytest.mark.parametrize(
    ("code", "contiguous"),
    [
        ("z = x[mask]", True),
        ("z = x[mask].t().contiguous()", True),
        ("z = x.t()", False),
        ("z = x[mask].sum(0)", True),
        ("z = x[mask, 1]", True),
        ("z = x[mask].mean(0).expand(3, 4)", False),
        ("import random\nn = random.randint(2, 9)\nz = x[:n].t()", False),
        ("import random\nn = random.randint(1, 9)\nz = x[:n].t()", None),
    ],
)
def test_what_holds_of_every_length_is_said(trace, code, contiguous):
    traced = trace(_HEAD + code + "\n")
    assert traced.fact("z").value.contiguous is contiguous
