"""Where the text says what a parameter is: made-up inputs begin with it, and the code overrules it."""

from __future__ import annotations

import textwrap

import pytest

from shapewise.queries.facts import facts_of
from shapewise.trace import session


def shapes(text: str) -> dict[str, object]:
    """`scope:name` -> the shape of each parameter and return."""
    log = session.trace("file.py", textwrap.dedent(text), {})
    return {
        f"{fact.scope}:{fact.name}": getattr(fact.value, "shape", None)
        for fact in facts_of(log)
        if fact.kind in ("parameter", "return")
    }


def test_a_comment_gives_rank_and_names(trace):
    found = shapes(
        """
        import torch.nn as nn
        class Net(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.fc = nn.Linear(width, 2 * width)
            def forward(self, x):  # (batch, seq, dim)
                return self.fc(x)
        """
    )
    assert found["Net.forward:x"] == ("batch", "seq", "width")
    assert found["Net.forward:<return>"] == ("batch", "seq", "2*width")


@pytest.mark.parametrize(
    "function",
    [
        "def f(q: Float[Tensor, 'b t d'], k: Float[Tensor, 'b s d']):\n    return q @ k.mT",
        "def f(\n    q,  # [b, t, d]\n    k,  # [b, s, d]\n):\n    return q @ k.mT",
        'def f(q, k):\n    """Scores.\n\n    Args:\n        q (Tensor): queries of shape (b, t, d)\n'
        '        k (Tensor): keys of shape (b, s, d)\n    """\n    return q @ k.mT',
        "def f(q, k):\n    # q: (b, t, d)\n    # k: (b, s, d)\n    return q @ k.mT",
    ],
    ids=["jaxtyping", "comments", "docstring", "lines of their own"],
)
def test_the_same_word_is_the_same_dim(trace, function):
    found = shapes(f"import torch\nfrom torch import Tensor\nfrom jaxtyping import Float\n\n{function}\n")
    assert found["f:q"] == ("b", "t", "d")
    assert found["f:k"] == ("b", "s", "d")
    assert found["f:<return>"] == ("b", "t", "s")


def test_the_code_overrules_what_is_said(trace):
    found = shapes(
        """
        import torch.nn as nn
        def f(x,  # (B, T, C)
        ):
            B, C, H, W = x.shape
            return x.flatten(2)
        """
    )
    assert found["f:x"] == ("B", "C", "H", "W")


def test_words_that_cannot_be_one_dim_are_given_up(trace):
    found = shapes(
        """
        import torch
        def f(x, y):
            # x: (N, D)
            # y: (N, D)
            assert x.shape[1] == 2 * y.shape[1]
            return x[:, :3] + y.sum(1, keepdim=True)
        """
    )
    assert len(found["f:x"]) == 2
