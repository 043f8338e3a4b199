"""What was found to fit made-up inputs need not be so: certain numbers give way, lists get longer, options come together."""

from __future__ import annotations

import torch
from shown import shapes, variants
from torch import nn


def test_a_length_that_comes_out_even_is_no_certain_number(trace):
    found = shapes(
        """
        class Filter(nn.Module):
            def __init__(self, kept):
                super().__init__()
                self.kept = kept
            def forward(self, x):
                xf = torch.fft.rfft(x, dim=1)
                mask = torch.ones_like(xf)
                mask[:, self.kept, :] = 0
                low = torch.fft.irfft(xf * mask, dim=1)
                return x - low
        """
    )
    assert found["Filter.forward:x"] == ("B", "T", "D")
    assert found["Filter.forward:xf"] == ("B", "T//2 + 1", "D")
    assert found["Filter.forward:low"] == ("B", "T", "D")
    x = torch.randn(2, 30, 5)  # 42, which was found first, is none of the text's
    assert torch.fft.irfft(torch.fft.rfft(x, dim=1), dim=1).shape == x.shape


def test_a_certain_number_of_the_text_stays(trace):
    found = shapes(
        """
        class Flat(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.fc = nn.Linear(8 * 8 * 3, width)
            def forward(self, x):
                y = self.fc(x)
                return y
        """
    )
    assert found["Flat.forward:x"][-1] == 192 and found["Flat.forward:y"][-1] == "width"


def test_what_six_strides_leave_of_short_inputs_is_not_one_of_long_ones(trace):
    found = shapes(
        """
        class Reference(nn.Module):
            def __init__(self, bins=80, kernel_size=3, stride=2, units=128):
                super().__init__()
                convs, left = [], bins
                for at in range(6):
                    convs += [nn.Conv2d(1, 1, kernel_size, stride, (kernel_size - 1) // 2), nn.ReLU()]
                    left = (left - kernel_size + 2 * ((kernel_size - 1) // 2)) // stride + 1
                self.convs = nn.Sequential(*convs)
                self.gru = nn.GRU(left, units, batch_first=True)
            def forward(self, speech):
                h = self.convs(speech.unsqueeze(1)).squeeze(1)
                out, _ = self.gru(h)
                return out
        """
    )
    assert found["Reference.forward:h"] == ("B", None, None)
    assert found["Reference.forward:out"] == ("B", None, "units")
    convs = nn.Sequential(*[nn.Conv2d(1, 1, 3, 2, 1) for _ in range(6)])
    assert convs(torch.randn(1, 1, 43, 80)).shape[2] == 1 and convs(torch.randn(1, 1, 430, 80)).shape[2] == 7


def test_lists_that_are_empty_by_default_have_several_items(trace):
    found = shapes(
        """
        class Net(nn.Module):
            def __init__(self, width=16, downs=[]):
                super().__init__()
                self.downs = nn.ModuleList()
                chan = width
                for _ in downs:
                    self.downs.append(nn.Conv2d(chan, 2 * chan, 2, 2))
                    chan = 2 * chan
                self.intro = nn.Conv2d(3, width, 3, padding=1)
            def forward(self, image):
                x = self.intro(image)
                for down in self.downs:
                    x = down(x)
                return x
        """
    )
    assert found["Net.forward:x"] != ("B", "2*width", "H//2", "W//2")  # of the first round alone


def test_layers_that_are_none_by_default_are_given_together(trace):
    found = variants(
        """
        class Autoencoder(nn.Module):
            def __init__(self, width=64, encoder=None, decoder=None):
                super().__init__()
                self.encoder, self.decoder = encoder, decoder
                self.K = nn.Linear(width, width)
            def forward(self, x):
                h = x.transpose(1, 2)
                z = self.K(self.encoder(h))
                out = self.decoder(z)
                return out
        """
    )
    assert ("B", "D", "T") in found["Autoencoder.forward:h"]


def test_a_list_is_as_long_as_what_is_asked_of_it(trace):
    found = shapes(
        """
        class Branch(nn.Module):
            def __init__(self, backbone):
                super().__init__()
                widths = backbone.widths
                self.first = nn.Conv2d(widths[4], widths[3], 1)
                self.last = nn.Conv2d(widths[3], widths[0], 1)
            def forward(self, x):
                y = self.first(x)
                z = self.last(y)
                return z
        """
    )
    assert len(found["Branch.forward:z"]) == 4 and found["Branch.forward:z"][0] == "B"


def test_defaults_that_only_go_together_stay(trace):
    found = shapes(
        """
        import math
        class Down(nn.Module):
            def __init__(self, width=256, stride=4, total=16):
                super().__init__()
                layers = int(math.log2(total) // math.log2(stride))
                assert stride**layers == total
                self.convs = nn.Sequential()
                of = 1
                for _ in range(layers):
                    self.convs.append(nn.Conv2d(of, of * stride**2, 4, stride))
                    of = of * stride**2
                self.convs.append(nn.Conv2d(of, width, 1))
            def forward(self, x):
                y = self.convs(x)
                return y
        """
    )
    assert found["Down.forward:x"] == ("B", 1, "H", "W")


def test_a_picture_that_is_shrunk_beside_one_that_is_half_as_large(trace):
    found = shapes(
        """
        class Branch(nn.Module):
            def __init__(self, width, before):
                super().__init__()
                self.a = nn.Conv2d(before, width, 1)
                self.b = nn.Conv2d(width + 3, width, 3, padding=1)
            def forward(self, image, half):
                small = F.interpolate(image, scale_factor=1 / 2, mode="bilinear", align_corners=False)
                half = self.a(half)
                out = self.b(torch.cat((small, half), dim=1))
                return out
        """
    )
    assert found["Branch.forward:small"] == ("B", 3, "H//2", "W//2")
    assert found["Branch.forward:out"] == ("B", "width", "H//2", "W//2")


def test_two_pictures_need_only_be_as_large_as_one_another(trace):
    found = shapes(
        """
        class Residual(nn.Module):
            def __init__(self, side, width):
                super().__init__()
                self.side = nn.Conv1d(side, width, 1)
                self.mid = nn.Conv1d(width, width, 1)
            def forward(self, x, info):
                B, C, K, L = x.shape
                y = self.mid(x.reshape(B, C, K * L))
                _, S, _, _ = info.shape
                info = info.reshape(B, S, K * L)
                z = y + self.side(info)
                return z.reshape(x.shape)
        """
    )
    assert found["Residual.forward:x"] == ("B", "C", "K", "L")
    assert found["Residual.forward:z"] == ("B", "C", "K*L")


def test_a_row_of_a_table_may_be_one_for_each_sample(trace):
    found = shapes(
        """
        class Embedding(nn.Module):
            def __init__(self, steps, width):
                super().__init__()
                self.register_buffer("table", torch.zeros(steps, width))
            def forward(self, step: int):
                x = self.table[step]
                return x
        """
    )
    assert found["Embedding.forward:x"] == ("*batch", "width")


def test_a_docstring_says_what_is_a_number(trace):
    found = shapes(
        '''
        def spectrum(x, fft_size, hop_size):
            """Magnitudes.

            Args:
                x (Tensor): Input signal (B, T).
                fft_size (int): FFT size.
                hop_size (int, optional): Hop size.
            """
            s = torch.stft(x, fft_size, hop_size, return_complex=True)
            return s.abs()
        '''
    )
    assert len(found["spectrum:s"]) == 3
