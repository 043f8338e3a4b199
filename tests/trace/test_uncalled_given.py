"""What functions that nobody calls are given: dicts, states, configs; and parameters that may be equal."""

from __future__ import annotations

import torch
from shown import shapes, values


def test_a_dict_has_the_keys_that_it_is_asked_for(trace):
    found = shapes(
        """
        class Towers(nn.Module):
            def __init__(self, user_dim, item_dim, dim):
                super().__init__()
                self.user = nn.Linear(user_dim, dim)
                self.item = nn.Linear(item_dim, dim)
            def forward(self, batch):
                u = self.user(batch["user"])
                i = self.item(batch["item"])
                return u * i
        """
    )
    assert found["Towers.forward:u"][-1] == found["Towers.forward:i"][-1] == "dim"


def test_of_a_dict_whose_keys_nobody_says_nothing_is_shown(trace):
    found = values(
        """
        class Pyramid(nn.Module):
            def __init__(self, out_channels):
                super().__init__()
                self.out_channels = out_channels
            def forward(self, x: dict[str, torch.Tensor]):
                maps = list(x.values())
                return {key: value for key, value in x.items()}
        """
    )
    assert "Pyramid.forward:x" not in found and "Pyramid.forward:<return>" not in found
    shown = [dim for item in found["Pyramid.forward:maps"].items for dim in item.shape or ()]
    assert not any(isinstance(dim, str) and dim.isidentifier() for dim in shown)


def test_a_state_that_is_unpacked_is_two_tensors(trace):
    found = shapes(
        """
        class Cell(nn.Module):
            def __init__(self, in_ch, hidden_ch):
                super().__init__()
                self.hidden_ch = hidden_ch
                self.gates = nn.Conv2d(in_ch + hidden_ch, 4 * hidden_ch, 3, padding=1)
            def forward(self, x, state=None):
                n, _, height, width = x.shape
                if state is None:
                    zeros = x.new_zeros(n, self.hidden_ch, height, width)
                    state = (zeros, zeros)
                hidden, cell = state
                gates = self.gates(torch.cat([x, hidden], dim=1))
                i, f, o, g = gates.chunk(4, dim=1)
                cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
                return cell
        """
    )
    assert found["Cell.forward:<return>"] == ("n", "hidden_ch", "height", "width")


def test_targets_of_classes_are_integers_beside_other_inputs_of_their_shape(trace):
    found = values(
        """
        class Ranker(nn.Module):
            def __init__(self, n_users, n_items, dim):
                super().__init__()
                self.users = nn.Embedding(n_users, dim)
                self.head = nn.Linear(dim, n_items)
            def forward(self, user_ids, targets=None):
                scores = self.head(self.users(user_ids))
                if targets is not None:
                    loss = F.cross_entropy(scores, targets)
                    return loss
                return scores
        """
    )
    targets = found["Ranker.forward:targets"]
    assert (targets.shape, targets.dtype) == (("N",), "int64")


def test_what_is_called_tokens_may_be_features(trace):
    found = values(
        """
        class Head(nn.Module):
            def __init__(self, width, classes):
                super().__init__()
                self.fc = nn.Linear(width, classes)
            def forward(self, tokens):
                out = self.fc(tokens)
                return out
        """
    )
    assert found["Head.forward:tokens"].dtype == "float32"
    assert found["Head.forward:out"].shape[-1] == "classes"


def test_functions_without_gradients_are_followed_and_static_ones(trace):
    found = shapes(
        """
        class Model(nn.Module):
            def __init__(self, vocab, dim):
                super().__init__()
                self.embed = nn.Embedding(vocab, dim)
                self.head = nn.Linear(dim, vocab)
            def forward(self, idx):
                return self.head(self.embed(idx))
            @torch.no_grad()
            def sample(self, idx):
                b, t = idx.shape
                logits = self(idx)[:, -1]
                return logits
            @staticmethod
            def mask(size):
                return torch.ones(size, size).tril()

        @torch.inference_mode()
        def distances(x, y):
            b, t, d = x.shape
            return torch.cdist(x, y)
        """
    )
    assert found["Model.sample:logits"] == ("b", "vocab")
    assert found["Model.mask:<return>"] == ("size", "size")
    assert found["distances:x"] == ("b", "t", "d")


def test_layers_of_the_same_config_use_its_words(trace):
    found = shapes(
        """
        class Embeddings(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.words = nn.Embedding(config.vocab_size, config.hidden_size)
            def forward(self, ids):
                embedded = self.words(ids)
                return embedded

        class Model(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.embeddings = Embeddings(config)
                self.dense = nn.Linear(config.hidden_size, config.hidden_size)
            def forward(self, ids):
                return self.dense(self.embeddings(ids))
        """
    )
    assert found["Embeddings.forward:embedded"][-1] == "hidden_size"


EQUAL = """
class Projector(nn.Module):
    def __init__(self, in_ch, out_ch):
        super().__init__()
        self.conv = nn.Conv2d(in_ch, out_ch, 1)
        self.first = in_ch == out_ch
    def forward(self, a, b):
        picked = a if self.first else b
        made = self.conv(picked)
        return made

class Block(nn.Module):
    def __init__(self, in_ch, out_ch):
        super().__init__()
        self.conv = nn.Conv2d(in_ch, out_ch, 3, padding=1)
        self.residual = in_ch == out_ch
    def forward(self, x):
        if self.residual:
            summed = x + self.conv(x)
            return summed
        return self.conv(x)
"""


def test_parameters_that_are_compared_may_be_equal(trace):
    """Which of two inputs has the layer's channels hangs on it, so neither is said to have them."""
    found = values(EQUAL)
    for name in "ab":
        value = found[f"Projector.forward:{name}"]
        assert getattr(value, "shape", None) is None or value.shape[1] is None
    assert found["Projector.forward:made"].shape[1] == "out_ch"
    assert found["Block.forward:summed"].shape == ("B", "in_ch", "H", "W")
    assert found["Block.forward:<return>"].shape == ("B", "out_ch", "H", "W")


def test_each_tower_has_its_own_width(trace):
    found = shapes(
        """
        class TwoTower(nn.Module):
            def __init__(self, left, right, dim):
                super().__init__()
                self.one = nn.Linear(left, dim)
                self.other = nn.Linear(right, dim)
            def forward(self, users, items):
                u = F.normalize(self.one(users), dim=-1)
                v = F.normalize(self.other(items), dim=-1)
                logits = u @ v.t()
                labels = torch.arange(logits.size(0))
                return F.cross_entropy(logits, labels)
        """
    )
    assert found["TwoTower.forward:users"][-1] == "left"
    assert found["TwoTower.forward:items"][-1] == "right"


def test_a_size_that_is_halved_and_doubled_is_another(trace):
    found = shapes(
        """
        class Hourglass(nn.Module):
            def __init__(self, channels):
                super().__init__()
                self.conv = nn.Conv2d(channels, channels, 3, padding=1)
            def forward(self, x):
                small = F.max_pool2d(self.conv(x), 2)
                large = F.interpolate(small, scale_factor=2)
                more = x.size(2) - large.size(2)
                large = F.pad(large, [0, x.size(3) - large.size(3), 0, more])
                return x + large
        """
    )
    assert found["Hourglass.forward:small"] == ("B", "channels", "H//2", "W//2")


def test_every_second_is_counted_as_torch_counts(trace):
    found = shapes(
        """
        def table(n, d):
            whole = torch.zeros(n, d)
            even = torch.arange(0, d, 2)
            odd = torch.arange(1, d, step=2)
            third = torch.arange(n, n + d, 3)
            first = whole[:, ::2]
            second = whole[:, 1::2]
            return first
        """
    )
    for size in (7, 8, 9, 12):
        whole = torch.zeros(5, size)
        real = {
            "even": torch.arange(0, size, 2),
            "odd": torch.arange(1, size, step=2),
            "third": torch.arange(5, 5 + size, 3),
            "first": whole[:, ::2],
            "second": whole[:, 1::2],
        }
        for name, tensor in real.items():
            dims = found[f"table:{name}"]
            assert [eval(str(dim), {"n": 5, "d": size}) for dim in dims] == list(tensor.shape), name


def test_a_number_that_was_made_up_is_no_size_of_several_inputs(trace):
    found = shapes(
        """
        class MessagePassing(nn.Module):
            def __init__(self, node_dim, edge_dim, hidden):
                super().__init__()
                self.message = nn.Linear(2 * node_dim + edge_dim, hidden)
                self.update = nn.GRUCell(hidden, node_dim)
            def forward(self, h, edge_index, edge_attr):
                src, dst = edge_index
                messages = self.message(torch.cat([h[src], h[dst], edge_attr], dim=-1))
                agg = torch.zeros(h.size(0), messages.size(1)).index_add(0, dst, messages)
                return self.update(agg, h)
        """
    )
    messages = found["MessagePassing.forward:messages"]
    assert messages[-1] == "hidden" and type(messages[0]) is str
    assert found["MessagePassing.forward:edge_index"] == (2, messages[0])


def test_a_layer_that_refuses_a_rank_is_asked_again_and_again(trace):
    found = shapes(
        """
        class RecurrentPolicy(nn.Module):
            def __init__(self, obs_size, hidden_size, num_actions):
                super().__init__()
                self.encoder = nn.Linear(obs_size, hidden_size)
                self.cell = nn.LSTMCell(hidden_size, hidden_size)
                self.actor = nn.Linear(hidden_size, num_actions)
            def forward(self, obs, hx, cx, done):
                x = torch.tanh(self.encoder(obs))
                not_done = (1.0 - done).unsqueeze(-1)
                hx, cx = self.cell(x, (hx * not_done, cx * not_done))
                return F.softmax(self.actor(hx), dim=-1)
        """
    )
    assert found["RecurrentPolicy.forward:<return>"] == ("B", "num_actions")


CONFIGURED = """
class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.head_dim = {head_dim}
        self.scaling = self.head_dim ** -0.5
        self.theta = config.rope["theta"] * config.rope["factor"]
        self.q_proj = nn.Linear(config.hidden_size, config.heads * self.head_dim)
        self.o_proj = nn.Linear(config.heads * self.head_dim, config.hidden_size)
    def forward(self, x):
        q = self.q_proj(x)
        y = self.o_proj(q)
        return y
"""


def test_a_width_in_heads_is_a_multiple_of_them_and_a_configuration_has_dicts(trace):
    found = shapes(CONFIGURED.format(head_dim="config.hidden_size // config.heads"))
    assert found["Attention.forward:q"][-1] == found["Attention.forward:y"][-1] == "hidden_size"


def test_a_field_that_may_be_given_hangs_on_no_other(trace):
    head_dim = 'getattr(config, "head_dim", config.hidden_size // config.heads)'
    found = shapes(CONFIGURED.format(head_dim=head_dim))
    assert found["Attention.forward:q"][-1] == "head_dim*heads"
    assert found["Attention.forward:y"][-1] == "hidden_size"


def test_what_only_makes_a_model_keeps_nobody_waiting(trace):
    found = shapes(
        """
        def small(pretrained=False, **options):
            return Net(depth=200, **options)
        def large(pretrained=False, **options):
            return Net(depth=300, **options)
        class Net(nn.Module):
            def __init__(self, width=64, depth=150):
                super().__init__()
                self.layers = nn.ModuleList(nn.Sequential(nn.Linear(width, width), nn.ReLU()) for _ in range(depth))
                self.head = nn.Linear(width, 3)
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                y = self.head(x)
                return y
        """
    )
    assert found["Net.forward:y"][-1] == 3


def test_a_configuration_may_hold_others_and_a_parameter_is_made_of_no_integer(trace):
    found = shapes(
        """
        class Towers(nn.Module):
            def __init__(self, config):
                super().__init__()
                text_config, vision_config = config.text_config, config.vision_config
                self.text_width, self.vision_width = text_config.hidden_size, vision_config.width
                self.text = nn.Linear(self.text_width, config.projection_dim)
                self.vision = nn.Linear(self.vision_width, config.projection_dim)
                self.scale = nn.Parameter(torch.tensor(config.init_value))
            def forward(self, t, v):
                a = self.text(t) * self.scale.exp()
                b = self.vision(v)
                return a, b
        """
    )
    assert found["Towers.forward:a"][-1] == found["Towers.forward:b"][-1] == "projection_dim"


def test_an_annotation_of_a_tuple_may_be_wrong(trace):
    found = shapes(
        """
        class Mlp(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.inner = nn.Linear(width, 4 * width)
            def forward(self, hidden: tuple[torch.Tensor] | None):
                y = self.inner(hidden)
                return y
        """
    )
    assert found["Mlp.forward:y"][-1] == "4*width"


def test_nothing_is_no_object_of_a_package_that_is_not_followed(trace):
    found = shapes(
        """
        from nowhere import Cache, PairOfCaches
        class Attend(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.q = nn.Linear(width, 7)
            def forward(self, x, cache=None):
                if isinstance(cache, PairOfCaches):
                    seen = cache.is_updated.get(0)
                if isinstance(cache, (Cache, tuple)):
                    x = cache[0]
                y = self.q(x)
                return y
        """
    )
    assert found["Attend.forward:y"][-1] == 7


def test_a_temperature_is_a_number_whatever_is_divided_by_it(trace):
    text = """
        import torch

        def soft_targets(logits, temperature):
            probs = (logits / temperature).softmax(dim=-1)
            return probs
        """
    assert trace(text).shape("probs")[-1] == "D"


def test_terms_of_what_is_asked_as_a_tensor_are_tensors(trace):
    text = """
        def hinge(near, far, margin):
            apart = (near - far).pow(2).sum(-1)
            return (margin - apart).clamp(min=0).mean()

        def contrast(anchors, others, temperature):
            scores = anchors @ others.T / temperature
            return scores
        """
    traced = trace(text)
    assert traced.shape("near") == traced.shape("far") == ("*batch", "D")
    assert traced.shape("scores") == ("*batch", "B2")
