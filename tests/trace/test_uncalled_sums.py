"""Sizes that have to be shares of others, or sums of them: which gives way, and to what."""

from __future__ import annotations

from types import SimpleNamespace

from shown import shapes

from shapewise.trace.naming.steps import Steps
from shapewise.trace.uncalled.inputs.sizes import Free, Made, Sizes
from shapewise.trace.uncalled.searching.search import _applies


def test_of_two_channels_that_groups_should_divide_the_right_one_gives_way(trace):
    found = shapes(
        """
        class DepthWise(nn.Module):
            def __init__(self, chan_in, chan_out, kernel_size):
                super().__init__()
                self.conv = nn.Conv1d(chan_in, chan_out, kernel_size, groups=chan_in)
            def forward(self, x):
                return self.conv(x)
        """
    )
    assert found["DepthWise.forward:x"][1] == "chan_in"
    assert found["DepthWise.forward:<return>"][1] == "chan_out"


def test_two_of_one_width_side_by_side_are_twice_that_width(trace):
    found = shapes(
        """
        class Edges(nn.Module):
            def __init__(self, dim, edge_dim=0, fourier=0):
                super().__init__()
                edge_input = fourier * 2 + dim * 2 + edge_dim + 1
                self.mlp = nn.Linear(edge_input, 16)
            def forward(self, feats, coors):
                B, N, D = feats.shape
                i, j = feats[:, :, None], feats[:, None]
                distance = (coors[:, :, None] - coors[:, None]).norm(dim=-1, keepdim=True)
                i, j = torch.broadcast_tensors(i, j)
                joined = torch.cat((i, j, distance), dim=-1)
                return self.mlp(joined)
        """
    )
    assert found["Edges.forward:joined"] == ("B", "N", "N", "edge_input")


def test_pairs_are_as_wide_as_what_a_layer_of_twice_a_width_takes(trace):
    found = shapes(
        """
        class Pairs(nn.Module):
            def __init__(self, dim, out):
                super().__init__()
                self.fc = nn.Linear(2 * dim, out)
            def forward(self, x):
                pairs = torch.cat([x, x.flip(1)], -1)
                return self.fc(pairs)
        """
    )
    assert found["Pairs.forward:x"][-1] == "dim" and found["Pairs.forward:pairs"][-1] == "2*dim"


def test_a_window_is_not_told_by_a_stride_that_grows_as_it_does(trace):
    found = shapes(
        """
        class Conv(nn.Module):
            def __init__(self, in_channels, out_channels, kernel_size, stride=1):
                super().__init__()
                self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, stride=stride)
            def forward(self, x):
                return self.conv(x)
        """
    )
    out = ("B", "out_channels", "(H - kernel_size)//stride + 1", "(W - kernel_size)//stride + 1")
    assert found["Conv.forward:<return>"] == out


def test_a_flag_is_tried_with_the_padding_that_may_be_given(trace):
    found = shapes(
        """
        class Up(nn.Module):
            def __init__(self, dim, kernel_size, padding=0, twice=False):
                super().__init__()
                self.conv = nn.Conv2d(dim, dim, kernel_size, padding=padding)
                self.twice = twice
            def forward(self, x):
                x = self.conv(x)
                if self.twice:
                    y = F.interpolate(x, scale_factor=2)
                    return y
                return x
        """
    )
    assert found["Up.forward:y"] == ("B", "dim", None, None)


def test_what_is_halved_is_no_multiple_of_the_rounds_of_a_loop(trace):
    found = shapes(
        """
        class Gated(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.norm = nn.LayerNorm(dim // 2)
                self.out = nn.Linear(dim // 2, dim)
            def forward(self, x):
                a, b = x.chunk(2, dim=-1)
                return self.out(a * self.norm(b))

        class Stack(nn.Module):
            def __init__(self, dim, depth):
                super().__init__()
                self.layers = nn.ModuleList([Gated(dim) for _ in range(depth)])
                self.fc = nn.Linear(3, dim)
            def forward(self, x):
                B, T, _ = x.shape
                x = self.fc(x)
                for layer in self.layers:
                    x = layer(x)
                return x
        """
    )
    assert found["Stack.forward:<return>"] == ("B", "T", "dim")


def test_a_layer_made_of_numbers_keeps_its_own_words(trace):
    found = shapes(
        """
        class Block(nn.Module):
            def __init__(self, channel, dim):
                super().__init__()
                self.conv = nn.Conv2d(channel, dim, 1)
            def forward(self, x):
                y = self.conv(x)
                return y

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.one = Block(3, 64)
                self.two = Block(64, 96)
            def forward(self, x):
                return self.two(self.one(x))
        """
    )
    assert found["Block.forward:x"] == ("B", "channel", "H", "W")
    assert found["Block.forward:y"] == ("B", "dim", "H", "W")
    assert found["Net.forward:<return>"] == ("B", 96, "H", "W")


def test_rounds_of_a_loop_are_no_size_of_a_table_that_has_to_be_even(trace):
    found = shapes(
        """
        class Positions(nn.Module):
            def __init__(self, d_model, max_seq_len=160):
                super().__init__()
                assert d_model % 2 == 0
                pe = torch.zeros(max_seq_len, d_model)
                for pos in range(max_seq_len):
                    for i in range(0, d_model, 2):
                        pe[pos, i] = pos / (10000 ** ((2 * i) / d_model))
                self.register_buffer("pe", pe.unsqueeze(0))
                self.d_model = d_model
            def forward(self, x):
                pe = self.pe[:, : x.size(0)].view(x.size(0), 1, self.d_model)
                return x + pe
        """
    )
    for name in ("__init__:pe", "forward:pe", "forward:<return>"):
        shape = found.get(f"Positions.{name}") or ()
        assert not {2, 4} & set(shape)


def test_a_pattern_says_which_factor_is_which(trace):
    found = shapes(
        """
        from einops.layers.torch import Rearrange
        class Grouped(nn.Module):
            def __init__(self, dim, groups):
                super().__init__()
                self.merge = Rearrange("b n l d -> b (l d) n")
                self.conv = nn.Conv1d(dim * groups, dim * groups, 1, groups=groups)
                self.split = Rearrange("b (l d) n -> b n l d", l=groups)
            def forward(self, levels):
                return self.split(self.conv(self.merge(levels)))
        """
    )
    assert found["Grouped.forward:levels"][2:] == ("groups", "dim")
    assert found["Grouped.forward:<return>"][2:] == ("groups", "dim")


def test_two_sizes_that_are_made_of_each_other_have_no_end() -> None:
    one, other = (2, 3, 5), (3, 4, 6)
    steps = Steps()
    steps.learn(one, ("+", tuple([other] * 8)))
    steps.learn(other, ("+", tuple([one] * 8)))
    assert steps.shown(one, lambda row: None) is None


def test_a_change_that_makes_a_size_of_itself_does_not_apply() -> None:
    sizes, dim, groups = Sizes(), Free("dim"), Free(None)
    dim.multiples.append(groups)

    def change() -> bool:
        groups.equals = Made("*", (dim, 2))
        return sizes.value(dim, 0) > 0

    assert not _applies(SimpleNamespace(sizes=sizes), change)  # type: ignore[arg-type]
