"""Classes of which much was unknown or wrong for one guess: held against real runs with sizes that nobody made up."""

from __future__ import annotations

import pytest
import torch
from held_against_torch import holds
from shown import TOP, shapes, variants


@pytest.fixture(autouse=True)
def _prepared(trace):
    """The session is."""


def test_which_of_two_flattened_dims_is_which_is_what_a_later_layer_says():
    text = (
        TOP
        + """
class Mix(nn.Module):
    def __init__(self, n_channels, seq_len, hidden):
        super().__init__()
        self.norm = nn.BatchNorm1d(n_channels * seq_len)
        self.time = nn.Linear(seq_len, hidden)
        self.back = nn.Linear(hidden, seq_len)
    def forward(self, x):
        res = self.norm(torch.flatten(x, 1, -1)).reshape(x.shape)
        y = self.time(res.transpose(1, 2))
        back = self.back(y).transpose(1, 2)
        return x + back
"""
    )

    def run(names):
        names["Mix"](5, 12, 7)(torch.randn(3, 12, 5))

    holds(text, "Mix.forward", run, {"n_channels": 5, "seq_len": 12, "hidden": 7, "B": 3}, 5)


def test_a_number_is_not_one_only_since_an_input_has_a_dim_too_few():
    text = """
        class Head(nn.Module):
            def __init__(self, nf, window, n_quantiles=1):
                super().__init__()
                self.flatten, self.n_quantiles = nn.Flatten(start_dim=-2), n_quantiles
                self.linear = nn.Linear(nf, window * n_quantiles)
            def forward(self, x):
                y = self.linear(self.flatten(x))
                batch_size, n_vars = y.shape[0], y.shape[1]
                return y.reshape(batch_size, n_vars, -1, self.n_quantiles)
    """
    assert ("batch_size", "n_vars", "window", "n_quantiles") in variants(text)["Head.forward:<return>"]
    assert all(one is None or one[-1] == "n_quantiles" for one in variants(text)["Head.forward:<return>"])


def test_what_is_cut_along_its_last_dim_is_no_vector_of_times():
    found = shapes(
        """
        def turned(t, freqs):
            d = t.shape[-1]
            a, b = t[..., : d // 2], t[..., d // 2 :]
            return torch.cat((a * freqs.cos(), b * freqs.sin()), dim=-1)
        """
    )
    assert found["turned:t"] == ("*batch", "d")
    assert found["turned:a"] == ("*batch", "d//2")


def test_masks_that_need_not_be_given_have_the_dims_that_are_said_of_the_inputs():
    text = (
        TOP
        + '''
class Full(nn.Module):
    def forward(self, queries, keys, values, q_mask=None, kv_mask=None):
        """
        Args:
            queries: [N, L, H, D]
            keys: [N, S, H, D]
            values: [N, S, H, D]
            q_mask: [N, L]
            kv_mask: [N, S]
        """
        QK = torch.einsum("nlhd,nshd->nlsh", queries, keys)
        if kv_mask is not None and q_mask is not None:
            QK = QK.masked_fill(~(q_mask[:, :, None, None] * kv_mask[:, None, :, None]), -1e9)
        A = torch.softmax(QK / queries.size(3) ** 0.5, dim=2)
        return torch.einsum("nlsh,nshd->nlhd", A, values)
'''
    )

    def run(names):
        q, k = torch.randn(2, 5, 3, 4), torch.randn(2, 7, 3, 4)
        masks = torch.ones(2, 5, dtype=torch.bool), torch.ones(2, 7, dtype=torch.bool)
        names["Full"]()(q, k, k, *masks)

    holds(text, "Full.forward", run, {"N": 2, "L": 5, "S": 7, "H": 3, "D": 4}, 7)


DECODER = (
    TOP
    + """
class Attention(nn.Module):
    def __init__(self, enc_hid_dim, dec_hid_dim):
        super().__init__()
        self.attn = nn.Linear((enc_hid_dim * 2) + dec_hid_dim, dec_hid_dim)
        self.v = nn.Linear(dec_hid_dim, 1, bias=False)
    def forward(self, hidden, encoder_outputs):
        src_len = encoder_outputs.shape[0]
        hidden = hidden.unsqueeze(1).repeat(1, src_len, 1)
        encoder_outputs = encoder_outputs.permute(1, 0, 2)
        energy = torch.tanh(self.attn(torch.cat((hidden, encoder_outputs), dim=2)))
        return F.softmax(self.v(energy).squeeze(2), dim=1)

class Decoder(nn.Module):
    def __init__(self, output_dim, emb_dim, enc_hid_dim, dec_hid_dim, attention):
        super().__init__()
        self.attention = attention
        self.embedding = nn.Embedding(output_dim, emb_dim)
        self.rnn = nn.GRU((enc_hid_dim * 2) + emb_dim, dec_hid_dim)
        self.fc_out = nn.Linear((enc_hid_dim * 2) + dec_hid_dim + emb_dim, output_dim)
    def forward(self, input, hidden, encoder_outputs):
        embedded = self.embedding(input.unsqueeze(0))
        a = self.attention(hidden, encoder_outputs).unsqueeze(1)
        memory = encoder_outputs.permute(1, 0, 2)
        weighted = torch.bmm(a, memory).permute(1, 0, 2)
        rnn_input = torch.cat((embedded, weighted), dim=2)
        output, state = self.rnn(rnn_input, hidden.unsqueeze(0))
        both = torch.cat((output.squeeze(0), weighted.squeeze(0), embedded.squeeze(0)), dim=1)
        return self.fc_out(both)
"""
)


def test_a_layer_that_is_called_like_a_class_is_one_and_shares_the_words_of_what_it_is_handed_to():
    def run(names):
        decoder = names["Decoder"](11, 6, 5, 8, names["Attention"](5, 8))
        decoder(torch.randint(0, 11, (3,)), torch.randn(3, 8), torch.randn(9, 3, 10))

    words = {"output_dim": 11, "emb_dim": 6, "enc_hid_dim": 5, "dec_hid_dim": 8, "N": 3, "B": 9}
    holds(DECODER, "Decoder.forward", run, words, 10)


def test_where_no_sizes_fit_a_layer_that_is_called_so_it_is_unknown_as_before():
    found = shapes(
        """
        class Encoder(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.fc = nn.Linear(width, 2)
            def forward(self, x):
                return self.fc(x)

        class Wrapped(nn.Module):
            def __init__(self, encoder, depth):
                super().__init__()
                self.encoder, self.fc = encoder, nn.Linear(16, depth)
            def forward(self, x):
                scores = self.fc(x)
                first, second, third = self.encoder.parts(x)
                return scores, first
        """
    )
    assert found["Wrapped.forward:scores"][-1] == "depth"
    assert "Wrapped.forward:first" not in found or found["Wrapped.forward:first"] is None


def test_two_layers_that_have_one_width_only_under_other_words_are_not_taken_for_one():
    found = shapes(
        """
        class Encoder(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.fc = nn.Linear(3, width)
            def forward(self, x):
                return self.fc(x)

        class Decoder(nn.Module):
            def __init__(self, hidden):
                super().__init__()
                self.fc = nn.Linear(hidden, 3)
            def forward(self, x):
                return self.fc(x)

        class Both(nn.Module):
            def __init__(self, encoder, decoder):
                super().__init__()
                self.encoder, self.decoder = encoder, decoder
            def forward(self, x):
                code = self.encoder(x)
                return self.decoder(code)
        """
    )
    assert found.get("Both.forward:code") is None


def test_windows_that_keep_a_picture_as_large_as_it_is_go_with_patches_that_divide_it():
    text = (
        TOP
        + """
class Block(nn.Module):
    def __init__(self, dim, channel, kernel_size, patch_size):
        super().__init__()
        self.ph, self.pw = patch_size
        self.conv1 = nn.Conv2d(channel, channel, kernel_size, 1, 1)
        self.conv2 = nn.Conv2d(channel, dim, 1)
    def forward(self, x):
        y = self.conv2(self.conv1(x))
        b, d, h, w = y.shape
        nh, nw = h // self.ph, w // self.pw
        y = y.reshape(b * d * nh, self.ph, nw, self.pw).transpose(1, 2)
        y = y.reshape(b, d, nh * nw, self.ph * self.pw).transpose(1, 3)
        return y
"""
    )

    def run(names):
        names["Block"](6, 5, 3, (2, 4))(torch.randn(3, 5, 8, 12))

    words = {"b": 3, "channel": 5, "d": 6, "dim": 6, "ph": 2, "pw": 4, "h": 8, "w": 12, "B": 3}
    holds(text, "Block.forward", run, words, 3)


def test_a_word_is_not_looked_for_behind_what_a_constructor_takes_as_it_comes():
    found = shapes(
        """
        class Conv(nn.Module):
            def __init__(self, *args, causal: bool = False, norm: str = "none", **kwargs):
                super().__init__()
                assert norm in ("none", "weight_norm")
                self.conv = nn.Conv1d(*args, **kwargs)
            def forward(self, x):
                return self.conv(x)

        class Outer(nn.Module):
            def __init__(self, in_channels: int, out_channels: int, kernel_size: int, norm: str = "none"):
                super().__init__()
                self.conv = Conv(in_channels, out_channels, kernel_size, norm=norm)
            def forward(self, x):
                return self.conv(x)
        """
    )
    assert found["Outer.forward:<return>"][:2] == ("B", "out_channels")


def test_types_have_their_names_whatever_their_module_is_called():
    found = shapes(
        """
        import typing as tp

        def cut(x: torch.Tensor, paddings: tp.Tuple[int, int]):
            left, right = paddings
            end = x.shape[-1] - right
            return x[..., left:end]
        """
    )
    assert found["cut:<return>"][0] == "*batch"


def test_flags_of_a_config_are_tried_both_ways():
    text = """
        class Linear(nn.Module):
            def __init__(self, configs):
                super().__init__()
                self.seq_len, self.pred_len, self.individual = configs.seq_len, configs.pred_len, configs.individual
                if self.individual:
                    self.one = nn.ModuleList([nn.Linear(self.seq_len, self.pred_len) for _ in range(3)])
                else:
                    self.one = nn.Linear(self.seq_len, self.pred_len)
            def forward(self, x):
                x = x.permute(0, 2, 1)
                if self.individual:
                    each = torch.stack([self.one[i](x[:, i]) for i in range(3)], dim=1)
                    return each
                whole = self.one(x)
                return whole
    """
    found = shapes(text)
    assert found["Linear.forward:whole"][-1] == "pred_len"
    assert found["Linear.forward:each"][-2:] == (3, "pred_len")


def test_helpers_that_nothing_came_by_are_tried_by_themselves():
    text = (
        TOP
        + """
class Norm(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
    def forward(self, x, mode):
        if mode == "norm":
            self._statistics(x)
            return x - self.mean
        elif mode == "denorm":
            return self._back(x)
        raise NotImplementedError
    def _statistics(self, x):
        self.mean = x.mean(dim=1, keepdim=True)
    def _back(self, x):
        y = (x - self.bias) / self.weight
        return y
    def _split(self, x, parts):
        b, n, d = x.shape
        split = x.view(b, n, parts, d // parts).transpose(1, 2)
        return split
"""
    )

    def run(names):
        names["Norm"](6)._split(torch.randn(2, 5, 6), 3)

    holds(text, "Norm._split", run, {"parts": 3}, 2)
    assert shapes(text)["Norm._back:y"][-1] == "num_features"


def test_a_state_of_which_parts_are_asked_for_is_a_tuple_in_any_method():
    text = (
        TOP
        + """
class Agent(nn.Module):
    def __init__(self, obs_dim, hidden):
        super().__init__()
        self.net, self.lstm = nn.Linear(obs_dim, hidden), nn.LSTM(hidden, hidden)
    def step(self, x, lstm_state):
        batch_size = lstm_state[0].shape[1]
        out, lstm_state = self.lstm(self.net(x), (0.5 * lstm_state[0], 0.5 * lstm_state[1]))
        return out, lstm_state
    def value(self, x, lstm_state):
        out, _ = self.step(x, lstm_state)
        return out.sum(-1)
"""
    )
    found = shapes(text)
    assert found["Agent.step:out"] is not None and found["Agent.step:out"][1:] == ("batch_size", "hidden")
    assert len(found["Agent.value:<return>"]) == 2


def test_half_a_spectrum_has_words():
    text = (
        TOP
        + """
def correlated(q):
    B, H, L = q.shape
    a, b = torch.fft.rfft(q), torch.fft.rfft(-q)
    same = torch.fft.irfft(a * torch.conj(b), dim=-1)
    whole = torch.fft.irfft(a * torch.conj(b), n=L)
    flat = torch.fft.rfft2(q)
    return whole
"""
    )
    for length in (9, 12):

        def run(names, length=length):
            names["correlated"](torch.randn(2, 3, length))

        holds(text, "correlated", run, {"B": 2, "H": 3, "L": length}, 7)


def test_what_is_put_around_and_cut_off_on_both_sides_has_words():
    text = (
        TOP
        + """
def around(x, paddings):
    B, C, L = x.shape
    left, right = paddings
    padded = F.pad(x, paddings)
    rows = F.pad(x, (0, 0, left, right))
    end = L - right
    cut = x[..., left:end]
    inner = x[..., left:-right]
    return padded
"""
    )

    def run(names):
        names["around"](torch.randn(2, 9, 12), (3, 4))

    holds(text, "around", run, {"B": 2, "C": 9, "L": 12}, 6)


def test_several_sizes_that_are_unpacked_are_numbers():
    text = (
        TOP
        + """
def grid(spatial_dims, lo=0.0, hi=1.0):
    height, width = spatial_dims
    xt = torch.linspace(lo, hi, height + 1)[:-1]
    yt = torch.linspace(lo, hi, width)
    a, b = torch.meshgrid(xt, yt, indexing="ij")
    both = torch.stack([a, b])
    return both
"""
    )
    holds(text, "grid", lambda names: names["grid"]((4, 7)), {}, 5)


def test_what_a_layer_of_torchs_cannot_do_without_is_in_the_keywords_that_are_handed_on():
    found = shapes(
        """
        class ConvBlock(nn.Module):
            def __init__(self, in_channels, out_channels, **kwargs):
                super().__init__()
                self.conv = nn.Conv2d(in_channels, out_channels, bias=False, **kwargs)
                self.batchnorm = nn.BatchNorm2d(out_channels)
            def forward(self, x):
                y = self.conv(x)
                return self.batchnorm(y)

        class Wrapped(nn.Module):
            def __init__(self, *args, norm=False, **kwargs):
                super().__init__()
                self.conv = nn.Conv1d(*args, **kwargs)
            def forward(self, x):
                return self.conv(x)
        """
    )
    assert found["ConvBlock.forward:x"] == ("B", "in_channels", "H", "W")
    assert found["ConvBlock.forward:<return>"] == (
        "B",
        "out_channels",
        None,
        None,
    )  # nor stride nor padding is said
    assert found["Wrapped.forward:<return>"][1:] == (None, None)
