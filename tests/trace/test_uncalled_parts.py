"""Inputs that are several tensors, or none: lists of maps, dicts by their keys, words; and what need not be as large as another."""

from __future__ import annotations

from shown import shapes


def test_maps_that_are_read_from_their_end_are_a_list(trace):
    found = shapes(
        """
        class Pyramid(nn.Module):
            def __init__(self, channels, out):
                super().__init__()
                self.inner = nn.ModuleList([nn.Conv2d(c, out, 1) for c in channels])
            def forward(self, x):
                last = self.inner[-1](x[-1])
                found = [last]
                for one, inner in zip(x[:-1][::-1], self.inner[:-1][::-1]):
                    last = inner(one) + F.interpolate(last, scale_factor=2, mode="nearest")
                    found.insert(0, last)
                return tuple(found)
        """
    )
    assert found["Pyramid.forward:last"] == ("B", "out", None, None)


def test_maps_that_have_layers_of_their_own_are_a_list(trace):
    found = shapes(
        """
        class Head(nn.Module):
            def __init__(self, channels, classes):
                super().__init__()
                self.logits = nn.Conv2d(channels, classes, 3, padding=1)
                self.scales = nn.ModuleList([nn.Identity() for _ in range(5)])
            def forward(self, x):
                found = []
                for level, feature in enumerate(x):
                    logits = self.scales[level](self.logits(feature))
                    found.append(logits)
                return found
        """
    )
    assert found["Head.forward:logits"][1] == "classes"


def test_a_dict_is_asked_for_a_key_and_each_of_its_tensors_has_dims_of_its_own(trace):
    found = shapes(
        """
        class Model(nn.Module):
            def __init__(self, dim, numbers, classes):
                super().__init__()
                self.numeric = nn.Linear(numbers, dim)
                self.image = nn.Conv2d(3, dim, 3)
                self.fc = nn.Linear(2 * dim, classes)
            def forward(self, batch):
                image = self.image(batch["image"]).mean((2, 3))
                fused = torch.cat([image, self.numeric(batch["numeric"])], dim=-1)
                logits = self.fc(fused)
                out = {"logits": logits}
                if "label" in batch:
                    out["loss"] = F.cross_entropy(logits, batch["label"])
                return out
        """
    )
    assert found["Model.forward:logits"] == ("B", "classes")


def test_what_hangs_on_a_key_that_need_not_be_there_is_not_known(trace):
    found = shapes(
        """
        class Model(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.fc = nn.Linear(dim, dim)
            def forward(self, batch):
                x = self.fc(batch["image"])
                if "times" in batch:
                    x = x.mean(1)
                return x
        """
    )
    assert found["Model.forward:<return>"] is None


def test_an_input_that_is_compared_with_words_is_one(trace):
    found = shapes(
        """
        class RevIN(nn.Module):
            def __init__(self, features):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(features))
            def forward(self, x, mode):
                if mode == "norm":
                    self.mean = x.mean(1, keepdim=True)
                    x = (x - self.mean) * self.weight
                elif mode == "denorm":
                    x = x / self.weight + self.mean
                else:
                    raise NotImplementedError
                return x
        """
    )
    assert found["RevIN.forward:<return>"][-1] == "features"


def test_a_term_that_is_brought_to_a_device_is_a_tensor(trace):
    found = shapes(
        """
        def mse(guess, actual):
            diff = guess - actual.to(guess.device)
            return torch.mean(diff ** 2)
        """
    )
    assert found["mse:<return>"] == ()


def test_a_norm_is_called_so_in_one_word(trace):
    found = shapes(
        """
        class Block(nn.Module):
            def __init__(self, inplanes, planes, BatchNorm):
                super().__init__()
                self.conv = nn.Conv2d(inplanes, planes, 1)
                self.bn = BatchNorm(planes)
            def forward(self, x):
                return self.bn(self.conv(x))
        """
    )
    assert found["Block.forward:<return>"] == ("B", "planes", "H", "W")


def test_the_target_of_a_layer_has_the_shape_of_its_input(trace):
    found = shapes(
        """
        class Loss(nn.Module):
            def __init__(self):
                super().__init__()
                self.loss = nn.BCELoss()
            def forward(self, pred, true):
                both = pred.float() * true.float()
                return self.loss(pred.float(), true.float())
        """
    )
    assert found["Loss.forward:both"] == ("*batch", "D")


def test_places_to_sample_at_are_as_many_as_there_are_pictures(trace):
    found = shapes(
        """
        def sample(input, coords):
            output = F.grid_sample(input, 2.0 * coords.unsqueeze(2) - 1.0, align_corners=False)
            return output.squeeze(3)
        """
    )
    assert found["sample:<return>"] == ("B", "C", "T")


def test_an_input_that_was_as_large_as_others_by_chance_need_not_be(trace):
    found = shapes(
        """
        def info_nce(query, positive, negatives):
            query, positive, negatives = (F.normalize(t, dim=-1) for t in (query, positive, negatives))
            pos = torch.sum(query * positive, dim=1, keepdim=True)
            neg = query @ negatives.transpose(-2, -1)
            logits = torch.cat([pos, neg], dim=1)
            labels = torch.zeros(len(logits), dtype=torch.long)
            return F.cross_entropy(logits, labels)
        """
    )
    assert found["info_nce:neg"] == ("B", "B2")


def test_lengths_that_only_data_decides_are_not_one_another(trace):
    found = shapes(
        """
        class Pairs(nn.Module):
            def forward(self, prediction, label):
                none = torch.masked_select(prediction, label == 0)
                some = torch.masked_select(prediction, label == 1)
                n = some.size()[0]
                pairs = none.unsqueeze(0).repeat(n, 1)
                return pairs
        """
    )
    assert found["Pairs.forward:some"] == ("n",)
    assert found["Pairs.forward:pairs"] == ("n", None)


def test_numbers_of_which_a_range_is_computed_are_integers(trace):
    found = shapes(
        """
        def locations(h, w, stride, device):
            x = torch.arange(0, w * stride, step=stride, dtype=torch.float32, device=device)
            y = torch.arange(0, h * stride, step=stride, dtype=torch.float32, device=device)
            y, x = torch.meshgrid(y, x, indexing="ij")
            places = torch.stack((x.reshape(-1), y.reshape(-1)), dim=1) + stride // 2
            return places
        """
    )
    assert found["locations:x"] == ("h", "w")


def test_a_configuration_that_is_handed_on_is_a_dict_where_it_is_asked_for_keys(trace):
    found = shapes(
        """
        class Layer(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.fc = nn.Linear(config["hidden"], config["inner"])
                self.out = nn.Linear(config["inner"], config["hidden"])
            def forward(self, x):
                return self.out(self.fc(x))

        class Encoder(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.config = config
                self.layers = nn.ModuleList([Layer(config) for _ in range(config["depth"])])
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x
        """
    )
    assert found["Encoder.forward:x"] is not None and found["Encoder.forward:x"][-1] == "hidden"
