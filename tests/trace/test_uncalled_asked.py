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


def test_an_exponent_is_small_and_a_share_that_decides_what_runs_is_given(trace):
    found = shapes(
        """
        class Binary(nn.Module):
            def __init__(self, bits):
                super().__init__()
                self.codes = nn.Embedding(2 ** bits, bits)
            def forward(self, index):
                code = self.codes(index)
                table = self.codes.weight
                return code

        def drop_path(x, drop_prob=0.0, training=False):
            if drop_prob == 0.0 or not training:
                return x
            keep = torch.bernoulli(torch.full((x.shape[0],) + (1,) * (x.ndim - 1), 1 - drop_prob))
            return x * keep

        class DropPath(nn.Module):
            def __init__(self, drop_prob=None):
                super().__init__()
                self.drop_prob = drop_prob
            def forward(self, x):
                y = drop_path(x, self.drop_prob, self.training)
                return y

        class Either(nn.Module):
            def __init__(self, dim, masked=False):
                super().__init__()
                self.masked = masked
                self.fc = nn.Linear(dim, 2 * dim)
            def forward(self, pair):
                if self.masked:
                    x, mask = pair
                    out = self.fc(x) * mask[:, :, None]
                else:
                    x, length = pair
                    out = self.fc(x) / length[:, None, None]
                return out
        """
    )
    assert found["Binary.forward:code"][-1] == "bits"
    assert found["Binary.forward:table"] == (None, "bits")
    assert found["DropPath.forward:y"] == found["DropPath.forward:x"] == ("*batch", "D")
    assert found["Either.forward:out"][-1] == "2*dim"


def test_inputs_that_stand_in_for_others_a_packed_sequence_and_an_index_for_all(trace):
    found = shapes(
        """
        from torch.nn.utils.rnn import pack_padded_sequence

        class Attention(nn.Module):
            def __init__(self, dim, scores=False):
                super().__init__()
                self.scores = scores
                self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
            def forward(self, query, key=None, value=None):
                b, t, d = query.shape
                if key is None:
                    key = query
                if value is None:
                    value = query
                q, k, v = self.q(query), self.k(key), self.v(value)
                if self.scores:
                    weights = q @ k.transpose(1, 2)
                    return weights @ v, weights
                return F.scaled_dot_product_attention(q, k.reshape(b, t, d), v.reshape(b, t, d))

        class Encoder(nn.Module):
            def __init__(self, width, hidden):
                super().__init__()
                self.lstm = nn.LSTM(width, hidden, batch_first=True)
            def forward(self, x, lengths):
                packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
                _, (h, _) = self.lstm(packed)
                last = h[-1]
                return last

        class Conditioned(nn.Module):
            def __init__(self, classes, dim):
                super().__init__()
                self.scale = nn.Embedding(classes, dim)
                self.dim = dim
            def forward(self, x, speaker_id):
                scale = self.scale(speaker_id)
                x = F.layer_norm(x, (self.dim,))
                return x * scale

        class Feature:
            def __init__(self, name, width):
                self.name, self.width = name, width

        class Session(nn.Module):
            def __init__(self, feature):
                super().__init__()
                self.feature = feature
                self.items = nn.Embedding(feature.size, feature.width)
            def forward(self, inputs):
                items = inputs[self.feature.name]
                return self.items(items)

        class Temperature(nn.Module):
            def __init__(self, dim, temperatures):
                super().__init__()
                assert len(temperatures) == 3
                self.most, self.least, self.decay = temperatures
                self.fc = nn.Linear(dim, 2 * dim)
            def forward(self, x):
                y = self.fc(x) / self.most
                return y

        class Positions(nn.Module):
            def __init__(self, dim, kind="table"):
                super().__init__()
                self.fc, self.kind = nn.Linear(dim, 2 * dim), kind
            def forward(self, x):
                if self.kind == "table":
                    a = self.fc(x)
                elif self.kind == "twice":
                    b = self.fc(x)
                elif self.kind == "thrice":
                    c = self.fc(x)
                return x
        """
    )
    assert found["Attention.forward:k"] == ("b", None, "d")
    assert found["Attention.forward:weights"] == ("b", "t", None)
    assert found["Encoder.forward:x"][-1] == "width" and found["Encoder.forward:last"][-1] == "hidden"
    assert found["Conditioned.forward:speaker_id"] == ("*batch", None)
    assert "Session.forward:items" not in found
    assert found["Temperature.forward:y"][-1] == "2*dim"
    assert found["Positions.forward:b"] == found["Positions.forward:c"] == found["Positions.forward:a"]


def test_a_type_error_of_the_files_own_says_what_it_wants(trace):
    found = shapes(
        """
        class Loss(nn.Module):
            def forward(self, estimate, target):
                if target.size() != estimate.size() or target.ndim != 2:
                    raise TypeError(f"[batch, time] is wanted, got {target.size()} and {estimate.size()}")
                dot = (estimate * target).sum(1, keepdim=True)
                return dot
        """
    )
    assert found["Loss.forward:estimate"] == found["Loss.forward:target"] == ("B", "D")
    assert found["Loss.forward:dot"] == ("B", 1)


def test_an_index_beside_others_has_the_dims_that_they_leave_for_it(trace):
    found = shapes(
        """
        def select(b, h, n, index, scores):
            wide = torch.ones(n, scores.shape[-1])[None, None].expand(b, h, n, scores.shape[-1])
            chosen = wide[torch.arange(b)[:, None, None], torch.arange(h)[None, :, None], index, :]
            return chosen
        """
    )
    assert found["select:index"][-3:-1] == found["select:chosen"][-4:-2] == ("b", "h")


def test_what_is_added_to_a_grid_has_a_batch_in_front(trace):
    found = shapes(
        """
        def grid(resolution):
            axes = [torch.linspace(0, 1, size) for size in resolution]
            return torch.stack([axes[0][:, None].expand(*resolution), axes[1][None].expand(*resolution)], -1)[None]
        class Positions(nn.Module):
            def __init__(self, width, resolution):
                super().__init__()
                self.fc = nn.Linear(2, width)
                self.grid = grid(resolution)
            def forward(self, x):
                out = x + self.fc(self.grid)
                return out
        """
    )
    assert found["Positions.__init__:self.grid"] == (1, None, None, 2)
    assert found["Positions.forward:x"][-1] == "width"
    assert found["Positions.forward:out"] is None  # nothing in front, where `x` has fewer dims
