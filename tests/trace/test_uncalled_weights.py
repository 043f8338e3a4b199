"""What weights, windows and other definitions of the file tell of inputs that are made up."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

sys.path[:0] = [str(Path(__file__).parent)]

from held_against_torch import holds, said  # noqa: E402

PICTURES = """
    import torch
    from torch import nn

    class ChannelNorm(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.g = nn.Parameter(torch.ones(1, dim, 1, 1))

        def forward(self, x):
            mean = x.mean(1, keepdim=True)
            return (x - mean) * self.g

    class Around(nn.Module):
        def __init__(self, fn):
            super().__init__()
            self.fn = fn

        def forward(self, x):
            out = self.fn(x)
            return out + x

    class Block(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.norm = Around(ChannelNorm(dim))

        def forward(self, x):
            y = self.norm(x)
            return y
    """


def test_an_input_has_as_many_dims_as_the_weight_that_it_meets(trace: Any) -> None:
    words = {"B": 2, "dim": 3, "H": 5, "W": 7}
    run = "names['ChannelNorm'](3)(torch.zeros(2, 3, 5, 7))"
    holds(PICTURES, "ChannelNorm.forward", _running(run), words, at_least=3)
    assert said(PICTURES)["ChannelNorm.forward:mean"] == ("B", 1, "H", "W")


def test_what_is_held_side_by_side_in_the_other_direction_is_no_weight(trace: Any) -> None:
    text = """
        import torch

        def pinv(x, rounds=6):
            eye = torch.eye(x.shape[-1])[None]
            z = x.transpose(-1, -2) / x.abs().sum()
            for _ in range(rounds):
                z = z @ (2 * eye - x @ z)
            return z
        """
    assert said(text)["pinv:z"] is None or said(text)["pinv:z"][0] == "*batch"


def test_a_layer_that_hangs_on_what_it_is_given_is_as_the_file_uses_it(trace: Any) -> None:
    words = {"B": 2, "C": 3, "H": 5, "W": 7}
    run = "names['Block'](3)(torch.zeros(2, 3, 5, 7))"
    holds(PICTURES, "Around.forward", _running(run), words, at_least=3)


def test_windows_that_have_a_middle_keep_it(trace: Any) -> None:
    text = """
        import torch
        from torch import nn

        class Local(nn.Module):
            def __init__(self, width, window, channels=3, kernel=3, stride=3):
                super().__init__()
                self.depthwise = nn.Conv1d(width, width, window, padding=window // 2, groups=width)
                self.stem = nn.Conv1d(channels, width, kernel, padding=kernel // 2)

            def forward(self, x):
                y = self.stem(x)
                return y + self.depthwise(y)
        """
    words = {"B": 2, "channels": 3, "D": 9, "width": 4, "window": 5, "kernel": 3, "stride": 3}
    run = "names['Local'](4, 5)(torch.zeros(2, 3, 9))"
    holds(text, "Local.forward", _running(run), words, at_least=3)


def test_numbers_that_the_constructor_wants_only_together(trace: Any) -> None:
    text = """
        import torch
        from torch import nn

        class Model(nn.Module):
            def __init__(self, width, depth=None, hidden=None, heads=None):
                super().__init__()
                assert all(one is not None for one in (depth, hidden, heads)), "depth, hidden and heads are needed"
                layer = nn.TransformerEncoderLayer(width, heads, hidden, batch_first=True)
                self.blocks = nn.ModuleList([layer for _ in range(depth)])

            def forward(self, x):
                for block in self.blocks:
                    x = block(x)
                return x
        """
    assert said(text)["Model.forward:<return>"] == ("*batch", "T", "width")


def test_an_index_in_the_constructor_is_no_table_that_is_too_short(trace: Any) -> None:
    text = """
        import torch
        from torch import nn

        class Biased(nn.Module):
            def __init__(self, dim, size):
                super().__init__()
                self.proj = nn.Conv2d(dim, dim, 1)
                places = torch.arange(size * size)
                self.bias = nn.Parameter(torch.zeros(size * size, size * size))
                self.register_buffer("between", places[:, None] - places[None, :])

            def forward(self, x):
                y = self.proj(x).flatten(2)
                scores = y.transpose(1, 2) @ y
                return scores + self.bias
        """
    words = {"B": 2, "dim": 3, "size": 4}
    run = "names['Biased'](3, 4)(torch.zeros(2, 3, 4, 4))"
    holds(text, "Biased.forward", _running(run), words, at_least=3)


def _running(call: str) -> Callable[[dict[str, Any]], Any]:
    return lambda names: eval(call, {"names": names, "torch": torch})


def test_a_constructor_that_sets_before_it_calls_up_can_be_taken_back(trace: Any) -> None:
    text = """
        import torch
        from torch import nn

        class Split(nn.BatchNorm2d):
            def __init__(self, features, parts=2):
                self.parts = parts
                super().__init__(features)
                assert parts > 1

            def forward(self, x):
                half = x[: x.shape[0] // self.parts]
                return half

        def after(x):
            y = x.transpose(1, 2)
            return y
        """
    assert "after:y" in said(text)


def test_windows_in_a_row_are_as_many_as_unfold_says(trace: Any) -> None:
    text = """
        import torch
        from torch import nn
        from torch.nn import functional as F

        class Windows(nn.Module):
            def __init__(self, dim, block_size, halo):
                super().__init__()
                self.block_size, self.halo = block_size, halo
                self.proj = nn.Conv2d(dim, dim, 1)

            def forward(self, x):
                size = self.block_size + 2 * self.halo
                rows = F.unfold(self.proj(x), kernel_size=size, stride=self.block_size, padding=self.halo)
                return rows
        """
    rows = said(text)["Windows.forward:rows"]
    assert rows[:2] == ("B", "dim*size*size")


def test_a_weight_of_which_nothing_is_known_does_not_keep_other_definitions_from_being_tried(
    trace: Any,
) -> None:
    traced = trace(
        """
        import torch, somewhere
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Linear(3, 4)

        net = Net()
        net.w._parameters["weight"] = somewhere.weight

        def column(a: torch.Tensor):
            made = a[:, None]
            return made
        """
    )
    assert traced.knows("made")
    assert not traced.log.notes
