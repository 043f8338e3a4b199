"""What is otherwise with more rounds, with None for a word, with a shape for a number: nothing is said that holds by default alone."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from shown import shapes, values


def test_rounds_that_take_larger_widths_tell_that_sizes_hang_on_them(trace):
    found = shapes(
        """
        class Up(nn.Module):
            def __init__(self, width, steps=2):
                super().__init__()
                layers = []
                for _ in range(steps):
                    layers += [nn.Conv2d(width, width // 2, 1), nn.GroupNorm(32, width // 2), nn.Upsample(scale_factor=2)]
                    width = width // 2
                self.layers = nn.Sequential(*layers)
            def forward(self, x):
                return self.layers(x)
        """
    )
    assert found["Up.forward:x"][1] == "width"
    assert found["Up.forward:<return>"][2:] == (None, None)


def test_a_word_that_the_text_asks_whether_it_is_none_may_be(trace):
    found = shapes(
        """
        class Score(nn.Module):
            def __init__(self, channels, reduce="sum"):
                super().__init__()
                self.fc = nn.Conv1d(channels, channels, 1)
                self.reduce = reduce
            def forward(self, x):
                score = self.fc(x).mean((0, 2))
                if self.reduce is None:
                    pass
                elif self.reduce == "sum":
                    score = score.sum()
                return score
        """
    )
    assert found["Score.forward:<return>"] != ()


def test_a_shape_may_have_several_sizes(trace):
    found = shapes(
        """
        class Normalize(nn.Module):
            def __init__(self, shape: int | tuple[int, ...]):
                super().__init__()
                self.register_buffer("mean", torch.zeros(shape).unsqueeze(0))
            def forward(self, x):
                delta = x.mean(0, keepdim=True) - self.mean
                return delta
        """
    )
    assert found["Normalize.forward:delta"] != (1, "shape")


def test_what_is_halved_has_twice_the_width_there(trace):
    found = shapes(
        """
        class FiLM(nn.Module):
            def __init__(self, width, context_width):
                super().__init__()
                self.fc = nn.Linear(context_width, 2 * width)
            def forward(self, x, context):
                out = self.fc(context)
                scale, shift = torch.split(out, out.shape[1] // 2, dim=1)
                return scale * x + shift
        """
    )
    assert len(found["FiLM.forward:out"]) == 2 and found["FiLM.forward:out"][1] == "2*width"


def test_what_is_repeated_may_have_the_dim_in_front(trace):
    found = shapes(
        """
        class Attention(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.fc = nn.Linear(2 * width, width)
            def forward(self, hidden, outputs):
                steps = outputs.size(0)
                every = hidden.repeat(steps, 1, 1)
                return self.fc(torch.cat([every, outputs], 2))
        """
    )
    assert found["Attention.forward:hidden"] != ("B", "width")


def test_what_a_batch_size_beside_it_takes_apart_may_come_as_one_dim(trace):
    found = shapes(
        """
        class Attention(nn.Module):
            def __init__(self, width, heads):
                super().__init__()
                self.fc = nn.Linear(width, width)
                self.heads = heads
            def forward(self, x, batch_size):
                q = self.fc(x).view(batch_size, -1, self.heads, x.shape[-1] // self.heads)
                return q
        """
    )
    assert found["Attention.forward:x"] != ("batch_size", "T", "width")
    assert found["Attention.forward:q"][0] == "batch_size" and found["Attention.forward:q"][2] == "heads"


def test_under_autocast_that_the_file_speaks_of_numbers_are_others(trace):
    text = (
        "import torch\nfrom torch import nn\nclass Block(nn.Module):\n    def __init__(self, width):\n        super().__init__()\n"
        "        self.fc = nn.Linear(width, 2 * width)\n    def forward(self, x):\n        y = self.fc(x)\n        z = y.float()\n"
        "        return z\n"
    )
    plain, cast = trace(text), trace(text + "def context(): return torch.autocast('cpu')\n")
    assert plain.fact("y").value.dtype == cast.fact("z").value.dtype == "float32"
    assert cast.fact("y").value.dtype is cast.fact("x").value.dtype is None


_ATTENTION = """
    from dataclasses import dataclass
    from typing import Optional

    @dataclass
    class Args:
        dim: int = 64
        heads: int = 8
        kv_heads: Optional[int] = None
        max_len: int = 32

    class Attention(nn.Module):
        def __init__(self, args: Args):
            super().__init__()
            self.heads, self.head_dim = args.heads, args.dim // args.heads
            self.kv_heads = args.heads if args.kv_heads is None else args.kv_heads
            self.wq = nn.Linear(args.dim, args.heads * self.head_dim)
            self.wk = nn.Linear(args.dim, self.kv_heads * self.head_dim)
            self.cache = torch.zeros(args.max_len, args.dim)
        def forward(self, x, start: int):
            b, t, _ = x.shape
            self.cache[start : start + t] = x[0]
            cached = self.cache
            q = self.wq(x).view(b, t, self.heads, self.head_dim)
            k = self.wk(x).view(b, t, self.kv_heads, self.head_dim)
            WITH_BOTH
            return q
    """


def test_a_field_that_is_none_by_default_may_be_a_number(trace):
    found = shapes(_ATTENTION.replace("WITH_BOTH", "pass"))
    assert found["Attention.forward:q"] == ("b", "t", "heads", "head_dim")
    assert found["Attention.forward:k"] == ("b", "t", None, "head_dim")


def test_what_has_room_for_more_is_not_as_long_as_what_is_put_there(trace):
    found = shapes(_ATTENTION.replace("WITH_BOTH", "pass"))
    assert found["Attention.forward:cached"] == ("max_len", "dim")


def test_what_hangs_on_a_field_is_not_told_where_no_inputs_are_found_with_it(trace):
    refused = "k = k if self.kv_heads == self.heads else k @ k.new_zeros(3, 5, 7)"
    found = shapes(_ATTENTION.replace("WITH_BOTH", refused))
    assert found["Attention.forward:q"] == ("b", "t", "heads", "head_dim")
    assert not found.get("Attention.forward:k")


def test_what_hangs_on_a_word_is_not_told_where_no_inputs_are_found_for_it(trace):
    found = shapes(
        """
        class Pool(nn.Module):
            def __init__(self, dim, mode="mean"):
                super().__init__()
                self.mode = mode
                self.proj, self.odd = nn.Linear(dim, dim), nn.Linear(7, 5)
            def forward(self, x):
                b, t, d = x.shape
                h = self.proj(x)
                if self.mode == "mean":
                    out = h.mean(1)
                elif self.mode == "strange":
                    out = self.odd(h).reshape(b, 3, 3)
                return out + 1
        """
    )
    assert found["Pool.forward:h"] == ("b", "t", "d")
    assert not found.get("Pool.forward:out") and not found.get("Pool.forward:<return>")


def test_a_word_may_need_what_the_usual_one_has_left_behind(trace):
    found = shapes(
        """
        class Norm(nn.Module):
            def forward(self, x, mode: str):
                b, t, c = x.shape
                if mode == "norm":
                    self.mean = x.mean(1, keepdim=True)
                    x = x - self.mean
                elif mode == "denorm":
                    x = x + self.mean
                else:
                    raise NotImplementedError
                return x
        """
    )
    assert found["Norm.forward:<return>"] == ("b", "t", "c")


def test_a_word_that_some_letters_are_sought_in_may_lack_them(trace):
    found = values(
        """
        class Block(nn.Module):
            def __init__(self, width, norm="BatchNorm"):
                super().__init__()
                self.is_batch = "batch" in norm.lower()
                self.fc = nn.Linear(width, width)
            def forward(self, x):
                h = self.fc(x)
                h = h.transpose(1, 2).relu() if self.is_batch else h
                return h
        """
    )
    assert getattr(found["Block.forward:h"], "contiguous", None) is not False


def test_what_keywords_hand_on_may_be_given(trace):
    found = shapes(
        """
        class Block(nn.Module):
            def __init__(self, dim, pool=1):
                super().__init__()
                self.conv, self.pool = nn.Conv1d(dim, dim, 1), nn.MaxPool1d(pool)
            def forward(self, x):
                return self.pool(self.conv(x))
        class Tower(nn.Module):
            def __init__(self, dim, **kwargs):
                super().__init__()
                self.block = Block(dim, **kwargs)
            def forward(self, x):
                return self.block(x)
        """
    )
    x, y = found["Tower.forward:x"], found["Tower.forward:<return>"]
    assert x[:2] == y[:2] and y[2] != x[2]


def test_a_parameter_that_is_only_asked_is_a_flag(trace):
    found = shapes(
        """
        class Head(nn.Module):
            def __init__(self, dim, flat):
                super().__init__()
                self.fc, self.flat = nn.Linear(dim, dim), flat
            def forward(self, x):
                y = self.fc(x)
                if self.flat:
                    y = y[..., :1]
                return y
        """
    )
    assert found["Head.forward:<return>"] == ("*batch", None)


def test_an_input_of_which_nothing_is_left_tells_nothing(trace):
    found = shapes(
        """
        class Edges(nn.Module):
            def __init__(self, dim, attr_dim=0):
                super().__init__()
                self.fc = nn.Linear(dim + attr_dim, dim)
            def forward(self, x, attr=None):
                if attr is not None:
                    x = torch.cat([x, attr], dim=1)
                return self.fc(x)
        """
    )
    assert 0 not in (found.get("Edges.forward:attr") or ())


def test_a_mask_may_be_one_for_all_of_a_batch(trace):
    found = shapes(
        """
        def attention(query, key, mask=None):
            batch, steps, width = query.shape
            scores = query @ key.transpose(-2, -1)
            if mask is not None:
                mask = mask.unsqueeze(1)
                scores = scores.unsqueeze(1).masked_fill(mask == 0, -1e9)
            return scores
        """
    )
    assert found["attention:mask"] is None or found["attention:mask"][0] is None


def test_where_a_mask_of_booleans_is_copied_it_lies_without_gaps(trace):
    def wide(mask, width):
        return mask.unsqueeze(-1).expand(*mask.shape, width).float()

    assert wide(torch.ones(2, 3, dtype=torch.bool), 4).is_contiguous()
    assert not wide(torch.ones(2, 3), 4).is_contiguous()
    found = values(
        """
        def mean(x, mask):
            kept = mask.unsqueeze(-1).expand(x.size())
            wide = kept.float()
            return (x * wide).sum(1) / wide.sum(1)
        """
    )
    assert found["mean:wide"].contiguous is None
    assert found["mean:kept"].contiguous is False


def test_a_padding_that_is_as_large_as_another_number_by_chance_is_not_called_so(trace):
    text = """
        class Pool(nn.Module):
            def __init__(self, channels, filter_size=5, stride=2):
                super().__init__()
                self.padding, self.stride = {padding}, stride
                self.register_buffer("filter", torch.ones(channels, 1, filter_size - 2, filter_size - 2))
            def forward(self, x):
                return F.conv2d(x, self.filter, stride=self.stride, padding=self.padding, groups=x.shape[1])
        """
    found = shapes(text.format(padding="(filter_size - 2) // 2"))["Pool.forward:<return>"]
    assert found[:2] == ("B", "channels")
    for height, size, stride in ((32, 3, 1), (30, 5, 2), (31, 7, 3)):
        real = F.conv2d(
            torch.ones(1, 1, height, height),
            torch.ones(1, 1, size - 2, size - 2),
            stride=stride,
            padding=(size - 2) // 2,
        )
        told, padding = found[2], (size - 2) // 2  # which the constructor keeps under that name
        words = {"H": height, "filter_size": size, "stride": stride, "padding": padding}
        assert told is None or eval(told, words) == real.shape[2]
    assert shapes(text.format(padding="0"))["Pool.forward:<return>"][2] is not None


def test_what_comes_out_even_where_the_text_asks_may_leave_a_remainder(trace):
    found = shapes(
        """
        class Pool(nn.Module):
            def __init__(self, size=2):
                super().__init__()
                self.size = size
            def forward(self, x):
                b, c, n = x.shape
                rest = n % self.size
                is_uneven = rest > 0
                if is_uneven:
                    x = nn.functional.pad(x, (0, rest))
                return x.view(b, c, -1, self.size)

        class Strict(Pool):
            def forward(self, x):
                b, n, c = x.shape
                if n % self.size != 0:
                    raise ValueError("no whole number of patches")
                return x.reshape(b, n // self.size, self.size * c)
        """
    )
    assert found["Pool.forward:<return>"] == ("b", "c", None, "size")
    assert found["Strict.forward:<return>"][1] == "n//size"


def test_a_further_round_makes_another_size_and_its_number_is_no_remainder(trace):
    found = shapes(
        """
        class Scales(nn.Module):
            def __init__(self, width, stride=1, scale=2):
                super().__init__()
                self.nums = scale
                self.first = nn.Conv1d(width, width, 1, stride=stride)
                self.convs = nn.ModuleList([nn.Conv1d(width, width, 3, padding=1) for _ in range(scale)])
            def forward(self, x):
                x = self.first(x)
                for i in range(self.nums):
                    if i == 0:
                        part = x
                    else:
                        part = part + x
                    part = self.convs[i](part)
                    out = part if i == 0 else out
                    if i > 0:
                        out = torch.cat((out, part), 1)
                return part
        """
    )
    assert found["Scales.forward:part"] == ("B", "width", "(D - 1)//stride + 1")
    assert found["Scales.forward:out"] == ("B", None, "(D - 1)//stride + 1")  # twice the width, three times
