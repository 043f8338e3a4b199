"""What the text of a function wants to be given: numbers and not tensors, tuples, keywords, inputs that need not be given."""

from __future__ import annotations

from shown import shapes


def test_what_keywords_are_handed_on_to_says_which_there_have_to_be(trace):
    found = shapes(
        """
        class Backbone(nn.Module):
            def __init__(self, *, d_in, d_block, heads=4):
                super().__init__()
                self.fc = nn.Linear(d_in, d_block)
            def forward(self, x):
                return self.fc(x)

        class Model(nn.Module):
            def __init__(self, n_features, **kwargs):
                super().__init__()
                self.embed = nn.Linear(n_features, kwargs["d_in"])
                self.backbone = Backbone(**kwargs)
            def forward(self, x):
                x = self.embed(x)
                return self.backbone(x)
        """
    )
    assert found["Model.forward:x"][-1] == "d_in" and found["Model.forward:<return>"][-1] == "d_block"


def test_keywords_that_a_base_class_wants_are_given(trace):
    found = shapes(
        """
        class Base(nn.Module):
            def __init__(self, dim, out_dim):
                super().__init__()
                self.fc = nn.Linear(dim, out_dim)

        class Scaled(Base):
            def __init__(self, scale, **kwargs):
                super().__init__(**kwargs)
                self.scale = nn.Parameter(torch.ones(1) * scale)
            def forward(self, x):
                return self.fc(x) * self.scale
        """
    )
    assert found["Scaled.forward:<return>"][-1] == "out_dim"


def test_a_tuple_has_as_many_numbers_as_its_annotation_says(trace):
    found = shapes(
        """
        from typing import Tuple
        class Grid(nn.Module):
            def __init__(self, dim: int, size: Tuple[int, int]):
                super().__init__()
                h, w = size
                self.pos = nn.Parameter(torch.zeros(h * w, dim))
            def forward(self, x):
                return x + self.pos
        def grid(size: tuple[int, int]):
            h, w = size
            points = torch.stack(torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij"), dim=-1)
            return points
        """
    )
    assert found["Grid.__init__:self.pos"] == ("h*w", "dim")
    assert found["grid:points"] == ("h", "w", 2)


def test_a_list_is_as_long_as_the_numbers_say_that_it_is_asked_for(trace):
    found = shapes(
        """
        class Stages(nn.Module):
            def __init__(self, widths):
                super().__init__()
                self.a = nn.Linear(widths[0], widths[1])
                self.b = nn.Linear(widths[1], widths[3])
            def forward(self, x):
                hidden = self.a(x)
                return self.b(hidden)
        """
    )
    assert found["Stages.forward:hidden"] is not None and found["Stages.forward:<return>"] is not None


def test_what_torch_takes_for_a_size_is_a_number(trace):
    found = shapes(
        """
        Linear = nn.Linear
        def project(d_in, d_out, x):
            layer = Linear(d_in, d_out)
            y = torch.relu(layer(torch.relu(x)))
            return y
        def steps(last):
            return torch.arange(1, last + 1)
        """
    )
    assert found["project:y"][-1] == "d_out"
    assert found["steps:<return>"] == ("last",)


def test_a_list_that_is_compared_with_a_tensor_is_a_tensor(trace):
    found = shapes(
        """
        class Masked(nn.Linear):
            def __init__(self, degrees, out_features):
                super().__init__(len(degrees), out_features)
                mine = torch.arange(out_features)
                self.register_buffer("mask", (mine[:, None] >= degrees).float())
            def forward(self, x):
                return F.linear(x, self.weight * self.mask, self.bias)
        """
    )
    assert found["Masked.__init__:mine"] == ("out_features",)
    assert found["Masked.forward:<return>"][-1] == "out_features"


def test_an_input_that_the_file_asks_for_is_given_though_it_has_a_default(trace):
    found = shapes(
        """
        class Block(nn.Module):
            def __init__(self, dim, conditional=True):
                super().__init__()
                self.conditional = conditional
                self.fc = nn.Linear(dim, 2 * dim)
            def forward(self, x, cond=None):
                if self.conditional:
                    if cond is None:
                        raise ValueError("cond is required")
                    scale, shift = self.fc(cond).chunk(2, dim=-1)
                    x = x * scale + shift
                return x
        """
    )
    assert found["Block.forward:scale"][-1] == "dim"


def test_what_an_option_of_the_constructor_makes_may_want_an_input(trace):
    found = shapes(
        """
        class Norm(nn.Module):
            def __init__(self, dim, classes=None):
                super().__init__()
                self.dim = dim
                self.table = nn.Embedding(classes, dim) if classes is not None else None
            def forward(self, x, label=None):
                x = F.layer_norm(x, (self.dim,))
                if self.table is not None:
                    assert label is not None
                    scale = self.table(label)
                    x = x * scale
                return x
        """
    )
    assert found["Norm.forward:scale"][-1] == "dim"


def test_inputs_that_are_joined_in_a_width_of_two_parameters_have_no_dim_more(trace):
    found = shapes(
        """
        class Cell(nn.Module):
            def __init__(self, input_size, hidden_size):
                super().__init__()
                self.fc = nn.Linear(input_size + hidden_size, hidden_size)
            def forward(self, x, h):
                both = torch.cat([x, h], 1)
                return torch.tanh(self.fc(both))
        """
    )
    assert len(found["Cell.forward:x"]) == len(found["Cell.forward:h"]) == 2
    assert found["Cell.forward:both"][1:] == ("input_size + hidden_size",)


def test_what_holds_only_for_the_default_that_the_text_compares_is_not_said(trace):
    found = shapes(
        """
        class Upscale(nn.Module):
            def __init__(self, channels, scale: int = 4):
                super().__init__()
                if scale not in (2, 4):
                    raise ValueError(scale)
                self.scale = scale
                self.conv = nn.Conv2d(channels * 4 if scale == 2 else channels, channels, 3, padding=1)
            def forward(self, x):
                feat = F.pixel_unshuffle(x, 2) if self.scale == 2 else x
                return self.conv(feat)
        """
    )
    assert found["Upscale.forward:<return>"][1:] == ("channels", None, None)


def test_what_a_flag_shows_is_tried_with_what_the_constructor_fills_in(trace):
    found = shapes(
        """
        class Cross(nn.Module):
            def __init__(self, dim, context_dim=None):
                super().__init__()
                context_dim = context_dim if context_dim is not None else dim
                self.to_context = nn.Linear(dim, context_dim)
                self.scale = nn.Parameter(torch.ones(context_dim))
            def forward(self, x, return_context=False):
                context = self.to_context(x) * self.scale
                if return_context:
                    shown = context + 1
                    return shown
                return x
        """
    )
    assert "dim" not in (found["Cross.forward:shown"] or ())


def test_joined_to_what_has_fewer_dims_an_input_has_as_few(trace):
    found = shapes(
        """
        def padded(labels):
            padding = torch.ones((labels.shape[0], 1))
            joined = torch.cat([labels, padding], dim=1)
            return joined
        """
    )
    assert found["padded:joined"][1:] and len(found["padded:joined"]) == 2


def test_nothing_may_be_asked_for_in_a_tuple(trace):
    found = shapes(
        """
        class Prompts(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.fc = nn.Linear(dim, dim)
            def forward(self, x):
                found = torch.empty((x.shape[0], 0, x.shape[2]))
                found = torch.cat([found, self.fc(x)], dim=1)
                return found
        """
    )
    assert found["Prompts.forward:<return>"][-1] == "dim"


def test_an_option_is_given_with_those_that_the_file_names_where_it_refuses_it(trace):
    found = shapes(
        """
        class Pooled(nn.Module):
            def __init__(self, dim, ratio=None, tokens=None, share=None):
                super().__init__()
                if ratio is not None and tokens is None:
                    raise ValueError("If ratio is given, then tokens must be given too")
                if ratio is not None and share not in ("heads", "keys"):
                    raise ValueError(f"one of ('heads', 'keys') is wanted: share={share}")
                self.pool = None if ratio is None else nn.Linear(tokens, tokens // ratio)
                self.fc = nn.Linear(dim, 2 * dim)
            def forward(self, x):
                keys = self.fc(x)
                if self.pool is not None:
                    pooled = keys.transpose(1, 2)
                    keys = self.pool(pooled).transpose(1, 2)
                return keys
        """
    )
    assert found["Pooled.forward:pooled"] == ("B", "2*dim", "tokens")


def test_a_list_of_tensors_may_be_as_long_as_a_parameter_says(trace):
    found = shapes(
        """
        class Select(nn.Module):
            def __init__(self, dim, num_vars):
                super().__init__()
                self.each = nn.ModuleList([nn.Linear(dim, dim) for _ in range(num_vars)])
                self.weigh = nn.Linear(dim * num_vars, num_vars)
            def forward(self, variables: list[torch.Tensor]):
                flat = torch.cat(variables, dim=-1)
                weight = torch.softmax(self.weigh(flat), dim=-1).unsqueeze(-2)
                every = torch.stack([layer(one) for layer, one in zip(self.each, variables)], dim=-1)
                chosen = (every * weight).sum(-1)
                return chosen
        """
    )
    assert found["Select.forward:chosen"][-1] == "dim"
    assert 3 not in found["Select.forward:weight"]


def test_what_the_file_asks_itself_is_divided_by_what_it_divides_by(trace):
    found = shapes(
        """
        class Patches(nn.Module):
            def __init__(self, dim, patch):
                super().__init__()
                self.patch = patch
                self.fc = nn.Linear(3 * patch**2, dim)
            def forward(self, x):
                b, c, h, w = x.shape
                p = self.patch
                assert h % p == 0 and w % p == 0, f"height {h} and width {w} must be divisible by the patch size {p}"
                parts = x.reshape(b, c, h // p, p, w // p, p).permute(0, 2, 4, 3, 5, 1).reshape(b, -1, p * p * c)
                tokens = self.fc(parts)
                return tokens
        """
    )
    assert found["Patches.forward:tokens"][-1] == "dim"


def test_a_rank_that_a_parameter_decides_is_not_said(trace):
    found = shapes(
        """
        class Norm(nn.Module):
            def __init__(self, n_dim, channels):
                super().__init__()
                self.n_dim = n_dim
                if n_dim <= 3:
                    self.norm = getattr(nn, f"BatchNorm{n_dim}d")(channels)
                else:
                    self.norm = nn.BatchNorm1d(channels)
            def forward(self, x):
                size = x.shape
                if self.n_dim >= 4:
                    x = x.reshape(size[0], size[1], -1)
                x = self.norm(x)
                return x.reshape(size)
        """
    )
    assert found["Norm.forward:x"] is None


def test_where_the_text_asks_how_many_dims_there_are_more_of_them_are_tried_behind(trace):
    found = shapes(
        """
        class Mixed(nn.Module):
            def __init__(self, channels, width):
                super().__init__()
                self.conv = nn.Conv1d(channels, width, 1)
            def forward(self, x):
                size = list(x.shape)
                flat = x
                if x.ndim > 3:
                    flat = x.reshape((*size[:2], -1))
                hidden = self.conv(flat)
                out = hidden
                if x.ndim > 3:
                    out = hidden.reshape((size[0], hidden.shape[1], *size[2:]))
                return out
        """
    )
    assert found["Mixed.forward:<return>"] is None or "*batch" in found["Mixed.forward:<return>"]


def test_a_video_is_cut_into_patches_however_many_elements_it_has(trace):
    found = shapes(
        """
        class Patches(nn.Module):
            def __init__(self, dim, patch_size, channels=3):
                super().__init__()
                self.patch_size = patch_size
                self.fc = nn.Linear(channels * patch_size**2, dim)
            def forward(self, video):
                b, f, _, h, w, *_, p = *video.shape, self.patch_size
                assert h % p == 0 and w % p == 0, f"height {h} and width {w} have to be divisible by {p}"
                parts = video.reshape(b, f, -1, h // p, p, w // p, p).permute(0, 1, 3, 5, 2, 4, 6)
                tokens = self.fc(parts.flatten(4))
                return tokens
        """
    )
    assert found["Patches.forward:tokens"][-1] == "dim" and len(found["Patches.forward:tokens"]) == 5


def test_a_mask_may_have_one_row_for_all(trace):
    found = shapes(
        """
        def weigh(scores, mask):
            b, t, s = scores.shape
            assert mask.dim() == 3 and mask.shape[0] == b and mask.shape[2] == s
            masked = scores.masked_fill(mask == 0, -1e9)
            return masked
        """
    )
    assert found["weigh:mask"] == ("b", None, "s")
    assert found["weigh:masked"] == ("b", "t", "s")


def test_any_number_of_tensors_may_be_given(trace):
    found = shapes(
        """
        class Norms(nn.Module):
            def __init__(self, power=2):
                super().__init__()
                self.power = power
            def forward(self, *embeddings, squared=False):
                total = torch.zeros(1)
                for embedding in embeddings:
                    length = torch.norm(embedding, p=self.power, dim=-1, keepdim=True)
                    total = total + length.sum()
                return total
        """
    )
    assert found["Norms.forward:length"] is not None and found["Norms.forward:length"][-1] == 1
    assert found["Norms.forward:total"] == (1,)


def test_a_number_is_one_of_those_that_the_text_allows(trace):
    found = shapes(
        """
        class Net(nn.Module):
            def __init__(self, num_layers, width):
                super().__init__()
                assert num_layers in [50, 100, 152], "num_layers should be 50, 100 or 152"
                self.fc = nn.Linear(width, 8 * width)
            def forward(self, x):
                hidden = self.fc(x)
                return hidden
        """
    )
    assert found["Net.forward:hidden"][-1] == "8*width"


def test_a_weight_that_a_constructor_is_given_is_a_tensor(trace):
    found = shapes(
        """
        class Target(nn.Module):
            def __init__(self, weight, bias):
                super().__init__()
                self.weight = weight
                self.bias = bias.unsqueeze(0)
            def forward(self, x):
                weight = self.weight.view(self.weight.shape[0], -1)
                out = F.linear(x, weight) + self.bias
                return out
        """
    )
    assert "Target.forward:weight" in found  # with any rank
    assert found["Target.forward:out"] is None  # a bias of as many dims as the input has would have one more


def test_what_more_is_taken_of_is_larger(trace):
    found = shapes(
        """
        class Split(nn.Module):
            def __init__(self, part, whole):
                super().__init__()
                self.first = nn.Linear(8, part)
                self.rest = nn.Linear(8, whole - part * 3)
            def forward(self, x):
                both = torch.cat([self.first(x)] * 3 + [self.rest(x)], dim=-1)
                return both
        """
    )
    assert found["Split.forward:both"][-1] == "whole"


def test_a_function_of_torch_may_be_given_all_by_name(trace):
    found = shapes(
        """
        class Target(nn.Module):
            def __init__(self, weight, bias):
                super().__init__()
                self.weight = weight
                self.bias = bias
            def forward(self, x):
                out = F.conv2d(input=x, weight=self.weight, bias=self.bias)
                return out
        def line(n: int):
            return torch.arange(n)
        """
    )
    assert found["line:<return>"] == ("n",)


def test_inputs_and_weights_stand_where_the_text_brings_what_meets_them(trace):
    found = shapes(
        """
        class Encoder(nn.Module):
            def __init__(self, width, hidden):
                super().__init__()
                self.hidden = hidden
                self.gru = nn.GRU(width, hidden, batch_first=True)
            def forward(self, x):
                state = torch.zeros(1, x.size(0), self.hidden).cuda()
                out, state = self.gru(x, state)
                noise = torch.randn(out.size()).cuda()
                return out + noise
        """
    )
    assert found["Encoder.forward:<return>"] == ("B", "T", "hidden")
