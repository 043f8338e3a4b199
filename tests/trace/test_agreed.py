"""What fails however large it is that data decides is a finding; what only a sample makes fail is none."""

from __future__ import annotations

import pytest

from shapewise.trace.worlds.agreed import agreed
from shapewise.vocabulary.events import Failure

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\nx = torch.randn(9, 10)\nmask = x[:, 0] > 0\n"


def _failures(traced) -> list[str]:
    return [message for _, message in traced.failures()]


@pytest.mark.parametrize(
    "line, message",
    [
        ("y = x[mask] @ torch.randn(30, 4)", "mat1 and mat2 shapes cannot be multiplied (?x10 and 30x4)"),
        ("y = nn.Linear(30, 4)(x[mask])", "mat1 and mat2 shapes cannot be multiplied (?x10 and 30x4)"),
        ("y = x[mask] + torch.randn(4)", "The size of tensor a (10) must match the size of tensor b (4)"),
        ("y = x[mask].sum(2)", "Dimension out of range"),
        ("y = x[mask].softmax(2)", "Dimension out of range"),
        ("y = x[mask].long() @ torch.randn(10, 4)", "expected m1 and m2 to have the same dtype"),
        ("y = torch.bmm(x[mask], x[mask])", "batch1 must be a 3D tensor"),
        (
            "y = F.binary_cross_entropy(torch.rand(9, 1)[mask], torch.ones(9)[mask])",
            "Using a target size (torch.Size([?])) that is different to the input size (torch.Size([?, 1]))",
        ),
    ],
)
def test_it_fails_however_large_it_is(trace, line, message):
    failures = _failures(trace(HEAD + line))
    assert len(failures) == 1 and failures[0].startswith(message)


@pytest.mark.parametrize(
    "line",
    [
        "y = x[mask] + torch.randn(9, 10)",
        "y = x[mask] @ x.T",
        "y = x[mask].reshape(-1, 7)",
        "y = x[mask].T @ torch.randn(4, 3)",
        "y = torch.cat([x[mask], torch.randn(4, 10)], 1)",
        "y = x[mask].sum(1)",
    ],
)
def test_it_may_go_well(trace, line):
    assert not _failures(trace(HEAD + line))


def test_two_failures_are_not_one():
    one = Failure("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (5x10 and 30x4)")
    other = Failure("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (7x11 and 30x4)")
    assert agreed(one, other) is None
    assert agreed(one, Failure("IndexError", one.message)) is None
    assert (
        agreed(Failure("ValueError", "no words of torch 5"), Failure("ValueError", "no words of torch 6"))
        is None
    )
