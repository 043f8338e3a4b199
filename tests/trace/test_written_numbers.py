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
