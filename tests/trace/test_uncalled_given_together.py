"""Classes that nobody calls whose inputs and options hang together: caches, items of tuples, parts, dropout, common divisors."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from shown import shapes, variants

from shapewise.trace.uncalled.attempt import Attempt
from shapewise.trace.uncalled.inputs.sizes import Free, Sizes
from shapewise.vocabulary.span import Span


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


def test_what_is_written_as_a_function_of_torchs_is_a_tensor(trace):
    found = shapes("""
        class Align(nn.Module):
            def __init__(self, channels, width):
                super().__init__()
                self.query = nn.Conv1d(channels, width, 1)

            def forward(self, queries: torch.tensor, mask: torch.tensor = None):
                out = self.query(queries)
                return out
    """)
    assert found["Align.forward:out"] == ("B", "width", "D")


def test_a_mask_is_not_told_as_the_docstring_has_it_where_it_then_fits_only_by_chance(trace):
    found = shapes("""
        class Align(nn.Module):
            def __init__(self, channels, width):
                super().__init__()
                self.query = nn.Conv1d(channels, width, 1)
                self.key = nn.Conv1d(channels, width, 1)

            def forward(self, queries, keys, mask=None, prior=None):
                '''
                Shapes:
                    - queries: [B, C, T_de]
                    - keys: [B, C, T_en]
                    - mask: [B, T_de]
                '''
                factor = (self.query(queries)[:, :, :, None] - self.key(keys)[:, :, None]) ** 2
                logp = -factor.sum(1, keepdim=True)
                if prior is not None:
                    logp = logp.log_softmax(-1) + prior[:, None].log()
                if mask is not None:
                    logp.masked_fill_(~mask.bool().unsqueeze(2), -1e9)
                return logp
    """)
    assert found.get("Align.forward:mask") != ("B", "T_de")


def test_a_flag_of_a_config_that_a_function_is_handed_is_a_flag(trace):
    found = shapes("""
        def wrap(args, module):
            if args.multiway:
                return Both(module)
            return module

        class Both(nn.Module):
            def __init__(self, module):
                super().__init__()
                self.a, self.b = module, module
                self.b.reset_parameters()

            def forward(self, x):
                return self.a(x) + self.b(x)

        class Scale(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(width))

            def forward(self, x):
                return x * self.weight

        class Layer(nn.Module):
            def __init__(self, args, width, hidden):
                super().__init__()
                self.up = wrap(args, nn.Linear(width, hidden))
                self.scale = wrap(args, Scale(hidden))

            def forward(self, x):
                y = self.up(x)
                return self.scale(y)
    """)
    assert found["Layer.forward:<return>"][-1] == "hidden"


def test_a_parameter_that_begins_a_list_of_its_own_name_is_one_number(trace):
    found = shapes("""
        class Prenet(nn.Module):
            def __init__(self, in_features, out_features=(128, 64)):
                super().__init__()
                in_features = [in_features] + list(out_features[:-1])
                self.layers = nn.ModuleList([nn.Linear(a, b) for a, b in zip(in_features, out_features)])

            def forward(self, x):
                for layer in self.layers:
                    x = layer(x).relu()
                return x
    """)
    assert found["Prenet.forward:x"] is not None


def test_a_time_for_each_sample_that_is_expanded_to_the_batch_and_the_condition_that_layers_are_made_for(
    trace,
):
    found = shapes("""
        class Net(nn.Module):
            def __init__(self, input_dim, global_cond_dim, step_dim, hidden):
                super().__init__()
                self.step = nn.Embedding(1000, step_dim)
                self.fc = nn.Linear(step_dim + global_cond_dim, hidden)
                self.up = nn.Linear(input_dim, hidden)

            def forward(self, sample: torch.Tensor, timestep: torch.Tensor, global_cond=None):
                feature = self.step(timestep.expand(sample.shape[0]))
                if global_cond is not None:
                    feature = torch.cat([feature, global_cond], dim=-1)
                h = self.up(sample) + self.fc(feature)[:, None]
                return h
    """)
    assert found["Net.forward:timestep"] is not None and len(found["Net.forward:timestep"]) == 1
    assert found["Net.forward:global_cond"] == ("B", "global_cond_dim")
    assert found["Net.forward:h"] == ("B", "T", "hidden")


def test_patches_are_counted_of_as_many_steps_as_the_constructor_says(trace):
    found = shapes("""
        class Patches(nn.Module):
            def __init__(self, seq_len, pred_len, patch_len=16, stride=8, width=64):
                super().__init__()
                self.patch_len, self.stride = patch_len, stride
                count = (seq_len - patch_len) // stride + 2
                self.pad = nn.ReplicationPad1d((0, stride))
                self.embed = nn.Linear(patch_len, width)
                self.pos = nn.Parameter(torch.zeros(1, count, width))
                self.head = nn.Linear(width * count, pred_len)

            def forward(self, x):
                B, L, C = x.shape
                x = self.pad(x.permute(0, 2, 1))
                x = x.unfold(-1, self.patch_len, self.stride)
                n = x.shape[2]
                z = self.embed(x.reshape(B * C, n, self.patch_len)) + self.pos
                out = self.head(z.flatten(1))
                return out.view(B, C, -1).permute(0, 2, 1)
    """)
    assert found["Patches.forward:<return>"] == ("B", "pred_len", "C")
    assert found["Patches.forward:z"] == ("B*C", "n", "width")


STATES = """
    from torch.distributions import Normal, kl_divergence

    def kl(post, prior):
        dist = lambda s: Normal(s["mean"], s["std"])
        frozen = lambda s: {k: v.detach() for k, v in s.items()}
        loss = kl_divergence(dist(frozen(post)), dist(prior)) + kl_divergence(dist(post), dist(frozen(prior)))
        return loss.mean()

    class Model(nn.Module):
        def __init__(self, action_dim, stoch_dim, deter_dim, hidden_dim):
            super().__init__()
            self.fc = nn.Linear(stoch_dim + action_dim, hidden_dim)
            self.rnn = nn.GRUCell(hidden_dim, deter_dim)
            self.out = nn.Linear(deter_dim, stoch_dim)

        def step(self, state, action):
            x = self.fc(torch.cat([state["stoch"], action], dim=-1))
            deter = self.rnn(x, state["deter"])
            return {"stoch": self.out(deter), "deter": deter}

        def ahead(self, action, state):
            state = self.step(state, action)
            stoch = self.step(state, action)["stoch"]
            return stoch
"""


def test_a_dict_is_one_where_only_others_ask_for_its_keys(trace):
    found = shapes(STATES)
    assert found["kl:<return>"] == ()
    assert found["kl:loss"] is not None
    assert found["Model.ahead:action"] == ("B", "action_dim")
    assert found["Model.ahead:stoch"] == ("B", "stoch_dim")


def test_a_method_that_a_layer_of_torchs_calls_is_not_tried_on_other_weights_and_is_told_in_no_words_of_its_users(
    trace,
):
    found = shapes("""
        class Conv(nn.Conv1d):
            def _conv_forward(self, x, weight, bias):
                return super()._conv_forward(x, weight.to(x.dtype), bias)

        class Net(nn.Module):
            def __init__(self, n_mels, n_state):
                super().__init__()
                self.conv = Conv(n_mels, n_state, kernel_size=3, padding=1)

            def forward(self, x):
                y = self.conv(x)
                return y
    """)
    assert found["Net.forward:y"] == ("B", "n_state", "D")
    assert "n_state" not in (found["Conv._conv_forward:weight"] or ())


def test_a_number_with_a_minus_is_a_difference():
    sizes = Sizes()
    size = sizes.value(sizes.add(Free()), 0)
    attempt = Attempt(sizes, 0, looks=True)
    run: Any = SimpleNamespace(recorder=SimpleNamespace(integers=False), frames=[])
    attempt._computed(run, Span(1, 0, 1, 1), "-", (size,), -size)
    assert attempt.made[-size] == ("-", (0, size))
    assert attempt.expr(-size) is None  # it is no size
