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


def _all_shapes(text: str) -> dict[str, set[object]]:
    """Every shape that a name has, those with other inputs among them."""
    log = session.trace("f.py", "import torch\nfrom torch import nn\n" + textwrap.dedent(text), {})
    found: dict[str, set[object]] = {}
    for fact in facts_of(log):
        for value in (fact.value, *fact.variants):
            found.setdefault(fact.name, set()).add(getattr(value, "shape", None))
    return found


def test_a_size_that_may_be_a_pair_is_tried_as_one() -> None:
    text = """
    def pair(t):
        return t if isinstance(t, tuple) else (t, t)
    class Position(nn.Module):
        def __init__(self, size, dim):
            super().__init__()
            height, width = pair(size)
            self.rows = nn.Parameter(torch.randn(height, 1, dim))
            self.columns = nn.Parameter(torch.randn(1, width, dim))
        def forward(self, x):
            out = x + (self.rows + self.columns)
            return out
    """
    assert ("height", "width", "dim") in _all_shapes(text)["out"]


def test_the_larger_of_two_numbers_is_either() -> None:
    text = """
    class Block(nn.Module):
        def __init__(self, dim):
            super().__init__()
            hidden = max(dim // 4, 2000)
            self.fc = nn.Linear(dim, hidden)
        def forward(self, x):
            out = self.fc(x)
            return out
    """
    assert all(not isinstance(shape, tuple) or 2000 not in shape for shape in _all_shapes(text)["out"])


def test_a_size_that_is_compared_may_be_the_smaller_one() -> None:
    text = """
    class Windowed(nn.Module):
        def __init__(self, dim, window=8):
            super().__init__()
            self.window, self.proj = window, nn.Linear(dim, dim)
        def forward(self, x):
            b, length, d = x.shape
            if length < self.window:
                x = torch.cat([x, x.new_zeros(b, self.window - length, d)], dim=1)
            out = self.proj(x)
            return out
    """
    assert [shape and shape[1] for shape in _all_shapes(text)["out"]] == [None]  # type: ignore[index]


def test_a_dim_that_may_be_one_has_no_size() -> None:
    text = """
    class Layer(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.fc = nn.Linear(dim, dim)
        def forward(self, h, adj):
            n = h.shape[0]
            assert adj.shape[0] == 1 or adj.shape[0] == n
            assert adj.shape[1] == n
            out = self.fc(h)[None].masked_fill(adj[..., None] == 0, 0.0)
            return out
    """
    assert all(shape is None or shape[0] is None for shape in _all_shapes(text)["adj"])  # type: ignore[index]


def test_nobody_squeezes_a_dim_that_stays() -> None:
    text = """
    class Speech(nn.Module):
        def __init__(self, features, hidden):
            super().__init__()
            self.fc = nn.Linear(features, hidden)
            self.rnn = nn.RNN(hidden, hidden)
        def forward(self, x):
            y = self.fc(x)
            z = y.squeeze(1)
            out, _ = self.rnn(z)
            return out
    """
    shapes = _all_shapes(text)
    assert shapes["y"] == {("B", 1, "H", "hidden")}
    assert shapes["out"] == {("B", "H", "hidden")}


def test_what_is_divided_by_another_dim_is_larger() -> None:
    text = """
    class Windows(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.conv = nn.Conv2d(dim, dim, 1)
        def forward(self, x, regions):
            p = x.shape[2] // regions.shape[2]
            steps = torch.arange(p)
            pooled = nn.functional.avg_pool2d(self.conv(x), p)
            out = pooled[:, :, : regions.shape[2], : regions.shape[3]] + regions
            return out
    """
    assert _all_shapes(text)["steps"] == {("p",)}


def test_a_flag_and_what_it_decides_on_are_tried_together() -> None:
    text = """
    class Attention(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.fc = nn.Linear(dim, dim)
        def forward(self, x, context=None, itself=False):
            context = x if context is None else context
            if itself:
                context = torch.cat((x, context), dim=1)
            out = self.fc(context)
            return out
    """
    assert ("B", "T + T2", "dim") in _all_shapes(text)["out"]


def test_a_layer_cuts_nothing_off_its_width() -> None:
    text = """
    class Encoder(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.lstm = nn.LSTM(width, int(width / 2), batch_first=True, bidirectional=True)
        def forward(self, x):
            out, _ = self.lstm(x)
            return out
    """
    assert all(not isinstance(one, tuple) or "- 1" not in str(one[-1]) for one in _all_shapes(text)["out"])


def test_a_stride_that_is_an_integer_asks_nothing_of_the_input() -> None:
    text = """
    class Modulated(nn.Module):
        def __init__(self, latent, features):
            super().__init__()
            self.to_style = nn.Linear(latent, features)
            self.weight = nn.Parameter(torch.randn(3, features, 1, 1))
        def forward(self, x, w):
            s = self.to_style(w)
            b, _, height, width = x.shape
            s = s[:, None, :, None, None]
            weights = self.weight[None, :, :, :, :] * s
            x = x.reshape(1, -1, height, width)
            _, _, *rest = weights.shape
            weights = weights.reshape(b * 3, *rest)
            x = nn.functional.conv2d(x, weights, padding=0, groups=b)
            out = x.reshape(-1, 3, height, width)
            return out
    """
    assert all(shape is None or len(shape) == 2 for shape in _all_shapes(text)["w"])  # type: ignore[arg-type]


def test_windows_are_as_large_as_the_square_of_their_bias() -> None:
    text = """
    class Attention(nn.Module):
        def __init__(self, dim, window_size=7):
            super().__init__()
            self.fc = nn.Linear(dim, dim)
            self.bias = nn.Parameter(torch.zeros(window_size ** 2, window_size ** 2))
        def forward(self, x):
            batch, w1, w2, _ = x.shape
            x = self.fc(x).view(batch, w1 * w2, -1)
            scores = x @ x.transpose(1, 2) + self.bias
            return scores
    """
    assert {len(shape) for shape in _all_shapes(text)["scores"] if shape is not None} == {3}  # type: ignore[arg-type]
    assert None not in _all_shapes(text)["scores"]


def test_private_methods_are_methods() -> None:
    text = """
    class Attention(nn.Module):
        def __init__(self, dim, heads):
            super().__init__()
            self.heads = heads
            self.qkv = self.__made(dim)
        def __made(self, dim):
            return nn.Linear(dim, 3 * dim)
        def __split(self, x):
            b, n, d = x.shape
            split = x.view(b, n, self.heads, d // self.heads).transpose(1, 2)
            return split
        @staticmethod
        def __scores(q, k):
            return q @ k.transpose(-1, -2)
        def __alone(self, z):
            flat = z.flatten(1)
            return flat @ flat.t()
        def forward(self, x):
            q, k, v = map(self.__split, self.qkv(x).chunk(3, -1))
            attention = self.__scores(q, k)
            return attention @ v
    """
    shapes = _shapes(text)
    assert shapes["split"] == ("b", "heads", "n", "d//heads")
    assert shapes["attention"] == ("B", "heads", "T", "T")
    assert shapes["flat"] is not None
