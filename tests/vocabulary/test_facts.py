"""Two values that may be the same, as far as is known of both."""

from __future__ import annotations

import pytest

from shapewise.vocabulary.facts import GroupFact, TensorFact, may_be_same

SQUARE = TensorFact((3, 3), "float32", "cpu", (3, 1), True, False)
NOTHING = TensorFact()


@pytest.mark.parametrize(
    "other, expected",
    [
        (SQUARE, True),
        (NOTHING, True),
        (TensorFact((3, None)), True),
        (TensorFact(("n", 3)), True),
        (TensorFact((None, 4)), False),
        (TensorFact((3, 3, 3)), False),
        (TensorFact((3, 3), "float64"), False),
        (TensorFact((3, 3), stride=(1, 3)), False),
        (TensorFact((3, 3), requires_grad=True), False),
        (GroupFact("list", (SQUARE,)), False),
    ],
)
def test_tensors_that_may_be_the_same(other, expected):
    assert may_be_same(SQUARE, other) is may_be_same(other, SQUARE) is expected


def test_groups_are_compared_item_by_item():
    one = GroupFact("tuple", (SQUARE, None))
    assert may_be_same(one, GroupFact("tuple", (TensorFact((None, 3)), SQUARE)))
    assert may_be_same(one, NOTHING)
    assert not may_be_same(one, GroupFact("tuple", (TensorFact((4, None)), None)))
    assert not may_be_same(one, GroupFact("tuple", (SQUARE,)))
    assert not may_be_same(one, GroupFact("list", (SQUARE, None)))
