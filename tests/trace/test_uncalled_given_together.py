"""Classes that nobody calls whose inputs and options hang together: caches, items of tuples, parts, dropout, common divisors."""

from __future__ import annotations

from shown import shapes, variants


def test_the_end_of_an_input_that_is_cut_at_both_ends_need_not_be_all_of_it(trace):
    found = shapes("""
        class Mix(nn.Module):
            def __init__(self, output_dim, future_dim, hidden):
                super().__init__()
                self.output_dim, self.future_dim = output_dim, future_dim
                self.proj = nn.Linear(future_dim, hidden)

            def forward(self, x, future):
                target = x[:, :, : self.output_dim]
                known = torch.cat([x[:, :, -self.future_dim :], future], dim=1)
                return target, self.proj(known)
    """)
    assert found["Mix.forward:x"][-1] not in ("future_dim", "output_dim")
    assert found["Mix.forward:future"] == ("B", "T2", "future_dim")
    assert found["Mix.forward:target"] == ("B", "T", "output_dim")


def test_an_item_of_a_tuple_that_is_flattened_may_have_another_rank(trace):
    found = variants("""
        class Encoder(nn.Module):
            def __init__(self, steps, width, static, hidden):
                super().__init__()
                self.fc = nn.Linear(steps * width + static, hidden)

            def forward(self, inputs):
                past, static = inputs
                parts = [one.flatten(start_dim=1) for one in (past, static)]
                return self.fc(torch.cat(parts, dim=1))
    """)
    assert {len(one) for one in found["Encoder.forward:static"] if one} >= {2, 3} or None in found[
        "Encoder.forward:static"
    ]
    assert found["Encoder.forward:<return>"] == [("B", "hidden")]


def test_what_only_dropout_switches_on_is_told_with_the_widths_that_are_filled_in_given_too(trace):
    found = variants("""
        class ChannelMLP(nn.Module):
            def __init__(self, width, hidden=None, dropout=0.0):
                super().__init__()
                hidden = width if hidden is None else hidden
                self.up = nn.Conv1d(width, hidden, 1)
                self.drop = nn.Dropout(dropout) if dropout > 0.0 else None

            def forward(self, x):
                x = self.up(x)
                if self.drop is not None:
                    y = self.drop(x)
                    return y
                return x
    """)
    assert ("B", "hidden", "D") in found["ChannelMLP.forward:y"]


def test_positions_that_a_row_of_frequencies_is_held_against_may_be_one_a_step(trace):
    found = shapes("""
        def embed(positions: torch.Tensor, dim: int):
            half = dim // 2
            freqs = torch.arange(half).view(1, 1, -1)
            phase = positions / (10000 ** (freqs / (half - 1)))
            return torch.cat([phase.cos(), phase.sin()], dim=-1)
    """)
    assert "half" not in (found["embed:positions"] or ())


GPT = """
    from dataclasses import dataclass

    @dataclass
    class Config:
        n_layer: int = 12
        n_head: int = 12
        n_embd: int = 768

    class Attention(nn.Module):
        def __init__(self, config):
            super().__init__()
            assert config.n_embd % config.n_head == 0
            self.qkv = nn.Linear(config.n_embd, 3 * config.n_embd)
            self.n_head, self.n_embd = config.n_head, config.n_embd

        def forward(self, x, past=None, use_cache=False):
            B, T, C = x.size()
            q, k, v = self.qkv(x).split(self.n_embd, dim=2)
            k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
            v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
            if past is not None:
                k = torch.cat((past[0], k), dim=-2)
                v = torch.cat((past[1], v), dim=-2)
            present = (k, v) if use_cache else None
            return q, present
    """

BLOCK = """
    class Block(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.norm = nn.LayerNorm(config.n_embd)
            self.attn = Attention(config)

        def forward(self, x, past=None, use_cache=False):
            y, present = self.attn(self.norm(x), past=past, use_cache=use_cache)
            return x + y, present
"""


def test_heads_of_a_config_are_told_from_its_other_fields_with_the_same_default(trace):
    found = shapes(GPT)
    assert found["Attention.forward:past"][-3::2] == ("n_head", "C//n_head")


def test_a_cache_and_the_flag_that_hands_it_out_are_given_together(trace):
    found = variants(GPT + BLOCK)
    assert found["Attention.forward:present"] != [("B", "n_head", "T", "C//n_head")]
    assert found["Block.forward:present"] != [("B", "n_head", "T", "n_embd//n_head")]


def test_a_part_that_need_not_be_given_is_one_of_its_class(trace):
    found = variants("""
        from typing import Optional

        class Embedder(nn.Module):
            def __init__(self, count: int, width: int):
                super().__init__()
                self.table = nn.Embedding(count, width)

            def forward(self, x):
                return self.table(x[:, 0])

        class Assembler(nn.Module):
            def __init__(self, steps: int, embed: Optional[Embedder] = None):
                super().__init__()
                self.steps, self.embed = steps, embed

            def forward(self, static):
                if self.embed is not None:
                    static = self.embed(static)
                return static.unsqueeze(1).expand(-1, self.steps, -1).float()
    """)
    assert len(found["Assembler.forward:<return>"]) > 1 or None in found["Assembler.forward:<return>"][0]


def test_a_common_divisor_of_made_up_sizes_is_not_always_one(trace):
    found = shapes("""
        import math

        def frames_of(signal, step: int):
            frames, length = signal.size()[-2:]
            part = math.gcd(length, step)
            parts = signal.reshape(-1, part)
            whole = signal.new_zeros(frames * length)
            return parts, whole
    """)
    assert found["frames_of:parts"] == (None, None)
    assert found["frames_of:whole"] == ("frames*length",)


def test_what_conditions_every_step_may_have_one_step(trace):
    found = shapes("""
        class Wave(nn.Module):
            def __init__(self, hidden, cond):
                super().__init__()
                self.conv = nn.Conv1d(hidden, hidden, 3, padding=1)
                self.cond_layer = nn.Conv1d(cond, hidden, 1)

            def forward(self, x, g):
                g = self.cond_layer(g)
                x = self.conv(x) + g
                return x
    """)
    assert found["Wave.forward:g"] == ("B", "hidden", None)
    assert found["Wave.forward:<return>"] == ("B", "hidden", "D")


def test_a_method_that_a_layer_of_torchs_calls_with_its_own_weights_is_not_tried_on_others(trace):
    found = shapes("""
        class Conv(nn.Conv1d):
            def _conv_forward(self, x, weight, bias):
                return super()._conv_forward(x, weight.to(x.dtype), bias)

        class Net(nn.Module):
            def __init__(self, n_mels, n_state):
                super().__init__()
                self.conv = Conv(n_mels, n_state, kernel_size=3, padding=1)

            def forward(self, x):
                return self.conv(x)
    """)
    assert found["Conv._conv_forward:weight"][:2] == ("n_state", "n_mels")
    assert found["Conv._conv_forward:x"] == ("B", "n_mels", "D")
