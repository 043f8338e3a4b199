"""Sizes that come out right whatever was computed of them on the way: the way back to the input."""

from __future__ import annotations

from shown import shapes


def test_a_picture_is_as_large_as_its_positions_through_any_layers(trace):
    found = shapes(
        """
        class Pooled(nn.Module):
            def __init__(self, resolution, width):
                super().__init__()
                self.stem = nn.Conv2d(3, width, kernel_size=3, stride=2, padding=1)
                self.down = nn.Conv2d(width, width, kernel_size=3, stride=2, padding=1)
                self.pos = nn.Parameter(torch.randn((resolution // 4) ** 2 + 1, width))
            def forward(self, x):
                x = self.down(self.stem(x))
                tokens = x.flatten(start_dim=2).permute(2, 0, 1)
                tokens = torch.cat([tokens.mean(dim=0, keepdim=True), tokens], dim=0)
                return tokens + self.pos[:, None, :]
        """
    )
    assert found["Pooled.forward:<return>"][1:] == ("B", "width")


def test_channels_in_groups_that_a_view_makes(trace):
    found = shapes(
        """
        class Shuffle(nn.Module):
            def __init__(self, channel=512, G=8):
                super().__init__()
                self.G = G
                self.weight = nn.Parameter(torch.zeros(1, channel // (2 * G), 1, 1))
            def forward(self, x):
                b, c, h, w = x.size()
                x = x.view(b * self.G, -1, h, w)
                first, second = x.chunk(2, dim=1)
                out = torch.cat([first * self.weight, second], dim=1)
                return out.view(b, -1, h, w)
        """
    )
    assert found["Shuffle.forward:<return>"] in (("b", "channel", "h", "w"), ("b", "c", "h", "w"))


def test_what_is_split_is_as_much_as_its_parts(trace):
    found = shapes(
        """
        class Rays(nn.Module):
            def __init__(self, width=256, points=3, views=3):
                super().__init__()
                self.points, self.views = points, views
                self.of_points = nn.Linear(points, width)
                self.of_both = nn.Linear(width + views, 4)
            def forward(self, x):
                points, views = torch.split(x, [self.points, self.views], dim=-1)
                return self.of_both(torch.cat([self.of_points(points), views], -1))
        """
    )
    assert found["Rays.forward:x"][-1] in ("points + views", "D")
    assert found["Rays.forward:views"][-1] == "views"


def test_a_window_whose_smaller_half_is_asked_for_is_odd(trace):
    found = shapes(
        """
        class Trend(nn.Module):
            def __init__(self, kernel_size):
                super().__init__()
                self.kernel_size = kernel_size
                self.avg = nn.AvgPool1d(kernel_size, stride=1)
            def forward(self, x):
                front = x[:, :1].repeat(1, (self.kernel_size - 1) // 2, 1)
                end = x[:, -1:].repeat(1, (self.kernel_size - 1) // 2, 1)
                padded = torch.cat([front, x, end], dim=1)
                mean = self.avg(padded.permute(0, 2, 1)).permute(0, 2, 1)
                return x - mean
        """
    )
    assert found["Trend.forward:<return>"] == ("B", "T", "D")


def test_there_are_more_of_those_of_which_the_first_few_are_taken(trace):
    found = shapes(
        """
        def nearest(points, centres, radius, n):
            B, N, C = points.shape
            far = ((points[:, None] - centres[:, :, None]) ** 2).sum(-1)
            index = torch.arange(N).view(1, 1, N).repeat(B, centres.shape[1], 1)
            index[far > radius] = N
            index = index.sort(dim=-1)[0][:, :, :n]
            first = index[:, :, :1].repeat(1, 1, n)
            beyond = index == N
            index[beyond] = first[beyond]
            return index
        """
    )
    assert found["nearest:<return>"][-1] == "n"


def test_a_configuration_computes_what_is_read_of_it(trace):
    found = shapes(
        """
        from dataclasses import dataclass
        @dataclass
        class Args:
            d_model: int
            rank: int | str = "auto"
            def __post_init__(self):
                self.d_inner = 2 * self.d_model
                if self.rank == "auto":
                    self.rank = self.d_model // 16
        class Mixer(nn.Module):
            def __init__(self, args):
                super().__init__()
                self.up = nn.Linear(args.d_model, args.d_inner)
                self.down = nn.Linear(args.d_inner, args.rank + 1)
            def forward(self, x):
                return self.down(self.up(x))
        """
    )
    assert found["Mixer.forward:x"][-1] in ("d_model", "args.d_model")


def test_a_layer_of_torchs_is_made_as_torch_makes_it_but_none_that_holds_others(trace):
    found = shapes(
        """
        class Norm(nn.LayerNorm):
            def forward(self, x):
                normed = super().forward(x.float())
                return normed.type(x.dtype)
        class Blocks(nn.Sequential):
            def forward(self, x):
                for layer in self:
                    x = layer(x)
                return x
        """
    )
    assert found["Norm.forward:normed"][-1] == "normalized_shape"
    assert "Blocks.forward:<return>" not in found or found["Blocks.forward:<return>"] is None


def test_how_many_a_list_has_by_default_is_no_size(trace):
    found = shapes(
        """
        class Kernels(nn.Module):
            def __init__(self, dim, kernels=[1, 3, 5, 7]):
                super().__init__()
                self.convs = nn.ModuleList([nn.Conv2d(dim, dim, k, padding=k // 2) for k in kernels])
            def forward(self, x):
                each = torch.stack([conv(x) for conv in self.convs], 0)
                return each.sum(0)
        """
    )
    assert found["Kernels.forward:each"] == (None, "B", "dim", "H", "W")


def test_what_is_indexed_behind_an_ellipsis_is_a_tensor(trace):
    found = shapes(
        """
        def between(z_vals, origin):
            dists = z_vals[..., 1:] - z_vals[..., :-1]
            return dists, origin[..., 2]
        """
    )
    assert found["between:dists"] is not None


def test_nothing_is_made_to_be_empty(trace):
    found = shapes(
        """
        class Critic(nn.Module):
            def __init__(self, agents, observation, action):
                super().__init__()
                actions = action * agents
                self.first = nn.Linear(observation * agents, 128)
                self.second = nn.Linear(128 + actions, 64)
            def forward(self, obs, acts):
                joined = torch.cat([self.first(obs), acts], 1)
                return self.second(joined)
        """
    )
    assert found["Critic.forward:<return>"] == ("B", 64)


def test_parts_and_halves_say_how_large_what_they_are_of_is(trace):
    found = shapes(
        """
        def decode(distance, angle, points):
            near, far = distance.split(2, dim=-1)
            x, y = ((far - near) / 2).split(1, dim=-1)
            corners = torch.cat([x * angle.cos(), y * angle.sin()], dim=-1) + points
            return corners
        def encode(points, box):
            first, second = box.chunk(2, -1)
            found = torch.cat((points - first, second - points), -1)
            return found
        """
    )
    assert found["decode:distance"][-1] == 4
    assert found["decode:near"] == ("*batch", 2)
    assert found["encode:points"] == ("*batch", "D")  # no certain number


def test_a_window_that_is_no_padding_of_its_own_is_three_and_an_even_one_that_loses_a_step_is_odd(trace):
    found = shapes(
        """
        class Dilated(nn.Module):
            def __init__(self, width, kernel_size, layers):
                super().__init__()
                convs = [nn.Conv1d(width, width, kernel_size, padding=2**i, dilation=2**i) for i in range(layers)]
                self.convs = nn.ModuleList(convs)
            def forward(self, x):
                for conv in self.convs:
                    x = x + conv(x)
                return x
        class Gate(nn.Module):
            def __init__(self, width, kernel_size):
                super().__init__()
                self.conv = nn.Conv1d(width // 2, width // 2, kernel_size, padding=(kernel_size - 1) // 2)
            def forward(self, x, added=None):
                left, right = x.chunk(2, dim=1)
                right = self.conv(right)
                if added is not None:
                    right = right + added
                out = left * right
                return out
        """
    )
    assert found["Dilated.forward:x"] == ("B", "width", "D")
    assert found["Gate.forward:right"][-3:] == found["Gate.forward:out"][-3:] == ("B", "width//2", "D")


def test_a_reshape_is_of_what_the_operands_say_in_every_run(trace):
    found = shapes(
        """
        def embed(dim, box):
            batch, boxes = box.shape[:2]
            waves = torch.arange(dim) * box.unsqueeze(-1)
            waves = torch.stack((waves.sin(), waves.cos()), dim=-1)
            out = waves.permute(0, 1, 3, 4, 2).reshape(batch, boxes, dim * 2 * 4)
            return out
        """
    )
    assert found["embed:box"] == ("batch", "boxes", 4)
    assert found["embed:out"] == ("batch", "boxes", "8*dim")


def test_a_slice_of_a_size_of_the_text_may_take_less(trace):
    found = shapes(
        """
        class Head(nn.Module):
            def __init__(self, steps):
                super().__init__()
                self.steps = steps
            def forward(self, x):
                out = x.new_ones(len(x), 8)[:, :self.steps]
                return out
        """
    )
    assert found["Head.forward:out"][-1] is None
