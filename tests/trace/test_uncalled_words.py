"""What a constructor or a call is given may be otherwise than its default says: words, shapes, tensors of any rank."""

from __future__ import annotations

from shown import shapes


def test_what_a_word_decides_is_not_told_of_its_default_alone(trace):
    found = shapes(
        """
        def reduced(x, kind):
            if kind == "mean":
                return x.mean()
            elif kind == "sum":
                return x.sum()
            return x

        class Loss(nn.Module):
            def __init__(self, reduction="mean"):
                super().__init__()
                self.reduction = reduction
            def forward(self, pred, target):
                y = (pred - target).pow(2)
                loss = reduced(y, kind=self.reduction)
                return loss

        class Direct(nn.Module):
            def __init__(self, reduction="mean"):
                super().__init__()
                self.reduction = reduction
            def forward(self, pred, target):
                loss = (pred - target).pow(2)
                if self.reduction == "mean":
                    mean = loss.mean()
                    return mean
                return loss
        """
    )
    assert found["Loss.forward:loss"] in (None, ("*batch",))
    assert found["Direct.forward:mean"] == ()


def test_a_parameter_that_is_called_a_shape_is_no_number(trace):
    found = shapes(
        """
        class Scale(nn.Module):
            def __init__(self, shape):
                super().__init__()
                self.s = nn.Parameter(torch.zeros(shape)[None])
            def forward(self, z):
                y = z * self.s
                return y
        """
    )
    assert found.get("Scale.__init__:self.s") is None
    assert found.get("Scale.forward:y") is None


def test_a_tensor_that_a_constructor_is_given_may_have_another_rank(trace):
    found = shapes(
        """
        class Masked(nn.Module):
            def __init__(self, mask):
                super().__init__()
                self.register_buffer("mask", mask.view(1, *mask.size()))
            def forward(self, z):
                y = self.mask * z
                return y
        """
    )
    assert found.get("Masked.forward:y") is None
    assert found["Masked.__init__:mask"] in (None, ("*batch", "D"))


def test_what_a_distribution_is_made_of_is_a_tensor(trace):
    found = shapes(
        """
        from torch.distributions import Normal

        class Policy:
            def __init__(self, loc, std):
                self.loc, self._std = loc, std
                self._dist = Normal(self.loc, std)
            def rows(self):
                batch_size, size = self.loc.shape
                noise = torch.randn(batch_size, size)
                return noise
        """
    )
    assert found["Policy.rows:noise"] == ("batch_size", "size")


def test_a_tensor_by_another_name_or_of_a_dtype_is_one(trace):
    found = shapes(
        """
        from torch import Tensor as T

        class Loss(nn.Module):
            def forward(self, x: T):
                B, C, N = x.shape
                y = x.mean(-1)
                return y

        class Linear(nn.Module):
            def __init__(self, adjacency: torch.BoolTensor):
                super().__init__()
                self.weight = nn.Parameter(torch.zeros(adjacency.shape))
                self.register_buffer("adjacency", adjacency)
            def forward(self, x):
                y = F.linear(x, self.adjacency * self.weight)
                return y
        """
    )
    assert found["Loss.forward:y"] == ("B", "C")
    assert "Linear.forward:y" in found


def test_a_size_below_five_is_none_of_the_dims(trace):
    found = shapes(
        """
        class Rows(nn.Module):
            def __init__(self, width, output_dim=1):
                super().__init__()
                self.bias = nn.Parameter(torch.zeros((output_dim,)))
                self.fc = nn.Linear(width, output_dim)
            def forward(self, x):
                y = self.fc(x) + self.bias
                return y
        """
    )
    assert found["Rows.__init__:self.bias"] == ("output_dim",)
    assert found["Rows.forward:y"][-1] == "output_dim"


def test_a_count_that_is_none_by_default_is_a_part_of_the_sum(trace):
    found = shapes(
        """
        def around(x, backward=1, forward=0):
            b, n, d = x.shape
            found = torch.stack([x for _ in range(forward + backward + 1)])
            return found
        """
    )
    assert (found["around:found"] or (None,))[0] in (None, "forward + backward + 1")


def test_a_mask_that_is_bound_anew_where_neighbours_are_counted_is_tried_with_these(trace):
    found = shapes(
        """
        class Near(nn.Module):
            def __init__(self, dim, neighbours=None):
                super().__init__()
                self.neighbours = neighbours
                self.fc = nn.Linear(dim, dim)
            def forward(self, x, mask=None):
                b, n, d = x.shape
                dist = torch.cdist(self.fc(x), x)
                if mask is not None:
                    mask = mask[:, :, None] * mask[:, None, :]
                if self.neighbours is not None and self.neighbours < n:
                    dist, at = dist.topk(self.neighbours, largest=False)
                    if mask is not None:
                        mask = mask.gather(2, at)
                if mask is not None:
                    last = mask.unsqueeze(1)
                    dist = dist.masked_fill(last[:, 0] == 0, 0.0)
                return dist
        """
    )
    assert found["Near.forward:last"] is None or found["Near.forward:last"][-1] is None


def test_a_size_that_is_refused_above_a_number_is_below_it(trace):
    found = shapes(
        """
        def blocks(x, size=8):
            b, c, h, w = x.shape
            if c > 1:
                raise ValueError("grayscale images are wanted")
            rows = x.sum(-1)
            return rows
        """
    )
    assert found["blocks:rows"] == ("b", 1, "h")


def test_a_mask_of_the_constructor_and_an_input_have_another_rank_together(trace):
    found = shapes(
        """
        class Coupling(nn.Module):
            def __init__(self, width, wide, mask, cond=None):
                super().__init__()
                self.register_buffer("mask", mask)
                self.net = nn.Linear(width + (cond or 0), wide)
            def forward(self, x, given=None):
                held = x * self.mask
                if given is not None:
                    held = torch.cat([held, given], -1)
                y = self.net(held)
                return y
        """
    )
    assert found["Coupling.forward:y"] in (None, ("*batch", "wide"))


def test_a_size_that_has_to_be_a_power_of_two_is_one(trace):
    found = shapes(
        """
        from math import log2

        class Codes(nn.Module):
            def __init__(self, dim=None, code_size=None):
                super().__init__()
                assert dim is not None or code_size is not None, "dim or code_size must be given"
                if code_size is not None:
                    assert log2(code_size).is_integer(), "the code size must be a power of 2"
                self.width = int(log2(code_size)) if code_size is not None else dim
                self.fc = nn.Linear(self.width, 5)
            def forward(self, x):
                y = self.fc(x)
                return y
        """
    )
    assert found["Codes.forward:y"][-1] == 5


def test_a_word_is_compared_in_the_layer_that_it_is_handed_on_to(trace):
    found = shapes(
        """
        class Position(nn.Module):
            def __init__(self, d_model, kind):
                super().__init__()
                self.kind = kind
                self.table = nn.Parameter(torch.zeros(1, 5000, d_model))
            def forward(self, x):
                if self.kind == "last":
                    return self.table[:, :x.size(2)]
                return self.table[:, :x.size(1)]

        class Embedding(nn.Module):
            def __init__(self, c_in, d_model, kind):
                super().__init__()
                self.conv = nn.Conv1d(c_in, d_model, 3, padding=1)
                self.position = Position(d_model=d_model, kind=kind)
            def forward(self, x):
                y = self.conv(x).transpose(1, 2) + self.position(x)
                return y
        """
    )
    assert found["Embedding.forward:x"] == ("B", "c_in", None)
    assert found["Embedding.forward:y"] == ("B", None, "d_model")


def test_a_word_is_kept_unless_another_is_given(trace):
    found = shapes(
        """
        class Loss(nn.Module):
            def __init__(self, reduction="mean"):
                super().__init__()
                self.reduction = reduction or "none"
            def forward(self, pred, target):
                loss = (pred - target).pow(2)
                if self.reduction == "mean":
                    loss = loss.mean()
                elif self.reduction == "sum":
                    loss = loss.sum()
                last = loss
                return last
        """
    )
    assert found["Loss.forward:last"] in (None, ("*batch",))


def test_a_word_that_chooses_from_a_table_leaves_what_no_choice_changes(trace):
    found = shapes(
        """
        class Conv(nn.Module):
            def __init__(self, c_in, c_out, scale="none"):
                super().__init__()
                self.conv = nn.Conv2d(c_in, c_out, 3, 2 if scale == "down" else 1, padding=1)
                self.scale = scale
            def forward(self, x):
                if self.scale == "up":
                    x = F.interpolate(x, scale_factor=2)
                y = self.conv(x)
                return y

        class Block(nn.Module):
            def __init__(self, c_in, c_out, scale="none"):
                super().__init__()
                ways = {"down": ["none", "down"], "up": ["up", "none"], "none": ["none", "none"]}[scale]
                self.short = Conv(c_in, c_out, scale)
                self.one = Conv(c_in, c_out, ways[0])
                self.two = Conv(c_out, c_out, ways[1])
            def forward(self, x):
                short = self.short(x)
                long = self.two(self.one(x))
                return short + long
        """
    )
    assert found["Block.forward:short"] == found["Block.forward:long"] == ("B", "c_out", None, None)


def test_another_word_may_want_other_inputs(trace):
    found = shapes(
        """
        class Choose(nn.Module):
            def __init__(self, channels, kind="each"):
                super().__init__()
                self.kind = kind
                self.conv = nn.Conv2d(channels, 1, 1)
                self.pool = nn.AdaptiveAvgPool2d(1)
            def forward(self, x, other):
                score = self.conv(x)
                if self.kind == "all":
                    score = self.pool(score)
                late = score
                if self.kind == "all":
                    score = F.interpolate(score, size=other.shape[2:], mode="bilinear")
                return score * other
        """
    )
    assert found["Choose.forward:late"] == ("B", 1, None, None)


def test_an_input_that_is_asked_for_its_rank_may_have_another(trace):
    found = shapes(
        """
        def sample(picture, points):
            flat = points.dim() == 3
            if points.dim() == 3:
                points = points.unsqueeze(2)
            out = F.grid_sample(picture, points * 2 - 1)
            if flat:
                out = out.squeeze(3)
            last = out
            return last
        """
    )
    assert found["sample:points"] is None
    assert found["sample:last"] is None


def test_a_table_is_longer_than_what_is_told_beside_it(trace):
    found = shapes(
        """
        class Encoder(nn.Module):
            def __init__(self, width, T=1000, length=24):
                super().__init__()
                self.norm = nn.LayerNorm([length, width])
                self.register_buffer("table", torch.zeros(1, T, width))
            def forward(self, x):
                x = self.norm(x)
                y = x + self.table[:, : x.size(1)]
                return y
        """
    )
    assert found["Encoder.forward:y"][1:] == ("length", "width")


def test_a_layer_that_asks_whether_it_is_trained_is_run_as_it_is_used_too(trace):
    found = shapes(
        """
        class Codes(nn.Module):
            def __init__(self, dim, size):
                super().__init__()
                self.codes = nn.Linear(dim, size)
            def forward(self, x):
                logits = self.codes(x)
                if self.training:
                    chosen = F.gumbel_softmax(logits, hard=True)
                else:
                    best = logits.argmax(dim=-1)
                    chosen = F.one_hot(best, logits.shape[-1]).float()
                    logits = logits[:, 0]
                last = logits
                return chosen
        """
    )
    assert found["Codes.forward:chosen"][-1] == "size"
    assert found["Codes.forward:best"] is not None
    assert found["Codes.forward:last"] != found["Codes.forward:logits"] or found["Codes.forward:last"] is None


def test_a_remainder_that_divmod_leaves_is_understood(trace):
    found = shapes(
        """
        class Attention(nn.Module):
            def __init__(self, width, heads):
                super().__init__()
                size, rest = divmod(width, heads)
                if rest:
                    raise ValueError("incompatible")
                self.heads, self.size = heads, size
                self.query = nn.Linear(width, width)
            def forward(self, x):
                q = self.query(x).reshape(x.shape[0], x.shape[1], self.heads, -1)
                return q
        """
    )
    assert found["Attention.forward:q"][2] == "heads"


def test_two_quotients_are_nothing(trace):
    found = shapes(
        """
        from einops import rearrange

        class Windows(nn.Module):
            def __init__(self, dim, window_size, dim_head):
                super().__init__()
                self.heads = dim // dim_head
                self.window_size = window_size
                self.norm = nn.LayerNorm(dim)
            def forward(self, x):
                b, c, t = x.shape
                x = self.norm(x.transpose(1, 2))
                windows = t // self.window_size
                q = rearrange(x, "b (w n) (h d) -> b h w n d", w=windows, h=self.heads)
                return q
        """
    )
    assert len(found["Windows.forward:q"]) == 5


def test_what_need_not_be_given_is_wanted_where_it_is_not_asked_for(trace):
    found = shapes(
        """
        from typing import Optional

        class Embed(nn.Module):
            def __init__(self, context, vocab, dim):
                super().__init__()
                assert context > 0
                first = dim - dim // 2 // context * (context - 1)
                sizes = [first if i == 0 else dim // 2 // context for i in range(context)]
                self.layers = nn.ModuleList([nn.Embedding(vocab, size) for size in sizes])
            def forward(self, y: Optional[torch.Tensor] = None):
                b, u = y.shape
                outs = []
                for i in range(len(self.layers)):
                    out = self.layers[i](y)
                    if i != 0:
                        out = out * 2
                    outs.append(out)
                last = torch.cat(outs, -1)
                return last
        """
    )
    assert found["Embed.forward:last"][:2] == ("b", "u")
