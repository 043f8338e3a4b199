"""Attributes that a program sets on classes and modules of others: what they are from there on is not known, and fails nowhere."""

import pytest


@pytest.mark.parametrize(
    "change, use",
    [
        ("torch.Tensor.twice = lambda self: torch.cat([self, self])", "x.twice()"),
        ("torch.Tensor.relu = lambda self: self[:1]", "x.relu()"),
        ("F.relu = lambda x: x[:1]", "F.relu(x)"),
        ("setattr(torch.Tensor, 'twice', lambda self: torch.cat([self, self]))", "x.twice()"),
        ("nn.Linear.both = lambda self, x: torch.cat([self(x), x])", "nn.Linear(3, 3).both(x)"),
        (
            "torch.distributions.Transform.both = lambda self, x: torch.cat([self(x), x])",
            "torch.distributions.ExpTransform().both(x)",
        ),
    ],
)
def test_what_was_set_is_not_known(trace, change, use):
    traced = trace(
        "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
        f"x = torch.zeros(2, 3)\n{change}\ny = {use}\nz = torch.tanh(x)\n"
    )
    assert not traced.knows("y")
    assert traced.shape("z") == (2, 3)
    assert not traced.failures()


def test_the_next_file_has_what_torch_has(trace):
    trace("import torch\ntorch.Tensor.relu = lambda self: self[:1]\n")
    assert trace("import torch\nx = torch.zeros(2, 3).relu()\n").shape("x") == (2, 3)
