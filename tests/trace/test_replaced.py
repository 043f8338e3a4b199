"""Attributes that a program sets on classes and modules of others: new ones are followed, others are not known from there on."""

import pytest

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\nimport somewhere\nx = torch.zeros(2, 3)\n"


@pytest.mark.parametrize(
    "change, use",
    [
        ("torch.Tensor.relu = lambda self: self[:1]", "x.relu()"),
        ("F.relu = lambda x: x[:1]", "F.relu(x)"),
        ("if somewhere.flag:\n    torch.Tensor.twice = lambda self: torch.cat([self, self])", "x.twice()"),
        ("torch.Tensor.twice = property(lambda self: torch.cat([self, self]))", "x.twice"),
    ],
)
def test_what_was_replaced_is_not_known(trace, change, use):
    traced = trace(f"{HEAD}{change}\ny = {use}\nz = torch.tanh(x)\n")
    assert not traced.knows("y")
    assert traced.shape("z") == (2, 3)
    assert not traced.failures()


@pytest.mark.parametrize(
    "change, use",
    [
        ("torch.Tensor.twice = lambda self: torch.cat([self, self])", "x.twice()"),
        ("setattr(torch.Tensor, 'twice', lambda self: torch.cat([self, self]))", "x.twice()"),
        ("F.twice = lambda x: torch.cat([x, x])", "F.twice(x)"),
        ("nn.Linear.both = lambda self, x: torch.cat([self(x), x])", "nn.Linear(3, 3).both(x)"),
        (
            "def both(self, x):\n    return torch.cat([self(x), x])\ntorch.distributions.Transform.both = both",
            "torch.distributions.ExpTransform().both(x)",
        ),
    ],
)
def test_a_new_method_is_followed(trace, change, use):
    traced = trace(f"{HEAD}{change}\ny = {use}\n")
    assert traced.shape("y") == (4, 3)
    assert not traced.failures()


def test_a_class_that_has_a_method_itself_keeps_it(trace):
    traced = trace(
        HEAD
        + "def both(self, x):\n    return x[:1]\n"
        + "torch.distributions.Transform.both = both\n"
        + "class Own(torch.distributions.ExpTransform):\n    def both(self, x):\n        return torch.cat([self(x), x])\n"
        + "y = Own().both(x)\nz = torch.distributions.ExpTransform().both(x)\n"
    )
    assert traced.shape("y") == (4, 3) and traced.shape("z") == (1, 3)


def test_the_next_file_has_what_torch_has(trace):
    trace("import torch\ntorch.Tensor.relu = lambda self: self[:1]\ntorch.Tensor.twice = lambda self: self\n")
    traced = trace("import torch\nx = torch.zeros(2, 3).relu()\ny = x.twice()\n")
    assert traced.shape("x") == (2, 3) and traced.failures()
