"""Classes as people publish them, which nothing calls: what their text asks of the made-up inputs."""

from __future__ import annotations

import textwrap

import pytest

from shapewise.queries.facts import facts_of
from shapewise.trace import session


@pytest.fixture(scope="module", autouse=True)
def _prepared() -> None:
    session.prepare()


def _shapes(text: str) -> dict[str, object]:
    log = session.trace("f.py", "import torch\nfrom torch import nn\n" + textwrap.dedent(text), {})
    return {fact.name: getattr(fact.value, "shape", None) for fact in facts_of(log)}


_OVER_PIXELS = """
class Attention(nn.Module):
    def __init__(self, dim, fmap_size, heads):
        super().__init__()
        self.heads = heads
        self.bias = nn.Parameter(torch.zeros(fmap_size * fmap_size))
        self.to_qkv = nn.Conv2d(dim, 3 * dim * heads, 1, bias=False)
    def forward(self, x):
        b, c, h, w, heads = *x.shape, self.heads
        q, k, v = self.to_qkv(x).reshape(b, 3, heads, c, h * w).unbind(1)
        scores = q.transpose(-2, -1) @ k + self.bias
        return scores
"""

_ODD = """
class Net(nn.Module):
    def __init__(self, dim, k):
        super().__init__()
        if (k - 1) % 2 != 0:
            raise ValueError("k must be odd")
        self.norm = nn.LayerNorm(dim)
        self.conv = nn.Conv1d(dim, dim, k, padding=(k - 1) // 2)
    def forward(self, x):
        y = self.conv(self.norm(x).transpose(1, 2))
        return y
"""

_WINDOWS = """
class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.to_q = nn.Linear(dim, dim)
    def forward(self, x):
        batch, height, width, wh, ww, dim = x.shape
        flat = x.view(batch * height * width, wh * ww, dim)
        scores = self.to_q(flat) @ flat.transpose(1, 2)
        return scores
"""


@pytest.mark.parametrize(
    ("text", "name", "rank"),
    [
        pytest.param(_OVER_PIXELS, "scores", 4, id="each-pixel-is-held-against-each"),
        pytest.param(_ODD, "y", 3, id="a-kernel-that-has-to-be-odd"),
        pytest.param(_WINDOWS, "scores", 3, id="six-dims"),
    ],
)
def test_what_a_published_class_asks_for_is_made_up(text: str, name: str, rank: int) -> None:
    shape = _shapes(text).get(name)
    assert shape is not None and len(shape) == rank  # type: ignore[arg-type]


def test_rounds_less_a_few_begin_short() -> None:
    text = """
    class Stack(nn.Module):
        def __init__(self, levels, dim):
            super().__init__()
            self.blocks = nn.ModuleList([nn.Linear(dim, dim) for _ in range(levels - 2)])
        def forward(self, x):
            for block in self.blocks:
                x = block(x)
            out = x.sum(0)
            return out
    """
    shape = _shapes(text).get("out")
    assert shape is not None
