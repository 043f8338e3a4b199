"""Facts in words."""

from __future__ import annotations

import pytest

from shapewise.lsp.labels import LONGEST, card, hinted_value, label, parts, size
from shapewise.vocabulary.facts import Fact, GroupFact, TensorFact
from shapewise.vocabulary.span import Span


def tensor(*shape, dtype="float32", device="cpu", **more) -> TensorFact:
    return TensorFact(shape, dtype, device, **more)


def group(kind, *items, keys=None) -> GroupFact:
    return GroupFact(kind, items, keys)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (tensor(4, 12, 192), "[4 12 192]"),
        (tensor(), "[]"),
        (tensor("B", None, "(H - 1)//2 + 1"), "[B ? (H-1)//2+1]"),
        (tensor("*batch", 3), "[*batch 3]"),
        (tensor("B", "3*C", "H*W"), "[B 3·C H·W]"),
        (tensor(2, dtype="int64"), "[2] i64"),
        (tensor(2, dtype="bfloat16", device="cuda:0"), "[2] bf16 cuda:0"),
        (tensor(2, dtype="bool"), "[2] bool"),
        (tensor(2, dtype="float8_e4m3fn"), "[2] float8_e4m3fn"),
        (tensor(2, device=None), "[2]"),
        (tensor(2, dtype=None), "[2] ?"),
        (TensorFact(), None),
        (TensorFact(dtype="float32", device="cpu"), None),
        (TensorFact(dtype="int64"), "[…] i64"),
        (TensorFact(dtype="float32", device="cuda"), "[…] cuda"),
        (group("tuple", tensor(4, 10), tensor(4)), "([4 10], [4])"),
        (group("list", tensor(4), tensor(4), tensor(4)), "[[4] ×3]"),
        (group("tuple", tensor(4), None), "([4], _)"),
        (group("tuple", None, None), None),
        (group("dict", tensor(2, 7, dtype="int64"), keys=("ids",)), "{ids: [2 7] i64}"),
        (group("object", tensor(2), group("tuple", tensor(3)), keys=("a", "b")), "(a: [2], b: ([3]))"),
        (group("tuple", TensorFact(), tensor(1)), "(_, [1])"),
    ],
)
def test_labels(value, expected):
    assert label(value) == expected


@pytest.mark.parametrize(
    ("variants", "expected"),
    [
        ((tensor("B", "C", "D"), tensor("B", "C", "H", "W")), "[B C …]"),
        ((tensor("B", "D"), tensor("B", "T", "D"), tensor("B", "C", "H", "D")), "[B … D]"),
        ((tensor("T", "D"), tensor("B", "T", "D")), "[… T D]"),
        ((tensor(None, "D"), tensor("B", "H", "W")), None),
        ((tensor("B", "D"), TensorFact()), None),
        ((tensor("B", "D"),), None),
    ],
)
def test_of_unlike_ranks_the_dims_that_all_have_are_hinted(variants, expected):
    fact = Fact("binding", "f", "x", Span(1, 0, 1, 1), TensorFact(dtype="float32"), variants, assumed=True)
    assert label(hinted_value(fact)) == expected


def test_a_long_group_is_cut_between_its_items():
    value = group("tuple", *(tensor(number, 100, 200) for number in range(50)))
    text = label(value)
    assert text == "([0 100 200], [1 100 200], …)"
    assert len(text) <= LONGEST


def test_so_is_one_within_another():
    many = group("list", *(tensor(number, 100, 3, 3) for number in range(9)))
    text = label(group("dict", many, tensor(4), keys=("params", "more")))
    assert text == "{params: [[0 100 3 3], …], more: [4]}"
    assert len(text) <= LONGEST


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (tensor(3, 2, itemsize=4), "24 B"),
        (tensor(itemsize=8), "8 B"),
        (tensor(0, 7, itemsize=8), "0 B"),
        (tensor(1024, 1024, itemsize=4), "4 MiB"),
        (tensor(1000, itemsize=4), "3.906 KiB"),
        (tensor(1 << 40, 1 << 20, itemsize=1), "1.049e+06 TiB"),
        (tensor("B", itemsize=4), None),
        (tensor(2), None),
        (TensorFact(itemsize=4), None),
    ],
)
def test_sizes(value, expected):
    assert size(value) == expected


def fact(value, **more) -> Fact:
    return Fact("binding", "<module>", "x", Span(1, 0, 1, 1), value, **more)


def test_a_card_tells_all():
    value = tensor(6, 4, stride=(1, 6), contiguous=False, requires_grad=True, itemsize=4)
    assert card(fact(value)) == (
        "```python\nx: [6, 4] float32 cpu\n```\n\nstride (1, 6) · **not contiguous** · requires grad · 96 B"
    )


def test_a_card_of_what_is_not_known_says_why():
    assert card(fact(TensorFact(), why="my_function is not known")) == (
        "```python\nx: […] dtype ? device ?\n```\n\n_My\\_function is not known_"
    )


def test_a_card_lists_what_was_seen():
    text = card(fact(tensor(None, 4), variants=(tensor(2, 4), tensor(3, 4))))
    assert text.endswith(
        "| shape | dtype | device |\n|---|---|---|\n| `[2, 4]` | float32 | cpu |\n| `[3, 4]` | float32 | cpu |"
    )


def test_a_card_of_a_group_lists_its_tensors():
    text = card(fact(group("dict", tensor(2), None, keys=("a", "b"))))
    assert text == "```python\nx: dict of 2\n```\n\n`a`: [2] float32 cpu"


def test_what_is_not_contiguous_has_a_mark():
    value = tensor(3, 2, contiguous=False, dtype="int64")
    assert label(value, marked=True) == "[3 2]~ i64"
    assert label(value) == "[3 2] i64"
    assert label(tensor(3, contiguous=True), marked=True) == label(tensor(3), marked=True) == "[3]"


def test_each_dim_is_a_part_of_its_own():
    assert parts(tensor("B", 64)) == (("[B", 0), (" 64", 1), ("]", None))
    assert parts(TensorFact()) == ()
