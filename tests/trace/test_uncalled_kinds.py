"""Of which kind is what a constructor or a call is given: dicts, classes of the file, words, lists of feature maps."""

from __future__ import annotations

from shown import shapes


def test_a_dict_of_sizes_is_looped_over(trace):
    found = shapes(
        """
        from typing import Dict

        class Select(nn.Module):
            def __init__(self, input_sizes: Dict[str, int], hidden):
                super().__init__()
                self.sizes = input_sizes
                self.layers = nn.ModuleDict({name: nn.Linear(size, hidden) for name, size in input_sizes.items()})
            def forward(self, x: Dict[str, torch.Tensor]):
                found = []
                for name in self.sizes.keys():
                    y = self.layers[name](x[name])
                    found.append(y)
                return torch.stack(found, dim=-1)
        """
    )
    assert found["Select.forward:y"][-1] == "hidden"


def test_a_class_of_the_file_is_given_where_the_annotation_says_so(trace):
    found = shapes(
        """
        from typing import Type

        class Bottleneck(nn.Module):
            def __init__(self, inplanes, planes):
                super().__init__()
                self.conv = nn.Conv2d(inplanes, planes, 1)
            def forward(self, x):
                return self.conv(x)

        class Glass(nn.Module):
            def __init__(self, block: Type[Bottleneck], width, planes):
                super().__init__()
                self.first = block(width, planes)
            def forward(self, x):
                y = self.first(x)
                return y
        """
    )
    assert found["Glass.forward:y"] == ("B", "planes", "H", "W")


def test_a_word_that_is_split_is_none_of_numbers(trace):
    found = shapes(
        """
        class Basis(nn.Module):
            def __init__(self, size, mode: str):
                super().__init__()
                assert mode in ["nearest", "linear"] or "cubic" in mode
                self.size, self.mode = size, mode
            def forward(self, knots):
                B, C, T = knots.shape
                if self.mode in ["nearest", "linear"]:
                    out = F.interpolate(knots, size=self.size, mode=self.mode)
                else:
                    out = knots.new_zeros(B, C, self.size).repeat(int(self.mode.split("-")[-1]), 1, 1)
                return out
        """
    )
    assert found["Basis.forward:knots"] == ("B", "C", "T")


def test_where_the_text_knows_but_one_word_there_is_another_way(trace):
    found = shapes(
        """
        def conv_of(dims):
            if dims == 2:
                return nn.Conv2d
            return nn.Conv3d

        class Out(nn.Module):
            def __init__(self, in_channels, n_classes, dim):
                super().__init__()
                self.conv = conv_of(2 if dim == "2d" else 3)(in_channels, n_classes, 1)
                self.fill = self.conv.weight.shape[0]
            def forward(self, x):
                y = self.conv(x)
                return y
        """
    )
    assert found["Out.forward:y"] != ("B", "n_classes", "H", "W")


def test_as_many_feature_maps_are_given_as_they_are_taken_apart_into(trace):
    found = shapes(
        """
        class Decoder(nn.Module):
            def __init__(self, channels, width):
                super().__init__()
                self.p5 = nn.Conv2d(channels[-1], width, 1)
                self.p4 = nn.Conv2d(channels[-2], width, 1)
            def forward(self, *features):
                c2, c3, c4, c5 = features[-4:]
                top = self.p5(c5)
                side = self.p4(c4)
                return top, side
        """
    )
    assert (
        found["Decoder.forward:top"] == ("B", "width", "H", "W") or found["Decoder.forward:top"][1] == "width"
    )


def test_nothing_is_told_of_a_helper_that_is_given_more_than_was_seen(trace):
    found = shapes(
        """
        from somewhere import secret

        def exists(val):
            return val is not None

        class Seen(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.fc = nn.Linear(dim, dim)
            def forward(self, x):
                B, T, D = x.shape
                if exists(x):
                    x = self.fc(x)
                return x

        class Unseen(nn.Module):
            def __init__(self, dim):
                super().__init__()
                raise ValueError("not today")
            def forward(self, edges):
                return 1 if exists(edges) else 2
        """
    )
    assert found.get("exists:val") is None


def test_feature_maps_are_each_of_a_size_of_their_own(trace):
    found = shapes(
        """
        class Merge(nn.Module):
            def __init__(self, channels, width):
                super().__init__()
                channels = channels[::-1]
                self.p5 = nn.Conv2d(channels[0], width, 1)
                self.p4 = nn.Conv2d(channels[1], width, 1)
                self.p3 = nn.Conv2d(channels[2], width, 1)
                self.p2 = nn.Conv2d(channels[3], width, 1)
            def forward(self, *features):
                c2, c3, c4, c5 = features[-4:]
                p5 = self.p5(c5)
                p4 = F.interpolate(p5, scale_factor=2) + self.p4(c4)
                p3 = F.interpolate(p4, scale_factor=2) + self.p3(c3)
                p2 = F.interpolate(p3, scale_factor=2) + self.p2(c2)
                return p2
        """
    )
    assert found["Merge.forward:p4"][1] == "width" and found["Merge.forward:p5"][1] == "width"


def test_how_many_sizes_a_dict_has_is_no_size_of_the_inputs(trace):
    found = shapes(
        """
        class Tokens(nn.Module):
            def __init__(self, classes, names, dim=32):
                super().__init__()
                self.embeds = nn.ModuleList([nn.Embedding(size, dim) for size in classes.values()])
                self.scale = nn.Linear(1, dim)
                self.count = len(names)
                self.position = nn.Parameter(torch.zeros(1, len(classes.keys()) + self.count, dim))
            def forward(self, x_cat, x_cont=None):
                x = torch.stack([e(x_cat[:, i]) for i, e in enumerate(self.embeds)], 1)
                if self.count:
                    x = torch.cat([x, self.scale(x_cont.unsqueeze(2))], 1)
                return x + self.position
        """
    )
    assert found.get("Tokens.forward:<return>") is None or 6 not in found["Tokens.forward:<return>"]


def test_the_parts_of_a_state_may_have_unlike_widths(trace):
    found = shapes(
        """
        class Cell(nn.Module):
            def __init__(self, deter, stoch, hidden):
                super().__init__()
                self.mlp = nn.Linear(stoch, hidden)
                self.gru = nn.GRUCell(hidden, deter)
            def forward(self, mask, state):
                h, z = state
                h, z = h * mask, z * mask
                return self.gru(self.mlp(z), h)
        """
    )
    assert found["Cell.forward:z"][-1] == "stoch"  # type: ignore[index]
    assert found["Cell.forward:<return>"][-1] == "deter"  # type: ignore[index]


def test_lists_of_lists_and_words_that_an_annotation_has(trace):
    found = shapes(
        """
        from typing import Literal

        class Block(nn.Module):
            def __init__(self, channels, dilations, policy: Literal["add", "cat"] = "add"):
                super().__init__()
                self.policy = policy
                self.convs = nn.ModuleList([
                    nn.Conv1d(channels, channels, 3, padding=d[0], dilation=d[0]) for d in dilations
                ])
            def forward(self, x):
                for conv in self.convs:
                    y = conv(x)
                    x = x + y
                z = x if self.policy == "add" else torch.cat([x, x], dim=1)
                return z
        """
    )
    assert found["Block.forward:y"] == ("B", "channels", "D")
    assert found["Block.forward:z"] in (None, ("B", None, "D"))
