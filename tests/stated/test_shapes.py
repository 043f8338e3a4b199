"""Which comments say a shape, and which."""

from __future__ import annotations

import pytest

from shapewise.stated.shapes import in_comment

SAID = {
    "# (B, S, D)": ["B", "S", "D"],
    "#(2, 3)": ["2", "3"],
    "# [batch, seq, dim]": ["batch", "seq", "dim"],
    "# (B=2, S=3)": ["B=2", "S=3"],
    "# (4,)": ["4"],
    "# [N, 3, H/2, W//2]": ["N", "3", "H/2", "W//2"],
    "# (B*H, 3*D)": ["B*H", "3*D"],
    "# -> (B, T)": ["B", "T"],
    "# (B, T, C) -> (B, C, T)": ["B", "C", "T"],
    "# [B, N] --> [B, 1, N] => [B, 2, N]": ["B", "2", "N"],
    "# B x T x C": ["B", "T", "C"],
    "# N x 768 x 17 x 17": ["N", "768", "17", "17"],
    "# B, T, C": ["B", "T", "C"],
    "# B T C": ["B", "T", "C"],
    "# shape: (N, 3)": ["N", "3"],
    "# Size=(N, HWA, K)": ["N", "HWA", "K"],
    "# (2, 4, 3); NOT contiguous after this": ["2", "4", "3"],
    "# (8,)-collapses dim 0": ["8"],
    "# (4, 3) view, no memory copy": ["4", "3"],
    "# (batch size, num heads, 4)": ["batch size", "num heads", "4"],
    "# (N, C_{in}, L)": ["N", "C_{in}", "L"],
}


@pytest.mark.parametrize("text", SAID)
def test_a_shape_is_read(text: str) -> None:
    found = in_comment(text)
    assert found is not None
    assert [dim.text for dim in found[1].dims] == SAID[text]
    assert found[0] is None


@pytest.mark.parametrize("text", SAID)
def test_the_place_of_the_dims_is_theirs(text: str) -> None:
    found = in_comment(text)
    assert found is not None
    written = text[found[1].start : found[1].end]
    assert found[1].written([dim.text for dim in found[1].dims]).replace(" ", "") == written.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "many", "dims"),
    [("# (..., D)", 0, ["D"]), ("# (B, *, D)", 1, ["B", "D"]), ("# (b, *spatial, d)", 1, ["b", "d"])],
)
def test_dots_stand_for_any_number_of_dims(text: str, many: int, dims: list[str]) -> None:
    found = in_comment(text)
    assert found is not None
    assert (found[1].many, [dim.text for dim in found[1].dims]) == (many, dims)


@pytest.mark.parametrize("text", ["# x: (B, T)", "# x = (B, T)", "# x is (B, T)"])
def test_a_comment_may_say_what_it_is_about(text: str) -> None:
    found = in_comment(text)
    assert found is not None
    assert found[0] == "x"


@pytest.mark.parametrize(
    "text",
    [
        "# see (a, b)",
        "# (B)",
        "# (B, T",
        "# (B, T]",
        "# (B, , T)",
        "# [0, 1]",
        "# uniform [0, 1)",
        "# (0.5, 1.5)",
        "# (-1, 3)",
        "# (B, T) or (T, B)",
        "# (B, T), (B, S)",
        "# (B, T) @ (T, S)",
        "# (S, D)' @ S, V",
        "# (B, T).T",
        "# (B, T) if batched",
        "# (B, C, H, W) before pooling",
        "# (4, 1) strides",
        "# [1, 2, 3, ...]",
        "# tensor([1, 2])",
        "# 56x56",
        "# fast, but wrong",
        "# GELU, then dropout",
        "# (string, optional)",
        "# ('a', 'b')",
        "# (B, T) -> transposed",
        "# Q, K, V",
        "# A B",
        "# I, for one",
        "",
        "#",
    ],
)
def test_what_is_unclear_says_nothing(text: str) -> None:
    assert in_comment(text) is None
