"""Parameters of what nobody calls that select among a few things: each is tried, and tells a variant."""

from __future__ import annotations

import pytest
from shown import shapes, variants

BY_A_NUMBER = """
def conv_for(dims, *args):
    if dims == 1:
        return nn.Conv1d(*args)
    elif dims == 2:
        return nn.Conv2d(*args)
    raise ValueError(f"unsupported dimensions: {dims}")

class OfTuple(nn.Module):
    def __init__(self, dims, width):
        super().__init__()
        self.conv = (nn.Conv1d, nn.Conv2d)[dims - 1](width, 2 * width, 1)
    def forward(self, x):
        y = self.conv(x)
        return y

class OfDict(nn.Module):
    def __init__(self, dims, width):
        super().__init__()
        self.conv = {1: nn.Conv1d, 2: nn.Conv2d}[dims](width, 2 * width, 1)
    def forward(self, x):
        y = self.conv(x)
        return y

class Called(nn.Module):
    def __init__(self, width, dims=2):
        super().__init__()
        self.conv = conv_for(dims, width, 2 * width, 1)
    def forward(self, x):
        y = self.conv(x)
        return y

class Otherwise(nn.Module):
    def __init__(self, width, ndim):
        super().__init__()
        if ndim == 1:
            self.conv = nn.Conv1d(width, 2 * width, 1)
        else:
            self.conv = nn.Conv2d(width, 2 * width, 1)
    def forward(self, x):
        y = self.conv(x)
        return y

class ByWord(nn.Module):
    def __init__(self, width, kind):
        super().__init__()
        if kind == "line":
            self.conv = nn.Conv1d(width, 2 * width, 1)
        elif kind == "picture":
            self.conv = nn.Conv2d(width, 2 * width, 1)
        else:
            raise ValueError(kind)
    def forward(self, x):
        y = self.conv(x)
        return y
"""
LINE, PICTURE = ("B", "2*width", "D"), ("B", "2*width", "H", "W")


@pytest.fixture(scope="module")
def told(trace):
    return variants(BY_A_NUMBER)


@pytest.mark.parametrize("name", ["OfTuple", "OfDict", "Called", "Otherwise", "ByWord"])
def test_each_way_is_a_variant(told, name):
    assert set(told[f"{name}.forward:y"]) == {LINE, PICTURE}


def test_a_name_that_is_put_together_of_a_number(trace):
    told = variants(
        """
        class Named(nn.Module):
            def __init__(self, ndim, width):
                super().__init__()
                self.conv = getattr(nn, f"Conv{ndim}d")(width, width, 1)
            def forward(self, x):
                y = self.conv(x).flatten(2)
                return y
        """
    )
    assert set(told["Named.forward:y"]) == {
        ("B", "width", "D"),
        ("B", "width", "H*W"),
        ("B", "width", "H*T*W"),
    }


def test_what_only_a_flag_leads_to_is_told_of_each_way(trace):
    told = variants(
        """
        class Block(nn.Module):
            def __init__(self, width, ndim=2, skips=False):
                super().__init__()
                if ndim not in (2, 3):
                    raise ValueError(f"2 or 3, got {ndim}")
                conv = nn.Conv2d if ndim == 2 else nn.Conv3d
                self.conv = conv(width, width, 3, padding=1)
                self.skip = conv(width, width, 1) if skips else None
            def forward(self, x):
                h = self.conv(x)
                if self.skip is not None:
                    s = h + self.skip(x)
                    return s
                return h
        """
    )
    assert set(told["Block.forward:s"]) == {("B", "width", "H", "W"), ("B", "width", "T", "H", "W")}


def test_where_more_numbers_do_than_the_text_names_none_is_told(trace):
    told = variants(
        """
        class Larger(nn.Module):
            def __init__(self, scale, width):
                super().__init__()
                layers = []
                if (scale & (scale - 1)) == 0:
                    layers = [nn.Conv2d(width, 4 * width, 3, padding=1), nn.PixelShuffle(2)]
                elif scale == 3:
                    layers = [nn.Conv2d(width, 9 * width, 3, padding=1), nn.PixelShuffle(3)]
                self.up = nn.Sequential(*layers)
            def forward(self, x):
                y = self.up(x)
                return y

        class Tabled(nn.Module):
            def __init__(self, depth=11):
                super().__init__()
                width = {11: 128, 13: 128, 16: 256}[depth]
                self.conv = nn.Conv2d(3, width, 1)
            def forward(self, x):
                y = self.conv(x)
                return y
        """
    )
    assert told["Larger.forward:y"] == [None]
    assert set(told["Tabled.forward:y"]) == {("B", 128, "H", "W"), ("B", 256, "H", "W")}


def test_a_kind_of_convolution_may_be_of_any_dims(trace):
    told = variants(
        """
        from typing import Type
        from torch.nn.modules.conv import _ConvNd

        class Stated(nn.Module):
            def __init__(self, kind: Type[_ConvNd], width: int):
                super().__init__()
                self.layer = kind(width, 2 * width, 1)
            def forward(self, x):
                y = self.layer(x)
                return y

        class Named(nn.Module):
            def __init__(self, conv, width):
                super().__init__()
                self.layer = conv(width, 2 * width, 1)
            def forward(self, x):
                y = self.layer(x)
                return y
        """
    )
    volume = ("B", "2*width", "T", "H", "W")
    assert set(told["Stated.forward:y"]) == set(told["Named.forward:y"]) == {LINE, PICTURE, volume}


def test_a_number_that_nothing_else_fits_is_one_that_the_text_asks_for(trace):
    found = shapes(
        """
        class Up(nn.Module):
            def __init__(self, args):
                super().__init__()
                self.scale = args.scale
                self.conv = nn.Conv2d(3, 3, 3, padding=1)
            def forward(self, x):
                out = self.conv(x)
                if self.scale == 2 or self.scale == 3:
                    out = F.interpolate(out, scale_factor=self.scale)
                elif self.scale == 4:
                    out = F.interpolate(F.interpolate(out, scale_factor=2), scale_factor=2)
                out = out + F.interpolate(x, scale_factor=self.scale)
                return out
        class Norm(nn.Module):
            def __init__(self, width, part=0):
                super().__init__()
                self.part = part
                self.fc = nn.Linear(width, 2 * width)
            def forward(self, x, given):
                given = self.fc(given)
                if self.part == 1:
                    scale, shift = given.chunk(2, dim=1)
                    scale, shift = scale[:, None, :], shift[:, None, :]
                else:
                    scale, shift = given.chunk(2, dim=-1)
                out = x * scale + shift
                return out
        """
    )
    assert found["Up.forward:<return>"] == ("B", 3, "H*scale", "W*scale")
    assert found["Norm.forward:out"] is None  # with 1 it has another rank
