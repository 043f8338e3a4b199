"""Inputs that are made up for what nobody calls: what the search finds out, held against real torch.

What is said of each place has to be true of a real run with sizes that nobody made up.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import torch

sys.path[:0] = [str(Path(__file__).parent)]

from held_against_torch import holds, really, said  # noqa: E402

BOXES = """
    import torch

    def box_iou(boxes1, boxes2):
        area1 = (boxes1[:, 2] - boxes1[:, 0]) * (boxes1[:, 3] - boxes1[:, 1])
        area2 = (boxes2[:, 2] - boxes2[:, 0]) * (boxes2[:, 3] - boxes2[:, 1])
        lt = torch.max(boxes1[:, None, :2], boxes2[:, :2])
        rb = torch.min(boxes1[:, None, 2:], boxes2[:, 2:])
        wh = (rb - lt).clamp(min=0)
        inter = wh[:, :, 0] * wh[:, :, 1]
        return inter / (area1[:, None] + area2 - inter)
"""


def test_boxes_have_as_many_numbers_as_their_parts(trace):
    assert said(BOXES)["box_iou:boxes1"] == ("B", 4)
    holds(
        BOXES,
        "box_iou",
        lambda names: names["box_iou"](torch.rand(7, 4), torch.rand(5, 4)),
        {"B": 7, "B2": 5},
        8,
    )


def test_what_is_unbound_into_names_is_as_many(trace):
    found = said(
        """
        import torch
        def corners(x):
            x_c, y_c, w, h = x.unbind(-1)
            return torch.stack([x_c - w / 2, y_c - h / 2, x_c + w / 2, y_c + h / 2], dim=-1)
        """
    )
    assert found["corners:<return>"][-1] == 4


ATTENTION = """
    import torch, torch.nn as nn

    class Attention(nn.Module):
        def __init__(self, channels, num_heads=1):
            super().__init__()
            self.num_heads = num_heads
            self.norm = nn.GroupNorm(4, channels)
            self.qkv = nn.Conv1d(channels, channels * 3, 1)

        def forward(self, x):
            qkv = self.qkv(self.norm(x))
            bs, width, length = qkv.shape
            ch = width // (3 * self.num_heads)
            q, k, v = qkv.reshape(bs * self.num_heads, ch * 3, length).split(ch, dim=1)
            weight = torch.einsum("bct,bcs->bts", q, k)
            h = torch.einsum("bts,bcs->bct", weight, v).reshape(bs, -1, length)
            return h
"""


def test_a_change_that_only_the_last_run_needs_stays(trace):
    holds(
        ATTENTION,
        "Attention.forward",
        lambda names: names["Attention"](24, 2)(torch.rand(3, 24, 30)),
        {"num_heads": 2, "channels": 24},
        5,
    )


MERGING = """
    import torch, torch.nn as nn

    class Merging(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.reduction = nn.Linear(4 * dim, 2 * dim)

        def forward(self, x):
            B, H, W, C = x.shape
            x0 = x[:, 0::2, 0::2, :]
            x1 = x[:, 1::2, 0::2, :]
            x2 = x[:, 0::2, 1::2, :]
            x3 = x[:, 1::2, 1::2, :]
            y = torch.cat([x0, x1, x2, x3], -1)
            return self.reduction(y)
"""


def test_what_is_halved_both_ways_is_even(trace):
    assert said(MERGING)["Merging.forward:x"] == ("B", "H", "W", "C")
    holds(
        MERGING,
        "Merging.forward",
        lambda names: names["Merging"](12)(torch.rand(3, 6, 10, 12)),
        {"dim": 12},
        7,
    )


PATCHES = """
    import torch, torch.nn as nn

    class Patches(nn.Module):
        def __init__(self, image_size, patch_size, dim, channels=3):
            super().__init__()
            assert image_size % patch_size == 0
            self.patch_size = patch_size
            self.proj = nn.Linear(channels * patch_size**2, dim)
            self.cls = nn.Parameter(torch.zeros(1, 1, dim))
            self.pos = nn.Parameter(torch.zeros(1, (image_size // patch_size) ** 2 + 1, dim))

        def forward(self, img):
            b, c, h, w = img.shape
            p = self.patch_size
            x = img.reshape(b, c, h // p, p, w // p, p).permute(0, 2, 4, 3, 5, 1)
            x = x.reshape(b, (h // p) * (w // p), p * p * c)
            x = self.proj(x)
            x = torch.cat([self.cls.expand(b, -1, -1), x], dim=1)
            return x + self.pos
"""


def test_a_picture_has_as_many_patches_as_there_are_positions(trace):
    assert said(PATCHES)["Patches.forward:img"] is not None
    holds(
        PATCHES,
        "Patches.forward",
        lambda names: names["Patches"](20, 5, 16, channels=1)(torch.rand(2, 1, 20, 20)),
        {"image_size": 20, "patch_size": 5, "dim": 16, "channels": 1},
        3,
    )


PADDED = """
    import torch, torch.nn as nn, torch.nn.functional as F

    class Landmarks(nn.Module):
        def __init__(self, dim, m):
            super().__init__()
            self.m, self.proj = m, nn.Linear(dim, dim)

        def forward(self, x):
            b, n, d = x.shape
            left = n % self.m
            if left > 0:
                x = F.pad(x, (0, 0, self.m - left, 0))
            q = self.proj(x)
            marks = q.reshape(b, self.m, -1, d).sum(2)
            return (q @ marks.transpose(1, 2))[:, -n:]
"""


@pytest.mark.parametrize("n", [12, 14])
def test_a_condition_that_only_one_way_leads_on_from(trace, n):
    found = said(PADDED)
    assert found["Landmarks.forward:marks"] == ("b", "m", "d")
    assert found["Landmarks.forward:q"] == ("b", None, "d")  # padded or not
    real = really(PADDED, "Landmarks.forward", lambda names: names["Landmarks"](8, 4)(torch.rand(2, n, 8)))
    assert real["marks"].shape == (2, 4, 8)


def test_an_option_that_nothing_fits_hides_nothing(trace):
    found = said(
        """
        import torch.nn as nn
        class Conv(nn.Module):
            def __init__(self, width, out=None, bias=True, device=None, dtype=None):
                super().__init__()
                self.conv = nn.Conv2d(width, width, 3, padding=1, bias=bias, device=device, dtype=dtype)
            def forward(self, x):
                return self.conv(x)
        """
    )
    assert found["Conv.forward:<return>"] == ("B", "width", "H", "W")


def test_a_layer_further_in_is_not_told_in_words_of_its_user(trace):
    found = said(
        """
        import torch, torch.nn as nn
        class Inner(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.norm = nn.LayerNorm(dim)
            def forward(self, x):
                assert x.ndim == 3
                return self.norm(x)
        class Outer(nn.Module):
            def __init__(self, length, width):
                super().__init__()
                self.inner, self.length = Inner(width), length
            def forward(self, x):
                b, t = x.shape
                return self.inner(x.view(b, t // self.length, self.length, 1) * 1.0)
        """.replace("self.length, 1)", "self.length)")
    )
    assert "length" in str(found["Outer.forward:<return>"])
    assert "length" not in str(found["Inner.forward:x"])


def test_the_end_of_a_shape_that_is_taken_apart_is_open(trace):
    found = said(
        """
        import torch.nn as nn
        class Flat(nn.Module):
            def __init__(self, channels):
                super().__init__()
                self.conv = nn.Conv1d(channels, channels, 1)
            def forward(self, x):
                b, c, *rest = x.shape
                y = self.conv(x.reshape(b, c, -1))
                return y.reshape(b, c, *rest)
        """
    )
    assert found["Flat.forward:x"] is None
    assert found["Flat.forward:<return>"] is None


PYRAMID = """
    import torch, torch.nn as nn, torch.nn.functional as F

    class Pyramid(nn.Module):
        def __init__(self, widths, out):
            super().__init__()
            self.inner = nn.ModuleList([nn.Conv2d(width, out, 1) for width in widths])

        def forward(self, features):
            last = self.inner[-1](features[-1])
            for at in range(len(features) - 2, -1, -1):
                side = self.inner[at](features[at])
                last = side + F.interpolate(last, size=side.shape[-2:])
            return last
"""


def test_what_has_a_length_and_is_given_to_layers_is_a_list_of_tensors(trace):
    found = said(PYRAMID)
    assert found["Pyramid.forward:<return>"] == ("B", "out", "H", "W")
    real = really(
        PYRAMID,
        "Pyramid.forward",
        lambda names: names["Pyramid"]([4, 5, 6], 7)([torch.rand(2, n, 24 - n, 9) for n in (4, 5, 6)]),
    )
    assert real["<return>"].shape == (2, 7, 20, 9)


def test_an_argument_that_is_left_out_lends_no_name(trace):
    found = said(
        """
        import torch.nn as nn
        class Block(nn.Module):
            def __init__(self, width, wide=None):
                super().__init__()
                self.wide = wide or width
                wide = self.wide
                self.a, self.b = nn.Conv2d(width, wide, 1), nn.Conv2d(wide, width, 1)
            def forward(self, x):
                return self.b(self.a(x))
        """
    )
    assert found["Block.forward:x"] == ("B", "width", "H", "W")


def test_a_tensor_has_a_length_too(trace):
    found = said(
        """
        import torch.nn as nn
        class Head(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.conv = nn.Conv2d(width, width, 1)
            def forward(self, x):
                return self.conv(x).view(len(x), -1)
        """
    )
    assert found["Head.forward:x"] == ("B", "width", "H", "W")


def test_a_batch_is_no_parameter_where_one_dim_fewer_will_do(trace):
    found = said(
        """
        import torch.nn as nn
        class Actor(nn.Module):
            def __init__(self, obs_dim, act_dim):
                super().__init__()
                self.mean = nn.Linear(obs_dim, act_dim)
            def forward(self, obs):
                action = self.mean(obs)
                score = action.pow(2).sum(-1)
                score = score - action.sum(axis=1)
                return action, score
        """
    )
    assert found["Actor.forward:obs"] == ("B", "obs_dim")
    assert found["Actor.forward:score"] == ("B",)


def test_a_definition_that_another_uses_is_tried_by_itself():
    text = """
        import torch
        from torch import nn

        class Inner(nn.Module):
            def __init__(self, d_model, d_state=16):
                super().__init__()
                self.A = nn.Parameter(torch.ones(d_model, d_state))

            def forward(self, x):
                y = x @ self.A
                return y

        class Outer(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.inner = Inner(width)

            def forward(self, x):
                z = self.inner(x)
                return z
    """
    found = said(text)
    assert found["Inner.forward:y"][-1] == "d_state"
    assert said(text)["Outer.forward:z"][-1] == 16


def test_what_is_handed_on_is_what_the_other_function_takes_it_for():
    text = """
        import torch

        def extract(a, t, x_shape):
            b, *_ = t.shape
            out = a.gather(-1, t)
            return out.reshape(b, *((1,) * (len(x_shape) - 1)))

        def q_sample(x, t, table):
            a = extract(table, t, x.shape)
            return a
    """

    def run(names: dict[str, Any]) -> None:
        names["q_sample"](torch.randn(2, 3, 5), torch.tensor([1, 0]), torch.rand(7))

    assert len(said(text)["q_sample:t"]) == len(really(text, "q_sample", run)["t"].shape)


@pytest.mark.parametrize(
    ("order", "hidden", "memory"),
    [("enc_dim + dec_dim", "dec_dim", "enc_dim"), ("dec_dim + enc_dim", "dec_dim", "enc_dim")],
)
def test_words_say_which_input_has_which_width(order, hidden, memory):
    shapes = said(
        f"""
        import torch
        from torch import nn

        class Attention(nn.Module):
            def __init__(self, enc_dim, dec_dim):
                super().__init__()
                self.attn = nn.Linear({order}, dec_dim)

            def forward(self, dec_hidden, encoder_outputs):
                both = torch.cat((dec_hidden, encoder_outputs), dim=2)
                return self.attn(both)
        """
    )
    assert shapes["Attention.forward:dec_hidden"][-1] == hidden
    assert shapes["Attention.forward:encoder_outputs"][-1] == memory


def test_without_words_nobody_knows_which_input_has_which_width():
    shapes = said(
        """
        import torch
        from torch import nn

        class Mix(nn.Module):
            def __init__(self, left, right):
                super().__init__()
                self.lin = nn.Linear(left + right, left)

            def forward(self, u, v):
                return self.lin(torch.cat((u, v), dim=2))
        """
    )
    assert shapes["Mix.forward:u"][-1] is None
    assert shapes["Mix.forward:<return>"][-1] == "left"


def test_layers_that_torch_stacks_are_few(trace):
    text = """
        import torch
        from torch import nn

        class Tagger(nn.Module):
            def __init__(self, vocab, width, hidden, num_layers, depth, heads):
                super().__init__()
                self.embed = nn.Embedding(vocab, width)
                layer = nn.TransformerEncoderLayer(width, heads, batch_first=True)
                self.blocks = nn.TransformerEncoder(layer, depth)
                self.lstm = nn.LSTM(width, hidden, num_layers=num_layers, batch_first=True)

            def forward(self, tokens):
                mixed = self.blocks(self.embed(tokens))
                out, _ = self.lstm(mixed)
                return out
        """
    words = {
        "B": 3,
        "T": 5,
        "D": 5,
        "vocab": 11,
        "width": 8,
        "hidden": 6,
        "num_layers": 2,
        "depth": 3,
        "heads": 2,
    }
    run = lambda names: names["Tagger"](11, 8, 6, 2, 3, 2)(torch.zeros(3, 5, dtype=torch.long))  # noqa: E731
    holds(text, "Tagger.forward", run, words, at_least=3)
