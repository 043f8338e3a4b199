"""Numbers of one tensor that data decides are not one number: dims made of them have names of their own, or none."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "numbers", ["s.tolist()", "[int(one) for one in s]", "map(int, s)", "[one.item() for one in s]"]
)
def test_numbers_of_one_tensor_are_not_one_number(trace, numbers):
    """`n, f = s.tolist()`: they are drawn between the same limits, and have names of their own."""
    traced = trace(
        f"import torch\ns = torch.randint(2, 1000, (3,))\nn, f, g = {numbers}\nx = torch.rand(n, f)\n"
    )
    assert traced.shape("x") in (("n", "f"), (None, None))
