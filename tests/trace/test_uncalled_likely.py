"""Of inputs that run, those that people give: sizes that fit beside each other though torch asks for less."""

from __future__ import annotations

from shown import shapes


def test_indices_along_a_dim_have_the_other_sizes_of_what_they_choose_from(trace):
    found = shapes(
        """
        from torch import Tensor
        def pick(table: Tensor, inputs: Tensor, bins: Tensor):
            at = (inputs.unsqueeze(-1) >= bins).sum(-1)
            chosen = table.gather(-1, at[..., None])[..., 0]
            return chosen * inputs
        """
    )
    table, inputs = found["pick:table"], found["pick:inputs"]
    assert table[:-1] == inputs and found["pick:chosen"] == inputs


def test_a_mask_has_the_sizes_of_what_it_chooses_from_place_by_place(trace):
    found = shapes(
        """
        from torch import Tensor
        def inside(x: Tensor, table: Tensor):
            mask = x.abs() < 1
            return table[mask, :]
        """
    )
    assert found["inside:table"] == ("*batch", "D", "W")


def test_halves_that_have_to_be_equal_are_halves_of_any_even_size(trace):
    found = shapes(
        """
        class Head(nn.Module):
            def forward(self, both):
                assert both.ndim == 2
                mean, scale = both.chunk(2, dim=1)
                return mean * scale
        """
    )
    assert found["Head.forward:both"] == ("B", "D") and found["Head.forward:mean"] == ("B", "D//2")


def test_a_matrix_that_meets_a_square_is_square(trace):
    found = shapes(
        """
        class Attention(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.fc = nn.Linear(dim, 1)
            def forward(self, x, adj):
                h = torch.mm(x, self.fc.weight.t())
                e = h + h.T
                return torch.where(adj > 0, e, torch.zeros_like(e)) @ x
        class Model(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.attention = Attention(dim)
            def forward(self, x, adj):
                return self.attention(x, adj)
        """
    )
    assert found["Model.forward:adj"][-1] == "B" and len(found["Model.forward:adj"]) == 2


def test_what_meets_weights_of_several_layers_has_a_dim_for_them(trace):
    found = shapes(
        """
        class Experts(nn.Module):
            def __init__(self, dim, hidden, experts):
                super().__init__()
                self.w = nn.Parameter(torch.randn(experts, dim, hidden))
            def forward(self, x):
                return torch.einsum("...nd,...dh->...nh", x, self.w)
        """
    )
    assert found["Experts.forward:x"][-3:] == ("experts", "T", "dim")


def test_an_input_that_need_not_be_given_is_given_where_the_others_are_as_they_were(trace):
    found = shapes(
        """
        class Layer(nn.Module):
            def __init__(self, dim, hidden):
                super().__init__()
                self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.BatchNorm1d(hidden), nn.Linear(hidden, dim))
            def forward(self, x, edge_index, edge_attr=None):
                row, col = edge_index[0], edge_index[1]
                message = x[row]
                if edge_attr is not None:
                    message = message + edge_attr
                    summed = message
                agg = torch.zeros_like(x).scatter_add_(0, col.unsqueeze(-1).expand_as(message), message)
                return self.mlp(agg)
        """
    )
    assert len(found["Layer.forward:summed"]) == 2 and "hidden" not in found["Layer.forward:summed"]


def test_parameters_that_are_equal_are_multiples_of_the_same(trace):
    found = shapes(
        """
        class Gate(nn.Module):
            def __init__(self, channels, hidden):
                super().__init__()
                assert hidden % 2 == 0
                self.hidden = hidden
                self.conv = nn.Conv1d(channels, 2 * hidden, 1)
            def forward(self, x):
                y = self.conv(x)
                return x + y[:, : self.hidden] * y[:, self.hidden :]
        """
    )
    assert found["Gate.forward:y"] == ("B", "2*channels", "D") or found["Gate.forward:y"][1] == "2*hidden"


def test_a_size_that_the_file_wants_to_be_one_is_one(trace):
    found = shapes(
        """
        class Wave(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.conv = nn.Conv1d(1, width, 3, padding=1)
            def forward(self, wave):
                if wave.ndim != 3 or wave.shape[1] != 1:
                    raise ValueError(f"Expected (batch, 1, frames), got {wave.shape}")
                return self.conv(wave)
        """
    )
    assert found["Wave.forward:wave"] == ("B", 1, "D") and found["Wave.forward:<return>"] == (
        "B",
        "width",
        "D",
    )


def test_a_word_that_is_looked_up_is_tried_with_the_others(trace):
    found = shapes(
        """
        class Head(nn.Module):
            def __init__(self, actions, kind="one"):
                super().__init__()
                size = {"one": 1, "each": actions}[kind]
                self.scale = nn.Parameter(torch.zeros(size))
            def forward(self, x):
                return x * self.scale
        """
    )
    assert found["Head.__init__:self.scale"] == (None,)


def test_a_size_that_equals_another_by_a_default_factor_is_not_called_so(trace):
    found = shapes(
        """
        class Cell(nn.Module):
            def __init__(self, dim, factor=1.0):
                super().__init__()
                inner = int(dim * factor)
                self.up = nn.Linear(dim, 2 * inner)
            def forward(self, x):
                hidden, gate = self.up(x).chunk(2, dim=-1)
                return hidden * gate
        """
    )
    assert found["Cell.forward:hidden"][-1] is None


def test_a_width_is_no_flag_though_it_is_called_after_one(trace):
    found = shapes(
        """
        class Block(nn.Module):
            def __init__(self, residual_channels, dilation_rate, num_steps):
                super().__init__()
                self.conv = nn.Conv1d(residual_channels, residual_channels, 3, padding=dilation_rate, dilation=dilation_rate)
                self.embed = nn.Embedding(num_steps, residual_channels)
            def forward(self, x, step):
                return self.conv(x) + self.embed(step).unsqueeze(-1)
        """
    )
    assert found["Block.forward:x"] == ("B", "residual_channels", "D")


def test_indices_that_are_given_by_name_are_so_too(trace):
    found = shapes(
        """
        class Smoothed(nn.Module):
            def forward(self, x, target):
                logprobs = F.log_softmax(x, dim=-1)
                nll = -logprobs.gather(dim=-1, index=target.unsqueeze(1))
                return nll.squeeze(1) - logprobs.mean(dim=-1)
        """
    )
    assert found["Smoothed.forward:x"][-1] == "D" and found["Smoothed.forward:target"][-1] == "B"


def test_labels_that_need_not_be_given_are_one_for_each_sample(trace):
    found = shapes(
        """
        class Classifier(nn.Module):
            def __init__(self, width, num_labels):
                super().__init__()
                self.fc = nn.Linear(width, num_labels)
            def forward(self, x, labels=None):
                pooled = x[:, 0] if x.dim() == 3 else x
                logits = self.fc(pooled)
                if labels is not None:
                    chosen = labels
                    return F.cross_entropy(logits, labels)
                return logits
        """
    )
    assert found["Classifier.forward:chosen"] == ("B",)


def test_a_default_that_is_not_followed_ends_nothing(trace):
    found = shapes(
        """
        from elsewhere import Norm
        class Block(nn.Module):
            def __init__(self, width, norm=Norm, out=None):
                super().__init__()
                self.fc = nn.Linear(width, 2 * width)
            def forward(self, x):
                return self.fc(x)
        """
    )
    assert found["Block.forward:<return>"] == ("*batch", "2*width")


def test_a_list_of_sizes_that_is_empty_by_default_may_have_some(trace):
    found = shapes(
        """
        class Gate(nn.Module):
            def __init__(self, width, gates, before=()):
                super().__init__()
                self.weight = nn.Parameter(torch.randn(*before, width, gates))
            def forward(self, x):
                return torch.einsum("...nd,...de->...ne", x, self.weight)
        """
    )
    assert found["Gate.__init__:self.weight"] is None


def test_what_is_expanded_like_another_may_have_one_in_its_last_dim(trace):
    found = shapes(
        """
        def loss(y_hat: torch.Tensor, target: torch.Tensor):
            means = y_hat[:, :, : y_hat.size(2) // 3]
            y = target.expand_as(means)
            return ((y - means) ** 2).mean()
        """
    )
    assert found["loss:target"][-1] is None
    assert found["loss:y"] == found["loss:means"] == ("B", "T", "D//3")


def test_what_is_called_with_nothing_makes_a_layer(trace):
    found = shapes(
        """
        def mlp(width, depth, act):
            layers = []
            for at in range(depth):
                made = act if at < depth - 1 else nn.Identity
                layers += [nn.Linear(width, width), made()]
            return nn.Sequential(*layers)

        class Actor(nn.Module):
            def __init__(self, width, activation):
                super().__init__()
                self.net = mlp(width, 2, activation)
            def forward(self, obs):
                return self.net(obs)
        """
    )
    assert found["Actor.forward:obs"] == ("*batch", "width")
