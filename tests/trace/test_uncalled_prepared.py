"""What has to be there before a call works: another method has run, several options are given, a depth is small."""

from __future__ import annotations

from shown import shapes


def test_a_method_that_fits_runs_before_what_asks_for_it(trace):
    found = shapes(
        """
        class Reducer(nn.Module):
            def __init__(self, rank):
                super().__init__()
                self.rank = rank
                self.register_buffer("basis", None)
            def fit(self, data):
                self._fit(data)
            def _fit(self, data):
                self.basis = data.new_zeros(self.rank, data.shape[1])
            def forward(self, x):
                if self.basis is None:
                    raise RuntimeError("fit it before")
                return x @ self.basis.t()
        """
    )
    assert found["Reducer.fit:data"] is not None
    assert found["Reducer.forward:<return>"][-1] == "rank"


def test_several_options_are_given_where_one_is_not_enough(trace):
    found = shapes(
        """
        class Prompt(nn.Module):
            def __init__(self, width=32, pool=False, size=None):
                super().__init__()
                self.width = width
                if pool:
                    self.prompt = nn.Parameter(torch.randn(size, width))
            def forward(self, x):
                chosen = self.prompt[x.argmax(-1) % len(self.prompt)]
                return chosen
        """
    )
    assert found["Prompt.forward:chosen"][-1] == "width"


def test_a_layer_that_is_called_by_its_own_call_is_tried(trace):
    found = shapes(
        """
        class FeedForward(nn.Module):
            def __init__(self, width, inner):
                super().__init__()
                self.up = nn.Linear(width, inner)
                self.down = nn.Linear(inner, width)
            def __call__(self, x):
                h = self.up(x).relu()
                return self.down(h)
        """
    )
    assert found["FeedForward.__call__:h"][-1] == "inner"
    assert found["FeedForward.__call__:<return>"][-1] == "width"


def test_how_deep_a_function_calls_itself_is_no_width(trace):
    found = shapes(
        """
        class Hourglass(nn.Module):
            def __init__(self, depth, width):
                super().__init__()
                self.depth = depth
                self._make(depth, width)
            def _make(self, level, width):
                self.add_module("down" + str(level), nn.Conv2d(width, width, 3, padding=1))
                if level > 1:
                    self._make(level - 1, width)
            def _forward(self, level, x):
                low = self._modules["down" + str(level)](F.max_pool2d(x, 2))
                if level > 1:
                    low = self._forward(level - 1, low)
                return x + F.interpolate(low, scale_factor=2)
            def forward(self, x):
                return self._forward(self.depth, x)
        """
    )
    assert found["Hourglass.forward:x"][1] == "width"
    assert found["Hourglass.forward:<return>"][1] == "width"


def test_parts_of_a_width_add_up_to_it(trace):
    found = shapes(
        """
        class Block(nn.Module):
            def __init__(self, channels, out):
                super().__init__()
                self.a = nn.Conv2d(channels, int(out / 2), 1)
                self.b = nn.Conv2d(int(out / 2), int(out / 4), 1)
                self.c = nn.Conv2d(int(out / 4), int(out / 4), 1)
                self.skip = nn.Conv2d(channels, out, 1)
            def forward(self, x):
                a = self.a(x)
                b = self.b(a)
                y = torch.cat((a, b, self.c(b)), 1)
                y += self.skip(x)
                return y
        """
    )
    assert found["Block.forward:a"][1] == "out//2" and found["Block.forward:y"][1] == "out"


def test_a_list_has_as_many_numbers_as_the_text_asserts(trace):
    found = shapes(
        """
        class Temporal(nn.Module):
            def __init__(self, width, kernel_size):
                super().__init__()
                assert len(kernel_size) == 2
                self.conv = nn.Conv2d(width, width * kernel_size[1], (kernel_size[0], 1))
                self.mix = nn.Linear(width, width)
            def forward(self, x):
                return self.conv(x)
        """
    )
    assert found["Temporal.forward:x"][1] == "width"


def test_a_dict_of_what_another_class_is_made_of_has_all_of_it(trace):
    found = shapes(
        """
        class Graph:
            def __init__(self, nodes=18, hops=1):
                self.A = torch.ones(3, nodes, nodes)

        class Model(nn.Module):
            def __init__(self, channels, graph_args):
                super().__init__()
                self.graph = Graph(**graph_args)
                self.conv = nn.Conv1d(channels, channels, 1)
            def forward(self, x):
                y = torch.einsum("ncv,kvw->ncw", self.conv(x), self.graph.A)
                return y
        """
    )
    assert found["Model.forward:y"][1] == "channels"
    assert 18 not in found["Model.forward:y"]
