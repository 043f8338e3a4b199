"""What a stated shape is about."""

from __future__ import annotations

import ast

import pytest

from shapewise.stated.places import statements_of


def about(text: str) -> list[tuple[str, list[str], list[str]]]:
    """Kind, dims and the texts of the subjects of every statement."""
    lines = text.split("\n")
    return [
        (
            one.kind,
            [dim.text for dim in one.shape.dims],
            [lines[at.line - 1][at.column : at.end_column] for at in one.subjects],
        )
        for one in statements_of(text, ast.parse(text))
    ]


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        ("y = f(x)  # (B, T)", ["y"]),
        ("self.y = f(x)  # (B, T)", ["self.y"]),
        ("q, k = f(x)  # (B, T)", ["q", "k"]),
        ("q, k = f(x)  # k: (B, T)", ["k"]),
        ("y += 1  # (B, T)", ["y"]),
        ("y: Tensor = f(x)  # (B, T)", ["y"]),
        ("f(x)  # (B, T)", ["f(x)"]),
        ("f(x).shape  # (B, T)", ["f(x)"]),
        ("print(x.shape)  # (B, T)", ["x"]),
        ('print(f"it is {x.size()}")  # (B, T)', ["x"]),
        ("for x in loader:  # (B, T)\n    pass", ["x"]),
        ("α = 'é'; ü = 1\nü = f(x)  # (B, T)", ["ü"]),
    ],
)
def test_a_comment_is_about_its_line(text: str, subjects: list[str]) -> None:
    ((kind, dims, found),) = about(text)
    assert (kind, dims, found) == ("comment", ["B", "T"], subjects)


@pytest.mark.parametrize(
    "text",
    [
        "y = f(x)  # z: (B, T)",
        "print(x)  # (B, T)",
        "print(x.stride())  # (4, 1)",
        "print(x.shape, y.shape)  # (B, T)",
        "a = 1; b = 2  # (B, T)",
        "# y: (B, T)\ny = f(x)",
        "# (B, T)\ny = f(x)",
        "y = [\n    f(x),  # (B, T)\n]",
        "import torch  # (B, T)",
        "if x:  # (B, T)\n    pass",
        "s = '# (B, T)'",
    ],
)
def test_what_is_about_nothing_of_the_line_is_left(text: str) -> None:
    assert about(text) == []


def test_parameters_have_comments_annotations_and_docstrings() -> None:
    text = '''
def f(
    a,  # (B, T)
    b: Float[Tensor, "b t"],
    c: Annotated[Tensor, "(N, D)"],
    d: "Float[Tensor, 'n d']" = None,
    e: TensorType["b", 3] = None,
    g=None,
    h=None,
    i=None,
) -> Float[Tensor, "b d"]:
    """What it does.

    Args:
        g (Tensor): input of shape [N, C]
        h: (N, D, 2)
        i [B, T] - of both
    """
    # h: (N, D)
    return a
'''
    assert about(text) == [
        ("comment", ["B", "T"], ["a"]),
        ("annotation", ["b", "t"], ["b"]),
        ("annotation", ["N", "D"], ["c"]),
        ("annotation", ["n", "d"], ["d"]),
        ("annotation", ["b", "3"], ["e"]),
        ("annotation", ["b", "d"], ["return a"]),
        ("docstring", ["N", "C"], ["g"]),
        ("docstring", ["N", "D", "2"], ["h"]),
        ("docstring", ["B", "T"], ["i"]),
        ("comment", ["N", "D"], ["h"]),
    ]


@pytest.mark.parametrize(
    "line",
    ["x: of shape (N, D) or (D,)", "x: (N, D) if batched", "mode: (string, optional)", "x: see (N, D)"],
)
def test_a_docstring_that_is_unclear_says_nothing(line: str) -> None:
    assert about(f'def f(x, mode):\n    """What.\n\n    {line}\n    """\n    return x') == []
