"""What a function that nobody calls asks of its inputs: shapes it compares them with, numbers and ranks it knows, dims of a gate."""

from __future__ import annotations

from shown import shapes


def test_a_shape_that_is_compared_has_all_its_sizes_at_once(trace):
    found = shapes(
        """
        class Prompt(nn.Module):
            def __init__(self, columns, width):
                super().__init__()
                self.columns, self.width = columns, width
                self.fc = nn.Linear(width, width)
            def forward(self, x, table):
                assert x.shape == (len(x), self.columns, self.width)
                assert table.shape == (x.shape[1], x.shape[-1])
                out = self.fc(x) + table
                return out
        """
    )
    assert found["Prompt.forward:x"] == ("B", "columns", "width")
    assert found["Prompt.forward:table"] == ("columns", "width")
    assert found["Prompt.forward:out"] == ("B", "columns", "width")


def test_what_a_gate_of_ones_weighs_has_as_many_dims(trace):
    found = shapes(
        """
        class Gate(nn.Module):
            def __init__(self, channels):
                super().__init__()
                self.fc = nn.Conv2d(channels, channels, 1)
            def forward(self, x):
                pooled = x.view(x.size(0), x.size(1), -1).mean(-1)
                gate = self.fc(pooled.view(x.size(0), x.size(1), 1, 1))
                out = x * gate
                return out
        """
    )
    assert found["Gate.forward:out"] == ("B", "channels", "H", "W")


def test_what_is_flattened_behind_the_batch_has_any_rank(trace):
    found = shapes(
        """
        class Head(nn.Module):
            def __init__(self, features, classes):
                super().__init__()
                self.fc = nn.Linear(features, classes)
            def forward(self, x):
                x = x.flatten(start_dim=1)
                out = self.fc(x)
                return out
        """
    )
    assert found["Head.forward:out"] == ("B", "classes")


def test_where_another_rank_is_asked_for_its_channels_may_stand_elsewhere(trace):
    found = shapes(
        """
        class Mixer(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.fc = nn.Linear(dim, dim)
            def forward(self, x):
                is_picture = x.ndim == 4
                if is_picture:
                    x = x.permute(0, 2, 3, 1)
                out = self.fc(x)
                return out
        """
    )
    assert found["Mixer.forward:out"] in (None, ("*batch", "dim"))


def test_a_number_is_one_of_those_that_it_is_held_against_before_it_is_refused(trace):
    found = shapes(
        """
        class Up(nn.Module):
            def __init__(self, channels, scale):
                super().__init__()
                r = scale
                if r == 2 or r == 3:
                    self.up = nn.Conv2d(channels, channels * r * r, 3, padding=1)
                elif r == 4:
                    self.up = nn.Conv2d(channels, channels * 16, 3, padding=1)
                else:
                    raise ValueError("scale must be 2, 3 or 4")
                self.out = nn.Conv2d(channels, channels, 1)
            def forward(self, x):
                y = self.out(x)
                return self.up(y)
        """
    )
    assert found["Up.forward:y"] == ("B", "channels", "H", "W")


def test_what_has_an_imaginary_part_is_complex(trace):
    found = shapes(
        """
        class Rectified(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.fc = nn.Linear(width, width)
            def forward(self, x):
                real = self.fc(x.real)
                return torch.complex(real, self.fc(x.imag))
        """
    )
    assert found["Rectified.forward:real"][-1] == "width"


def test_a_convolution_is_given_its_weight_by_name(trace):
    found = shapes(
        """
        class Filtered(nn.Module):
            def __init__(self, channels, kernel_size=3):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(channels, 1, kernel_size, kernel_size))
                self.channels = channels
            def forward(self, x):
                y = nn.functional.conv2d(x, weight=self.weight, bias=None, stride=2, groups=self.channels)
                z = nn.functional.conv2d(input=y, weight=self.weight, groups=self.channels)
                return z
        """
    )
    assert found["Filtered.forward:y"][:2] == ("B", "channels") and len(found["Filtered.forward:y"]) == 4
    assert len(found["Filtered.forward:z"]) == 4


def test_a_tensor_is_reshaped_and_normalised_by_name(trace):
    found = shapes(
        """
        class Turned(nn.Module):
            def __init__(self, channels):
                super().__init__()
                self.norm = nn.InstanceNorm2d(channels, affine=True)
            def forward(self, x):
                y = self.norm(input=x)
                z = torch.reshape(input=y, shape=(y.shape[0], -1))
                return torch.flatten(input=y, start_dim=2)
        """
    )
    assert found["Turned.forward:y"][1] == "channels" and len(found["Turned.forward:y"]) == 4
    assert len(found["Turned.forward:z"]) == 2
