"""Findings in code that runs on: what a page, whose bad blocks raise, cannot show."""

from __future__ import annotations

import pytest

from shapewise.analysis import Tracer, analyse
from shapewise.source import Source

pytestmark = pytest.mark.asyncio(loop_scope="session")

HEAD = """import torch
from torch import nn

head, criterion = nn.Linear(16, 12), nn.CrossEntropyLoss()
logits, labels = head(torch.randn(4, 12, 16)), torch.randint(0, 12, (4, 12))
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("loss = criterion(logits, labels)", [("ce-sequence-layout", "warning", 6)]),
        ("loss = criterion(logits.transpose(1, 2), labels)", []),
        ("loss = criterion(logits.flatten(0, 1), labels.flatten())", []),
        ("loss = criterion(torch.randn(4, 12, 12), labels)", []),
    ],
)
async def test_as_many_steps_as_classes(
    line: str, expected: list[tuple[str, str, int]], tracer: Tracer
) -> None:
    findings = (await analyse(Source("a.py", HEAD + line + "\n"), tracer)).findings
    assert [(one.rule, one.severity, one.span.line) for one in findings if one.severity != "hint"] == expected


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("z = kept * kept.sum(1)", "broadcast-incompatible"),
        ("z = kept @ kept", "matmul-inner-mismatch"),
        ("z = kept * kept.sum(1)[:, None]", None),
    ],
)
async def test_what_is_refused_unless_the_data_happen_to_fit_is_a_warning(
    line: str, rule: str | None, tracer: Tracer
) -> None:
    head = "import torch\nx = torch.randn(50, 6)\nkept = x[x[:, 0] > 0.5]\n"
    findings = (await analyse(Source("a.py", head + line + "\n"), tracer)).findings
    assert [(one.rule, one.severity) for one in findings if one.severity != "hint"] == (
        [(rule, "warning")] if rule else []
    )
    assert all("unless the size that the data decide happens to be 6" in one.message for one in findings)
