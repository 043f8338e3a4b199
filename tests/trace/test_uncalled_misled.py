"""What would mislead about inputs that are made up: messages, docstrings that lie, inputs that are numbers, names by place."""

from __future__ import annotations

from shown import shapes, values


def test_numbers_of_a_message_are_not_taken_for_sizes_that_are_equal(trace):
    found = shapes(
        """
        class Cell(nn.Module):
            def __init__(self, input_size, hidden_size):
                super().__init__()
                self.hidden_size = hidden_size
                self.fc = nn.Linear(input_size, hidden_size)
            def forward(self, x, h):
                assert x.dim() == 2
                assert h.size() == (x.size(0), self.hidden_size), f"h has the shape {h.size()}"
                return torch.sigmoid(self.fc(x)) * h
        """
    )
    assert found["Cell.forward:h"][-1] == "hidden_size" and found["Cell.forward:h"][0] != "hidden_size"


def test_a_docstring_that_the_code_contradicts_is_not_heeded(trace):
    found = shapes(
        '''
        def scale(x, mask):
            """Args:
                x (torch.Tensor): shape [batch, time, channels].
                mask (torch.Tensor): shape [batch, time], where x is valid.
            """
            hidden = x.masked_fill(mask < 1, float("nan"))
            return hidden.nanmean(dim=-1, keepdim=True)
        '''
    )
    x = found.get("scale:x") or ()
    assert len(set(x)) == len(x)


def test_a_docstring_that_was_copied_from_another_class_is_not_heeded(trace):
    found = shapes(
        '''
        class Bilinear(nn.Module):
            def __init__(self, num_fields, embed_dim):
                super().__init__()
                self.kernel = nn.Parameter(torch.zeros(num_fields, embed_dim))
            def forward(self, x):
                """
                :param x: Float tensor of size ``(batch_size, num_fields, embed_dim)``
                """
                return x * self.kernel

        class Cross(nn.Module):
            def __init__(self, input_dim):
                super().__init__()
                self.w = nn.Linear(input_dim, 1)
            def forward(self, x):
                """
                :param x: Float tensor of size ``(batch_size, num_fields, embed_dim)``
                """
                return x * self.w(x)
        '''
    )
    assert found["Bilinear.forward:x"] == ("batch_size", "num_fields", "embed_dim")
    assert found["Cross.forward:x"] == ("*batch", "input_dim")


def test_parameters_are_not_equal_for_what_may_be_a_number(trace):
    found = shapes(
        """
        def rays(H, W, focal):
            i, j = torch.meshgrid(torch.linspace(0, W - 1, W), torch.linspace(0, H - 1, H), indexing="xy")
            return torch.stack([(i - W * 0.5) / focal, -(j - H * 0.5) / focal, -torch.ones_like(i)], -1)
        """
    )
    assert found["rays:<return>"] == ("H", "W", 3)


def test_what_is_flattened_first_may_be_a_column(trace):
    found = shapes(
        """
        def pick(values, action):
            assert values.ndim == 2
            chosen = F.one_hot(action.view(-1), num_classes=values.shape[1])
            return (values * chosen.float()).sum(dim=1)
        """
    )
    assert found["pick:values"][0] == found["pick:<return>"][0] and found.get("pick:action") is None


def test_a_layers_input_has_a_batch_and_so_has_what_is_held_against_one(trace):
    found = shapes(
        """
        class Block(nn.Module):
            def __init__(self, in_ch, out_ch, time_dim):
                super().__init__()
                self.time_mlp = nn.Linear(time_dim, out_ch)
                self.conv = nn.Conv2d(in_ch, out_ch, 3, padding=1)
            def forward(self, x, t):
                return self.conv(x) + self.time_mlp(t)[(...,) + (None,) * 2]

        def quantile_loss(preds, target):
            return (target - preds[:, :, 0]).abs().mean(dim=1)
        """
    )
    assert found["Block.forward:t"] == ("*batch", "time_dim")
    assert found["quantile_loss:target"] == ("*batch", "T")


def test_a_number_that_a_helper_makes_a_list_of_is_one(trace):
    found = shapes(
        """
        class Stack(nn.Module):
            def __init__(self, input_dim, hidden_dim, num_layers):
                super().__init__()
                hidden_dim = self._extend(hidden_dim, num_layers)
                sizes = [input_dim] + hidden_dim[:-1]
                self.layers = nn.ModuleList([nn.Linear(sizes[i], hidden_dim[i]) for i in range(num_layers)])
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x
            @staticmethod
            def _extend(param, num_layers):
                if not isinstance(param, list):
                    param = [param] * num_layers
                return param
        """
    )
    assert found["Stack.forward:<return>"] == ("*batch", "hidden_dim")


def test_another_number_that_a_parameter_may_be_halves_pictures(trace):
    found = shapes(
        """
        class Up(nn.Module):
            def __init__(self, channels, width, scale=4):
                super().__init__()
                if scale not in (1, 2, 4):
                    raise ValueError(f"scale is {scale}")
                self.scale = scale
                self.conv = nn.Conv2d(channels * 16 if scale == 1 else channels, width, 3, 1, 1)
            def forward(self, x):
                if self.scale == 1:
                    x = F.pixel_unshuffle(x, 4)
                x = self.conv(x)
                return F.interpolate(x, scale_factor=2)
        """
    )
    assert found["Up.forward:<return>"] == ("B", "width", None, None)


def test_a_dim_that_is_cut_into_vectors_and_put_back_is_as_long_as_one(trace):
    found = shapes(
        """
        class Quantizer(nn.Module):
            def __init__(self, spatial_dims, embedding_dim, count):
                super().__init__()
                assert spatial_dims in [2, 3]
                self.dim = embedding_dim
                self.codes = nn.Embedding(count, embedding_dim)
                self.order = [0] + list(range(2, spatial_dims + 2)) + [1]
            def forward(self, inputs):
                kept = list(inputs.shape)
                del kept[1]
                flat = inputs.permute(self.order).contiguous().view(-1, self.dim)
                index = torch.cdist(flat, self.codes.weight).argmin(1)
                return flat, index.view(kept)
        """
    )
    assert found["Quantizer.forward:flat"][1] == "embedding_dim"
    assert found.get("Quantizer.forward:inputs") is None  # as many dims as it is told


def test_a_word_for_the_first_dim_is_not_said_where_it_stands_elsewhere(trace):
    found = shapes(
        """
        class Head(nn.Module):
            def __init__(self, width, window):
                super().__init__()
                self.linear = nn.Linear(width, window)
            def forward(self, x):
                x = self.linear(x.flatten(-2))
                batch_size = x.shape[0]
                return x.reshape(batch_size, -1)
        """
    )
    assert "batch_size" not in (found["Head.forward:x"] or ())


def test_what_is_made_rows_need_not_be_flat(trace):
    found = shapes(
        """
        class Encoder(nn.Module):
            def __init__(self, width, classes):
                super().__init__()
                self.width = width
                self.fc = nn.Linear(width + classes, 40)
            def forward(self, x, c):
                h = self.fc(torch.cat([x.view(-1, self.width), c], 1))
                return h

        def loss(output, x, mu):
            entropy = F.binary_cross_entropy(output, x.view(-1, output.size(1)))
            return entropy + mu.mean()
        """
    )
    assert not found.get("Encoder.forward:x") and found["Encoder.forward:c"] == ("B", "classes")
    assert found["Encoder.forward:h"] == ("B", 40)
    assert len(set(found["loss:output"])) == 2


def test_a_number_that_is_as_large_as_a_made_up_list_is_long_says_nothing_of_it(trace):
    found = shapes(
        """
        class Frames(nn.Module):
            def __init__(self, dim, kernel_size=3):
                super().__init__()
                self.conv = nn.Conv2d(dim, dim, kernel_size, padding=1)
            def forward(self, x: torch.Tensor, h):
                outputs = []
                for step in range(len(x)):
                    h = self.conv(x[step]) + h
                    outputs.append(h)
                outputs = torch.stack(outputs, dim=0)
                return outputs
        """
    )
    assert 3 not in (found.get("Frames.forward:outputs") or ())[:1]


def test_what_a_lambda_of_the_file_is_given_is_read(trace):
    found = shapes(
        """
        magnitude = lambda x: x.abs().log()
        class Scale(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.fc = nn.Linear(dim, dim)
            def forward(self, x):
                return magnitude(self.fc(x))
        """
    )
    assert found["Scale.forward:<return>"][-1] == "dim"


def test_a_model_whose_sizes_data_decides_is_told_by_its_class(trace):
    """Its weights hold numbers that stand for what nobody knows."""
    found = shapes(
        """
        import somewhere
        class Graph(nn.Module):
            def __init__(self, n_features, n_hidden):
                super().__init__()
                self.heads = [nn.Linear(n_features, n_hidden) for _ in range(2)]
                self.out = nn.Linear(2 * n_hidden, 4)
            def forward(self, x):
                return self.out(torch.cat([head(x) for head in self.heads], dim=-1))
        table = torch.rand(9, 3)
        model = Graph(table[table.sum(-1) > 1].shape[0], 8)
        y = model(somewhere.load())
        """
    )
    assert found["Graph.forward:x"][-1] == "n_features"


def test_groups_of_a_batch_that_has_as_many_at_most_may_be_fewer(trace):
    found = shapes(
        """
        class Spread(nn.Module):
            def __init__(self, group=4):
                super().__init__()
                self.group = group
            def forward(self, x):
                b, c, h, w = x.shape
                most = min(b, self.group)
                parts = x.view(most, -1, 1, c, h, w)
                return parts
        """
    )
    assert found["Spread.forward:x"] == ("b", "c", "h", "w")
    assert found["Spread.forward:parts"][0] in (None, "most")


def test_what_a_view_puts_ones_between_is_not_all_alike(trace):
    found = shapes(
        """
        class Abstract(nn.Module):
            def __init__(self, channels):
                super().__init__()
                self.conv = nn.Conv2d(channels, 16, 1)
            def forward(self, xyz, points):
                (b, n, c), (_, _, d) = xyz.shape, points.shape
                both = torch.cat([xyz.view(b, 1, n, c), points.view(b, 1, n, -1)], dim=-1)
                return self.conv(both.permute(0, 3, 2, 1))
        """
    )
    assert found["Abstract.forward:both"][:3] == ("b", 1, "n")
    assert found["Abstract.forward:points"] == ("b", "n", "d")


def test_what_is_cut_is_no_width_where_it_has_a_dim_more(trace):
    found = shapes(
        """
        class Cut(nn.Module):
            def __init__(self, dim, block_size=16):
                super().__init__()
                self.fc = nn.Linear(dim, dim)
                self.block_size = block_size
            def forward(self, x):
                last = x[:, -self.block_size :]
                return self.fc(last)
        """
    )
    assert found["Cut.forward:x"] == ("*batch", "T", "dim")


def test_of_what_is_shorter_than_a_chunk_all_is_taken(trace):
    found = values(
        """
        def chunks(q, chunk_size=128):
            b, heads, steps, width = q.shape
            for start in range(0, steps, chunk_size):
                part = q[:, :, start : start + chunk_size]
            return part
        """
    )
    assert getattr(found["chunks:part"], "contiguous", None) is None


def test_a_view_hides_a_dim_of_one_in_the_middle(trace):
    found = shapes(
        """
        class Heads(nn.Module):
            def __init__(self, heads, width, each):
                super().__init__()
                self.heads, self.each = heads, each
                self.of_words = nn.Linear(width, heads * each)
                self.of_places = nn.Linear(width, heads * each)
            def forward(self, words, r):
                steps, batch, places = words.size(0), words.size(1), r.size(0)
                keys = self.of_places(r)
                queries = self.of_words(words).view(steps, batch, self.heads, self.each)
                keyed = keys.view(places, self.heads, self.each)
                return torch.einsum("ibnd,jnd->ijbn", queries, keyed)
        """
    )
    assert found["Heads.forward:keys"] is None
    assert found["Heads.forward:keyed"] == ("places", "heads", "each")


def test_sizes_that_only_fit_by_force_are_not_told(trace):
    found = shapes(
        """
        class Padded(nn.Module):
            def __init__(self, dim, kernel_size, stride):
                super().__init__()
                self.pad = nn.ReflectionPad2d(kernel_size // 2)
                self.conv = nn.Conv2d(dim, dim, kernel_size, stride)
            def forward(self, x):
                x = self.pad(x)
                return self.conv(x)
        class Causal(nn.Module):
            def __init__(self, dim, longest):
                super().__init__()
                self.net = nn.Linear(dim, dim)
                self.register_buffer("mask", torch.ones(1, longest, longest))
            def forward(self, x):
                t = x.shape[1]
                q = self.net(x)
                scores = q @ q.transpose(1, 2)
                return scores.masked_fill(self.mask[..., :t, :t] == 0, 0.0) @ q
        class Given(nn.Module):
            def __init__(self, n_hidden="20"):
                super().__init__()
                self.net = nn.Linear(8, int(n_hidden))
            def forward(self, x):
                out = self.net(x)
                return out
        def dice(inputs, targets):
            inputs = inputs.flatten(1)
            both = (inputs * targets).sum(1)
            return both / (inputs.sum(-1) + targets.sum(-1))
        def mask_of(length, longest=None):
            longest = length.max() if longest is None else longest
            steps = torch.arange(longest, dtype=length.dtype)
            return steps.unsqueeze(0) < length.unsqueeze(1)
        """
    )
    half = "2*(kernel_size//2)"  # of an odd window that is less
    padded = tuple(f"({one} + {half} - kernel_size)//stride + 1" for one in "HW")
    assert found["Padded.forward:<return>"] == ("B", "dim", *padded)
    assert found["Causal.forward:<return>"] == ("B", "t", "dim")
    assert found["Given.forward:out"] is None or 20 not in found["Given.forward:out"]
    assert found["dice:both"] == ("B",) and found["dice:inputs"] is None  # of several ranks, none a square
    assert found["mask_of:length"] == ("N",)


def test_targets_of_a_loss_have_the_rank_of_what_is_predicted(trace):
    found = shapes(
        """
        class Loss(nn.Module):
            def __init__(self, reduction="mean"):
                super().__init__()
                self.reduction = reduction
            def forward(self, pred, target):
                first, second = pred
                loss = nn.MSELoss()(first, target) + nn.MSELoss()(second, target)
                each = ((first - target) ** 2).sum(-1)
                return loss if self.reduction == "none" else each.mean() if self.reduction == "mean" else each.sum()
        class Steps(nn.Module):
            def __init__(self, dim, longest):
                super().__init__()
                self.at, self.of = nn.Embedding(longest, dim), nn.Linear(3, dim)
            def forward(self, timesteps, states):
                b, t, _ = states.shape
                whole = self.at(timesteps)
                return (self.of(states) + whole).reshape(b, t, -1)
        """
    )
    assert found["Steps.forward:whole"] == ("*batch", "t", "dim")  # not of one step a time alone
    assert found["Loss.forward:each"] == ("*batch",)
    assert found["Loss.forward:target"] == ("*batch", "D")
