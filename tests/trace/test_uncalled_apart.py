"""Inputs that only several changes lead to: ranks of all, options without each other, sizes taken apart, dims that are shares."""

from __future__ import annotations

from shown import shapes


def test_another_word_is_tried_with_all_inputs_of_another_rank(trace):
    found = shapes(
        """
        class Fuse(nn.Module):
            def __init__(self, channels=64, kind="2d"):
                super().__init__()
                if kind == "1d":
                    self.gate = nn.Conv1d(channels, channels, 1)
                else:
                    self.gate = nn.Conv2d(channels, channels, 1)
            def forward(self, x, residual):
                both = x + residual
                return self.gate(both)
        """
    )
    assert len(found.get("Fuse.forward:<return>") or ()) != 4


def test_a_factor_is_tried_on_either_side_of_what_it_is_compared_with(trace):
    found = shapes(
        """
        class Block(nn.Module):
            def __init__(self, dim, scale=1.0):
                super().__init__()
                self.conv = nn.Conv2d(dim, dim, 3, padding=1)
                self.resize = nn.Identity()
                if scale > 1:
                    self.resize = nn.Upsample(scale_factor=scale)
            def forward(self, x):
                x = self.conv(x)
                return self.resize(x)
        """
    )
    assert found["Block.forward:x"] == ("B", "dim", "H", "W")
    assert found["Block.forward:<return>"] == ("B", "dim", None, None)


def test_a_width_that_is_one_by_default_is_any_width(trace):
    found = shapes(
        """
        class Score(nn.Module):
            def __init__(self, hidden_size=1, key_size=1):
                super().__init__()
                self.key = nn.Linear(key_size, hidden_size)
            def forward(self, query, keys):
                assert query.shape[2] == self.key.out_features
                return query @ self.key(keys).transpose(1, 2)
        """
    )
    assert found["Score.forward:query"][-1] == "hidden_size" and found["Score.forward:keys"][-1] == "key_size"


def test_what_a_method_hands_to_a_layer_is_a_tensor(trace):
    found = shapes(
        """
        class Actor(nn.Module):
            def __init__(self, width, state_dim, action_dim):
                super().__init__()
                self.net = nn.Sequential(nn.Linear(state_dim, width), nn.ReLU(), nn.Linear(width, action_dim))
            def forward(self, state):
                return self.net(state)
            def act(self, state, deviation):
                mean = self.net(state)
                return (mean + torch.randn_like(mean) * deviation).tanh()
        """
    )
    assert found["Actor.act:mean"][-1] == "action_dim"


def test_sizes_that_are_unpacked_make_up_one_dim(trace):
    found = shapes(
        """
        class Up(nn.Module):
            def __init__(self, in_dim, out_dim, resolution):
                super().__init__()
                self.fc = nn.Linear(in_dim, 4 * out_dim)
                self.resolution = resolution
            def forward(self, x):
                b, n, c = x.shape
                d, h, w = self.resolution
                x = self.fc(x).reshape(b, d, h, w, 2, 2, c // 2)
                return x
        """
    )
    assert len(found["Up.forward:<return>"]) == 7


def test_options_of_which_one_is_of_no_use_alone(trace):
    found = shapes(
        """
        class Memory(nn.Module):
            def __init__(self, width, order=None, hidden=None):
                super().__init__()
                if order is None:
                    return
                self.order = order
                self.fc = nn.Linear(width, hidden)
            def forward(self, x):
                return self.fc(x)
        """
    )
    assert found["Memory.forward:<return>"][-1] == "hidden"


def test_what_padding_leaves_is_no_condition_of_what_comes_after(trace):
    found = shapes(
        """
        class Net(nn.Module):
            def __init__(self, width, depth=2):
                super().__init__()
                self.downs = nn.ModuleList([nn.Conv2d(width, width, 3, 2, 1) for _ in range(depth)])
                self.depth = depth
            def forward(self, x):
                times = 2 ** self.depth
                pad = (times - x.shape[2] % times) % times
                x = F.pad(x, (0, 0, 0, pad))
                for down in self.downs:
                    x = down(x)
                return x
        """
    )
    assert found["Net.forward:<return>"][:2] == ("B", "width")


def test_a_share_is_found_by_what_refuses_a_number(trace):
    found = shapes(
        """
        class Attention(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.qkv = nn.Linear(config.n_embd, 3 * config.n_embd)
                self.drop = nn.Dropout(config.attn_pdrop)
            def forward(self, x):
                return self.drop(self.qkv(x))
        """
    )
    assert found["Attention.forward:<return>"][-1] == "3*n_embd"


def test_channels_are_so_many_times_the_groups_that_a_view_makes_of_them(trace):
    found = shapes(
        """
        class Norm(nn.Module):
            def __init__(self, num_groups, width):
                super().__init__()
                self.num_groups = num_groups
                self.weight = nn.Parameter(torch.ones(width))
            def forward(self, x):
                b, c, h, w = x.size()
                y = x.view(b, self.num_groups, -1)
                y = y - y.mean(-1, keepdim=True)
                return y.view(b, c, h, w) * self.weight.view(1, -1, 1, 1)
        """
    )
    assert found["Norm.__init__:self.weight"] == ("width",)


def test_calls_that_a_longer_loop_makes_are_heard_too(trace):
    found = shapes(
        """
        class Tree(nn.Module):
            def __init__(self, depth):
                super().__init__()
                self.depth = depth
            def forward(self, x):
                for layer in range(self.depth):
                    self.penalty(x, layer)
                return x
            def penalty(self, x, layer):
                rows = x.new_zeros(3 * 2 ** layer)
                return rows
        """
    )
    assert found["Tree.penalty:rows"] == (None,)
