"""What a made-up input only guessed is not stated: numbers, names and ranks that are others just as well."""

from __future__ import annotations

import pytest
import torch
from shown import shapes
from torch import nn

from shapewise.trace.control import BudgetExhausted
from shapewise.trace.naming import algebra
from shapewise.trace.uncalled import turns
from shapewise.trace.uncalled.inputs.sizes import Free, Sizes


def test_no_number_is_made_of_itself():
    sizes = Sizes()
    one, other = sizes.add(Free()), sizes.add(Free())
    other.equals = one
    assert not sizes.is_circular()
    one.multiples.append(other)
    assert sizes.is_circular()


def test_a_batch_is_no_parameter_where_both_inputs_only_need_the_same(trace):
    found = shapes(
        """
        class Block(nn.Module):
            def __init__(self, channels, time_channels):
                super().__init__()
                self.conv = nn.Conv2d(channels, channels, 3, padding=1)
                self.time = nn.Linear(time_channels, channels)
            def forward(self, x, t):
                h = self.conv(x)
                h += self.time(t)[:, :, None, None]
                return h + x
        class Middle(nn.Module):
            def __init__(self, channels, time_channels):
                super().__init__()
                self.one = Block(channels, time_channels)
                self.two = Block(channels, time_channels)
            def forward(self, x, t):
                x = self.one(x, t)
                x = self.two(x, t)
                return x
        """
    )
    assert found["Middle.forward:x"] == ("B", "channels", "H", "W")
    assert found["Middle.forward:t"] == ("B", "time_channels")


def test_what_a_constructor_fills_in_may_be_given(trace, monkeypatch):
    def spent(*args: object, **kwargs: object) -> None:
        raise BudgetExhausted("too long")

    monkeypatch.setattr(turns, "with_options", spent)
    found = shapes(
        """
        class Attention(nn.Module):
            def __init__(self, channels, d_k=None):
                super().__init__()
                if d_k is None:
                    d_k = channels
                self.q = nn.Linear(channels, d_k)
            def forward(self, x):
                b, n, c = x.shape
                q = self.q(x)
                return q
        """
    )
    assert found["Attention.forward:q"] == ("b", "n", None)


def test_a_default_of_0_may_be_more(trace):
    found = shapes(
        """
        class Padded(nn.Module):
            def __init__(self, dim, extra=0):
                super().__init__()
                self.extra = extra
                self.proj = nn.Linear(dim, dim)
            def forward(self, x):
                b, n, d = x.shape
                if self.extra > 0:
                    x = F.pad(x, (0, 0, 0, self.extra))
                y = self.proj(x)
                return y
        """
    )
    assert found["Padded.forward:y"] == ("b", None, "d")


def test_a_dim_has_no_name_that_the_function_has_for_another(trace):
    found = shapes(
        """
        class Block(nn.Module):
            def __init__(self, dim, window=0):
                super().__init__()
                self.window = window
                self.conv = nn.Conv2d(dim, dim, 1)
            def forward(self, x):
                y = self.conv(x)
                if self.window > 0:
                    B, W = x.shape[0], x.shape[2]
                return y
        """
    )
    assert not {"B", "W"} & set(found["Block.forward:x"])  # type: ignore[call-overload]


def test_what_is_left_of_an_index_is_a_batch(trace):
    found = shapes(
        """
        class Pooler(nn.Module):
            def __init__(self, hidden_size):
                super().__init__()
                self.dense = nn.Linear(hidden_size, hidden_size)
            def forward(self, hidden_states):
                first = hidden_states[:, 0]
                return self.dense(first)
        """
    )
    assert found["Pooler.forward:hidden_states"][-3:] == ("B", "T", "hidden_size")  # type: ignore[index]


def test_numbers_that_are_given_alike_lend_no_name(trace, monkeypatch):
    monkeypatch.setattr(
        turns,
        "targets",
        lambda env, every=turns.targets: (one for one in every(env) if one.name == "Outer"),
    )
    found = shapes(
        """
        class Inner(nn.Module):
            def __init__(self, in_features, out_features):
                super().__init__()
                self.weight = nn.Parameter(torch.zeros(out_features, in_features))
                self.bias = nn.Parameter(torch.zeros(out_features))
            def forward(self, x):
                return F.linear(x, self.weight, self.bias)
        class Outer(nn.Module):
            def __init__(self, features):
                super().__init__()
                self.inner = Inner(features, features)
            def forward(self, x):
                return self.inner(x)
        """
    )
    assert found.get("Inner.__init__:self.bias") in (None, (None,))


def test_a_list_of_sizes_may_be_longer(trace):
    found = shapes(
        """
        import math
        class Weight(nn.Module):
            def __init__(self, shape: list[int]):
                super().__init__()
                self.c = 1 / math.sqrt(len(shape[1:]))
                self.weight = nn.Parameter(torch.randn(shape))
            def forward(self):
                return self.weight * self.c
        """
    )
    assert found["Weight.__init__:self.weight"] is None


def test_a_loop_goes_round_as_often_as_it_is_told(trace):
    found = shapes(
        """
        class Heads(nn.Module):
            def __init__(self, nfeat, nhid, nclass, nheads):
                super().__init__()
                self.heads = nn.ModuleList([nn.Linear(nfeat, nhid) for _ in range(nheads)])
                self.out = nn.Linear(nhid * nheads, nclass)
            def forward(self, x):
                h = torch.cat([head(x) for head in self.heads], dim=1)
                return self.out(h)
        """
    )
    assert found["Heads.forward:h"] in (None, ("B", None), ("B", "nhid*nheads"), ("B", "nheads*nhid"))


@pytest.mark.parametrize(("line", "dims"), [("x * 2", 2), ("x + x.transpose(2, 3)", 1)])
def test_a_word_that_a_docstring_has_twice_is_one_dim_only_where_the_code_needs_it(trace, line, dims):
    found = shapes(
        f"""
        class Half(nn.Module):
            def __init__(self, channels):
                super().__init__()
                self.conv = nn.Conv2d(channels, channels, 1)
            def forward(self, x):
                \"\"\"
                :param x: is of shape `[batch, channels, height, height]`
                \"\"\"
                x = self.conv(x)
                return {line}
        """
    )
    shape = found["Half.forward:x"]
    assert len(set(shape[2:])) == dims  # type: ignore[index]


def test_dims_that_the_code_tells_apart_are_not_shown_as_one(trace):
    found = shapes(
        """
        class Rel(nn.Module):
            def __init__(self, block_size, dim_head):
                super().__init__()
                self.block_size, self.dim_head = block_size, dim_head
            def forward(self, q):
                B, BB, HW, _ = q.shape
                p = q.reshape(-1, self.block_size, self.block_size, self.dim_head)
                return p.reshape(B, BB, HW, -1)
        """
    )
    shape = found["Rel.forward:q"]
    assert shape is None or shape[0] != shape[1] or shape[0] is None  # type: ignore[index]


def test_a_pool_that_rounds_up_is_told_from_one_that_rounds_down(trace):
    found = shapes(
        """
        class Stem(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.conv = nn.Conv2d(3, width, 7, stride=2, padding=3)
                self.one = nn.MaxPool2d(3, stride=2, ceil_mode=True)
                self.two = nn.MaxPool2d(2, stride=2, ceil_mode=True)
            def forward(self, x):
                a = self.conv(x)
                b = self.one(a)
                c = self.two(b)
                return c
        """
    )
    for height in (64, 80, 81, 47):
        with torch.device("meta"):
            layers = [
                nn.Conv2d(3, 4, 7, 2, 3),
                nn.MaxPool2d(3, 2, ceil_mode=True),
                nn.MaxPool2d(2, 2, ceil_mode=True),
            ]
            x = torch.empty(1, 3, height, 99)
        for name, layer in zip("abc", layers):
            x = layer(x)
            said = found[f"Stem.forward:{name}"][2]  # type: ignore[index]
            assert said is None or algebra.meaning(said, {"H": height}) == x.shape[2]
    assert found["Stem.forward:b"][2] is not None  # type: ignore[index]


def test_a_size_that_is_halved_for_each_of_a_list_hangs_on_its_length(trace):
    found = shapes(
        """
        class Encoder(nn.Module):
            def __init__(self, channels, multipliers: list[int]):
                super().__init__()
                self.down = nn.ModuleList()
                for at in range(len(multipliers)):
                    self.down.append(nn.Conv2d(channels, channels, 3, stride=2, padding=1))
            def forward(self, x):
                for layer in self.down:
                    x = layer(x)
                y = x * 2
                return y
        """
    )
    shape = found["Encoder.forward:y"]
    assert shape is None or shape[2] is None  # type: ignore[index]


def test_what_hangs_on_an_option_that_was_not_tried_is_not_said(trace, monkeypatch):
    def spent(*args: object, **kwargs: object) -> None:
        raise BudgetExhausted("too long")

    monkeypatch.setattr(turns, "with_options", spent)
    found = shapes(
        """
        class Attention(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.q = nn.Linear(dim, dim)
                self.k = nn.Linear(dim, dim)
            def forward(self, x, context=None):
                context = x if context is None else context
                q = self.q(x)
                k = self.k(context)
                return q @ k.transpose(1, 2)
        """
    )
    assert found["Attention.forward:q"] == ("B", "T", "dim")
    assert found.get("Attention.forward:k") is None


def test_nothing_is_said_of_inputs_that_were_made_for_the_length_of_a_list(trace):
    found = shapes(
        """
        class Positions(nn.Module):
            def __init__(self, dim, shape):
                super().__init__()
                self.count = len(shape)
                for at, size in enumerate(shape):
                    sizes = [1] * (len(shape) + 2)
                    sizes[1], sizes[at + 2] = dim, size
                    setattr(self, f"p{at}", nn.Parameter(torch.randn(*sizes)))
            def forward(self, x):
                for at in range(self.count):
                    x = x + getattr(self, f"p{at}")
                return x
        """
    )
    assert found.get("Positions.forward:x") is None


def test_an_option_of_several_without_which_nothing_is_made_is_given(trace):
    found = shapes(
        """
        class Layer(nn.Module):
            def __init__(self, dim, width=None, depth=None):
                super().__init__()
                if width is None:
                    assert depth is not None, "one of both"
                    width = depth * 2
                self.one = nn.Linear(dim, width)
            def forward(self, x):
                y = self.one(x)
                return y
        """
    )
    assert found["Layer.forward:x"] == ("*batch", "dim")


def test_a_text_is_one_that_the_code_asks_for(trace):
    found = shapes(
        """
        class Layer(nn.Module):
            def __init__(self, dim, kind):
                super().__init__()
                assert kind in {"wide", "narrow"}
                self.kind = kind
                self.one = nn.Linear(dim, dim)
            def forward(self, x):
                y = self.one(x)
                if self.kind == "wide":
                    y = torch.cat([y, y], -1)
                return y
        """
    )
    assert found["Layer.forward:x"] == ("*batch", "dim")


def test_a_window_that_has_to_have_a_middle_is_odd(trace):
    found = shapes(
        """
        class Layer(nn.Module):
            def __init__(self, dim, window):
                super().__init__()
                assert window % 2 == 1, "it has no middle"
                self.conv = nn.Conv1d(dim, dim, window, padding=window // 2)
            def forward(self, x):
                y = self.conv(x)
                return y
        """
    )
    assert found["Layer.forward:y"] == found["Layer.forward:x"] == ("B", "dim", "D")


def test_the_width_of_a_layer_is_a_number(trace):
    found = shapes(
        """
        class Layer(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.net = feed_forward(dim)
            def forward(self, x):
                y = self.net(x)
                return y

        def feed_forward(dim, mult=4):
            scale = nn.Parameter(torch.ones(dim))
            return nn.Sequential(nn.Linear(dim, dim * mult), nn.GELU(), nn.Linear(dim * mult, dim))
        """
    )
    assert found["Layer.forward:y"] == ("*batch", "dim")
    assert found["feed_forward:scale"] == ("dim",)


def test_what_is_told_from_the_end_of_a_list_has_no_number_from_its_beginning(trace):
    found = shapes(
        """
        class Decoder(nn.Module):
            def __init__(self, width, out):
                super().__init__()
                self.conv = nn.Conv2d(width, out, 1)
            def forward(self, features: list[torch.Tensor]):
                last = features[-1]
                return self.conv(last)
        """
    )
    assert found["Decoder.forward:<return>"][1] == "out"  # type: ignore[index]
    assert found["Decoder.forward:last"][1] == "width"  # type: ignore[index]
    assert found["Decoder.forward:<return>"][0] is None  # type: ignore[index]


def test_what_counts_rounds_has_its_name(trace):
    found = shapes(
        """
        class Decay(nn.Module):
            def __init__(self, width):
                super().__init__()
                decay = torch.ones(width)
                for i in range(width):
                    decay[i] = -5 + 8 * i / width
                self.decay = nn.Parameter(decay)
            def forward(self, x):
                return x * self.decay
        """
    )
    assert found["Decay.forward:<return>"][-1] == "width"  # type: ignore[index]


def test_a_width_by_default_that_inputs_have_is_no_number(trace):
    found = shapes(
        """
        class Unit(nn.Module):
            def __init__(self, hidden, width=4):
                super().__init__()
                self.fc = nn.Linear(4 * width, hidden)
            def forward(self, query, keys):
                query = query.expand(-1, keys.size(1), -1)
                both = torch.cat([query, keys, query - keys, query * keys], dim=-1)
                return self.fc(both)
        """
    )
    assert found["Unit.forward:both"][-1] == "4*width"  # type: ignore[index]


def test_positions_of_a_table_that_is_cut_are_no_size_of_a_picture(trace):
    found = shapes(
        """
        class Head(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.conv = nn.Conv2d(3, dim, 8, stride=8)
                self.rows = nn.Parameter(torch.rand(50, dim))
            def forward(self, x):
                h = self.conv(x)
                H, W = h.shape[-2:]
                return h + self.rows[:H].T[None, :, :, None]
        """
    )
    assert 400 not in (found["Head.forward:x"] or ())


def test_a_helper_is_told_by_all_methods_that_call_it(trace):
    found = shapes(
        """
        class Mixer(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.proj = nn.Linear(dim, dim)

            def _scaled(self, v):
                w = v * 2
                return w

            def forward(self, x):
                B, T, D = x.shape
                return self._scaled(self.proj(x))

            def step(self, x):
                B, D = x.shape
                return self._scaled(self.proj(x))
        """
    )
    assert found["Mixer.forward:x"] == ("B", "T", "D")
    assert found["Mixer._scaled:w"] is None
