"""Numbers that are written in place: known wherever they surely are, and void where that is taken back."""

from __future__ import annotations

import pytest

HEAD = "import numpy as np\nimport torch\n"

IN_A_FUNCTION = """
def count(n, chance):
    if n == 0:
        return None
    kept = torch.ones(n, dtype=torch.bool)
    kept[[2, 4]] = False
    eye = np.zeros((n, n), dtype=int)
    for i in range(3):
        eye[i, i] = 1
    {change}
    z = torch.zeros(int(kept.sum()), int(eye.sum()))
    return z
count(10, float(torch.rand(())))
"""


@pytest.mark.parametrize(
    ("change", "shape"),
    [
        ("pass", (8, 3)),
        ("if chance > 0.5: kept[0] = False", (None, 3)),
        ("if chance > 0.5: eye[0] = 7", (8, None)),
        ("for one in range(int(chance * 9)): eye[5] += 1; kept[5] = False", (None, None)),
        ("if chance > 0.5: return\n    kept[0] = False", (7, 3)),
    ],
)
def test_what_is_written_in_a_function_is_known_where_it_is_certain(trace, change, shape):
    assert trace(HEAD + IN_A_FUNCTION.format(change=change)).shape("z") == shape


@pytest.mark.parametrize(
    "write",
    [
        "a[place, 0] = 5",
        "a[place][0] = 5",
        "a[0, 0] = place",
        "a[:place] = 1",
        "a += place",
        "a.flat[0] = 1",
        "a[np.random.randint(4)] = 1",
    ],
)
def test_an_array_that_is_written_nobody_knows_where_is_not_known(trace, write):
    head = "a = np.zeros((4, 4), dtype=int)\nplace = int(torch.randint(0, 4, (1,)))\n"
    assert trace(HEAD + head + write + "\nz = torch.zeros(int(a.sum()))").shape("z") == (None,)


@pytest.mark.parametrize(
    ("write", "shape"),
    [
        ("a.data.add_(1)", (3,)),
        ("a.data[0] = 4", (4,)),
        ("a.data[:2].fill_(3)", (6,)),
        ("a.data = torch.ones(3)", (None,)),
        ("a.add_(torch.load('x.pt'))", (None,)),
        ("a.data.copy_(torch.load('x.pt'))", (None,)),
        ("if torch.rand(()) > 0.5: a.data[0] = 4", (None,)),
    ],
)
def test_what_is_written_through_data_is_written(trace, write, shape):
    head = "a = torch.zeros(3, dtype=torch.int64)\n"
    assert trace(HEAD + head + write + "\nz = torch.zeros(int(a.sum()))").shape("z") == shape


def test_an_update_of_unknown_size_leaves_a_parameter_one(trace):
    text = """
p = torch.nn.Parameter(torch.randn(4, 3))
p.sum().backward()
scale = p.grad.norm()
p.data.add_(p.grad, alpha=-0.1 if scale == 0 else scale)
y = p * 2
"""
    assert trace(HEAD + text).fact("y").value.requires_grad is True


@pytest.mark.parametrize(
    "number",
    [
        "torch.diff(a).tolist()[1]",
        "a.diff().sum().item()",
        "torch.dot(a, a).item() % 7",
        "a.cummax(0).values[-1].item()",
        "int(torch.trunc(torch.tensor(2.7)).item())",
        "torch.gcd(a, torch.tensor(6)).tolist()[1]",
        "torch.aminmax(a).max.item()",
        "torch.block_diag(a, a).sum().item()",
        "torch.mv(a[None, :], a).item() % 5",
        "int(torch.histc(a.float(), bins=4, min=0, max=16).tolist()[0])",
        "torch.tensordot(a, a, dims=1).item() % 5",
        "int(torch.hypot(torch.tensor(3.0), torch.tensor(4.0)).item())",
    ],
)
def test_numbers_that_torch_makes_of_literals(trace, number):
    head = "import torch\na = torch.tensor([1, 4, 9, 16])\n"
    names = {}
    exec(f"{head}z = torch.zeros({number})", names)
    assert trace(f"{head}z = torch.zeros({number})").shape("z") == tuple(names["z"].shape)
