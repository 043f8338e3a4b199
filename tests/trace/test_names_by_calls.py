"""A function that is called with unlike sizes shows each under the word that it has for it in all its calls."""

from __future__ import annotations

from typing import Any

import pytest
from shown import values

from shapewise.queries.facts import facts_of
from shapewise.trace import session
from shapewise.trace.naming.derive import derivation
from shapewise.vocabulary.events import Modes, Op, Tensor
from shapewise.vocabulary.facts import Dim, GroupFact, TensorFact
from shapewise.vocabulary.span import Span


@pytest.fixture(scope="module", autouse=True)
def _torch() -> None:
    session.prepare()


def shapes(text: str) -> dict[str, object]:
    """By name: the shape of each binding, parameter and return, the last one of each."""
    return {name.split(":")[1]: _shape(value) for name, value in values(text).items()}


def _shape(value: object) -> object:
    if isinstance(value, GroupFact):
        return tuple(map(_shape, value.items))
    shape: tuple[Dim, ...] | None = value.shape if isinstance(value, TensorFact) else None
    return shape


BLOCK = """
class Block(nn.Module):
    def __init__(self, planes, out):
        super().__init__()
        self.conv = nn.Conv2d(planes, out, 3, padding=1)

    def forward(self, x):
        B, C, H, W = x.shape
        y = self.conv(x)
        z = y.flatten(2)
        half = y[..., ::2, ::2]
        return z
"""


def test_words_of_the_function_and_of_its_layer() -> None:
    found = shapes(
        BLOCK + "a = Block(3, 16)(torch.randn(2, 3, 32, 32))\nb = Block(8, 4)(torch.randn(4, 8, 16, 20))\n"
    )
    assert found["x"] == ("B", "C", "H", "W")
    assert found["y"] == ("B", "out", "H", "W")
    assert found["z"] == ("B", "out", "H*W")
    assert found["half"] == ("B", "out", "H//2", "W//2")
    assert (found["a"], found["b"]) == ((2, 16, 1024), (4, 4, 320))


def test_what_is_equal_in_all_calls_stays_a_number() -> None:
    found = shapes(
        """
        net = nn.Sequential(nn.Flatten(), nn.Linear(784, 10))

        def accuracy(images, labels):
            logits = net(images)
            hits = logits.argmax(1) == labels
            return logits, hits

        accuracy(torch.randn(64, 1, 28, 28), torch.zeros(64, dtype=torch.long))
        accuracy(torch.randn(100, 1, 28, 28), torch.zeros(100, dtype=torch.long))
        """
    )
    assert found["images"] == ("B", 1, 28, 28)
    assert found["labels"] == ("B",)
    assert found["<return>"] == (("B", 10), ("B",))


def test_two_words_with_the_same_numbers_stand_for_no_dim_but_for_both() -> None:
    found = shapes(
        """
        def pool(x):
            H, W = x.shape
            y = x.T
            z = x.sum(0)
            return z

        pool(torch.randn(4, 4))
        pool(torch.randn(6, 6))
        """
    )
    assert found["x"] == ("H", "W")
    assert found["z"] == (None,)


def test_a_name_that_is_another_number_later_in_a_call_names_nothing() -> None:
    found = shapes(
        """
        def f(x):
            n = x.shape[0]
            n = n + 1
            y = torch.zeros(n)
            return y

        f(torch.randn(2))
        f(torch.randn(5))
        """
    )
    assert found["x"] == ("N",)
    assert found["y"] != ("n",)


def test_what_only_some_calls_do_is_told_of_those() -> None:
    found = shapes(
        """
        def f(x, more):
            n, d = x.shape
            if more:
                y = torch.cat([x, x], 1)
                return y
            z = x[None]
            return z

        f(torch.randn(2, 3), True)
        f(torch.randn(4, 5), True)
        f(torch.randn(6, 7), False)
        """
    )
    assert found["x"] == ("n", "d")
    assert found["y"] == ("n", "2*d")
    assert found["z"] == (1, 6, 7)


def test_a_call_that_is_not_known_has_no_part_in_a_name() -> None:
    found = shapes(
        """
        import somewhere

        def f(x):
            n = x.shape[0]
            return x

        f(torch.randn(2))
        f(torch.randn(4))
        f(somewhere.tensor)
        """
    )
    assert found["x"] != ("n",)


def test_rounds_of_a_loop_inside_have_one_name_only_where_all_have_it() -> None:
    found = shapes(
        """
        def f(x):
            n = x.shape[0]
            for _ in range(2):
                y = x * 2
                x = torch.cat([x, x])
            return x

        f(torch.randn(2))
        f(torch.randn(5))
        """
    )
    assert found["y"] == (None,)


def test_a_dim_that_a_function_has_no_word_for_is_called_as_its_callers_call_it() -> None:
    found = shapes(
        """
        def norm(v):
            w = v / v.norm(dim=-1, keepdim=True)
            return w

        def f(x):
            batch, steps = x.shape
            y = norm(x)
            return y

        f(torch.randn(2, 3))
        f(torch.randn(4, 5))
        """
    )
    assert found["v"] == ("batch", "steps")
    assert found["w"] == ("batch", "steps")


def test_a_parameter_has_a_letter_where_two_words_of_the_layer_may_be_meant() -> None:
    found = shapes(
        """
        class Mlp(nn.Module):
            def __init__(self, width, out=None):
                super().__init__()
                out = out or width
                self.fc = nn.Linear(width, out)

            def forward(self, x):
                y = self.fc(x)
                return y

        Mlp(4)(torch.randn(2, 4))
        Mlp(8)(torch.randn(2, 8))
        """
    )
    assert found["x"] == (2, "D")
    assert found["y"] == (2, "D")


def test_a_stride_that_differs_between_layers_is_named() -> None:
    found = shapes(
        """
        class Block(nn.Module):
            def __init__(self, n_in, n_out, stride):
                super().__init__()
                self.conv = nn.Conv2d(n_in, n_out, 3, stride, 1)
                self.up = nn.Upsample(scale_factor=stride)

            def forward(self, x):
                h = self.conv(x)
                y = h.relu()
                z = self.up(y)
                return z

        Block(3, 8, 1)(torch.randn(4, 3, 32, 24))
        Block(8, 16, 2)(torch.randn(4, 8, 16, 20))
        Block(16, 32, 4)(torch.randn(4, 16, 8, 12))
        """
    )
    assert found["h"] == (4, "n_out", "H//stride", "W//stride")
    assert found["y"] == (4, "n_out", "H//stride", "W//stride")
    assert found["z"] == (4, "n_out", "H", "W")


def _tensor(*shape: Any) -> Tensor:
    return Tensor(1, shape, "int64", "cpu", None, None, False, True, 1, 0, 8)


def test_a_size_that_nobody_knows_in_any_call_makes_no_other() -> None:
    """`torch.cat((ids, next), dim=1)` where the loop before it went round as often as data says."""
    runs = [
        Op(
            0,
            Span(1, 0, 1, 9),
            "torch.cat",
            (_tensor(1, None), _tensor(1, 1)),
            (),
            _tensor(1, size),
            None,
            Modes(),
        )
        for size in (19, 26)
    ]
    shape = ((1, 1), (19, 26))
    assert derivation(runs[0], runs, shape, 1) is None
    assert derivation(runs[0], runs, ((None, None), (19, 26)), 1) is None


def test_a_letter_is_no_word_of_another_method_for_something_else() -> None:
    found = values("""
import torch
from torch import nn

class Net(nn.Module):
    def half(self, x):
        B, T, C = x.shape
        return x[:, : T // 2]

    def score(self, part):
        return part.sum(-1)

    def forward(self, x):
        return self.score(self.half(x) * 2)

net = Net()
for steps in (10, 20):
    out = net(torch.zeros(4, steps, 8))
""")
    assert _shape(found["Net.half:x"]) == (4, "T", 8)
    assert _shape(found["Net.score:part"]) == (4, "T2", 8)


def test_nor_where_the_data_decides_it() -> None:
    found = values("""
import torch
from torch import nn

class Net(nn.Module):
    def mask(self, x):
        B, T, C = x.shape
        return torch.rand(B, T) > 0.5

    def score(self, part):
        return part.sum(-1)

    def forward(self, x):
        return self.score(x[self.mask(x)].view(x.size(0), -1, x.size(-1)))

net = Net()
for text in open("texts"):
    out = net(torch.zeros(4, len(text), 8))
""")
    assert _shape(found["Net.mask:x"]) == (4, "T", 8)
    assert _shape(found["Net.score:part"]) == (4, "T2", 8)


def test_a_read_is_told_what_is_told_of_its_name(trace):
    """Of reads that are alike in two calls only the first is written down: it does not speak for the others."""
    log = trace("""
        import torch
        from torch import nn
        class Block(nn.Module):
            def __init__(self, inp, planes, stride):
                super().__init__()
                self.conv = nn.Conv2d(inp, planes, 3, stride, padding=1)
                self.norm = nn.BatchNorm2d(planes)
            def forward(self, x):
                out = torch.relu(self.conv(x))
                out = self.norm(out)
                return torch.relu(out)
        x = torch.randn(2, 3, 32, 32)
        for inp, planes, stride in ((3, 8, 1), (8, 16, 2), (16, 16, 1)):
            x = Block(inp, planes, stride)(x)
    """).log
    told = {
        (fact.kind, fact.span.line): fact.value.shape
        for fact in facts_of(log)
        if fact.name == "out" and isinstance(fact.value, TensorFact)
    }
    assert told["expression", 11] == told["binding", 10] == (2, "planes", "H//stride", "H//stride")
