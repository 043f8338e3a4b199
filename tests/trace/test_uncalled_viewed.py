"""What a view, a flattening and a loop say of inputs that nobody gives: their ranks, their batch, how many rounds there are."""

from __future__ import annotations

from shown import shapes


def test_a_view_that_splits_the_last_dim_says_how_many_there_are(trace):
    found = shapes(
        """
        class Attention(nn.Module):
            def __init__(self, h, d_model):
                super().__init__()
                assert d_model % h == 0
                self.h, self.d_k = h, d_model // h
                self.q = nn.Linear(d_model, d_model)
                self.k = nn.Linear(d_model, d_model)
            def forward(self, query, key, mask=None):
                n = query.size(0)
                query = self.q(query).view(n, -1, self.h, self.d_k).transpose(1, 2)
                key = self.k(key).view(n, -1, self.h, self.d_k).transpose(1, 2)
                scores = query @ key.transpose(-2, -1)
                if mask is not None:
                    scores = scores.masked_fill(mask.unsqueeze(1) == 0, -1e9)
                return scores.softmax(-1)
        """
    )
    assert found["Attention.forward:query"] == ("n", "h", "T", "d_k")
    assert found["Attention.forward:key"] == ("n", "h", "T2", "d_k")
    assert found["Attention.forward:<return>"] == ("n", "h", "T", "T2")


def test_what_is_flattened_behind_the_batch_has_several_dims(trace):
    found = shapes(
        """
        def dice(input, target):
            flat = input.reshape(input.size(0), -1)
            other = target.reshape(target.size(0), -1)
            both = (flat * other).sum(1)
            return both
        """
    )
    assert found["dice:both"] == ("B",)


def test_the_batch_keeps_its_name_where_the_other_dims_may_be_any(trace):
    found = shapes(
        """
        class Head(nn.Module):
            def __init__(self, features, classes):
                super().__init__()
                self.flatten = nn.Flatten()
                self.fc = nn.Linear(features, classes)
            def forward(self, x):
                x = self.flatten(x)
                return self.fc(x)
        """
    )
    assert found["Head.forward:<return>"] == ("B", "classes")


def test_rounds_are_as_many_as_a_parameter_and_one_more(trace):
    found = shapes(
        """
        class Stack(nn.Module):
            def __init__(self, dim, depth):
                super().__init__()
                self.layers = nn.ModuleList([
                    nn.Conv1d(dim, dim, 3, padding=2**i, dilation=2**i) for i in range(1, depth + 1)
                ])
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x
        """
    )
    assert found["Stack.forward:<return>"] == ("B", "dim", "D")


def test_a_tuple_in_a_tuple_halves_of_parts_and_maps_beside_their_weights(trace):
    found = shapes(
        """
        class Positions(nn.Module):
            def __init__(self, dim, heads):
                super().__init__()
                self.angle = torch.linspace(0, 1, dim // heads // 2)

        class Rotated(nn.Module):
            def __init__(self, dim, heads):
                super().__init__()
                self.heads, self.head_dim, self.q = heads, dim // heads, nn.Linear(dim, dim)
            def forward(self, x, positions):
                b, t, _ = x.size()
                (sin, cos), mask = positions
                q = self.q(x).view(b, t, self.heads, self.head_dim).transpose(1, 2)
                q = q * cos + q.flip(-1) * sin
                weights = q @ q.transpose(-1, -2) * mask
                return weights

        class Joints(nn.Module):
            def forward(self, output, target, weight):
                b, joints = output.size(0), output.size(1)
                given = output.reshape((b, joints, -1)).split(1, 1)
                wanted = target.reshape((b, joints, -1)).split(1, 1)
                loss = 0
                for at in range(joints):
                    one = given[at].squeeze(1)
                    loss += F.mse_loss(one.mul(weight[:, at]), wanted[at].squeeze(1).mul(weight[:, at]))
                return loss
        """
    )
    assert found["Positions.__init__:self.angle"] != (0,)
    assert found["Rotated.forward:x"] == ("b", "t", "dim")
    assert found["Rotated.forward:sin"] == ("*batch", "t", "head_dim")
    assert found["Rotated.forward:weights"][-3:] == ("heads", "t", "t")
    assert found.get("Joints.forward:output") != ("b", "joints", "D")


def test_dims_that_a_view_makes_one_are_what_they_were(trace):
    found = shapes(
        """
        class Attention(nn.Module):
            def __init__(self, dim, heads=8):
                super().__init__()
                self.heads = heads
                self.qkv = nn.Linear(dim, dim * 3)
            def forward(self, x):
                B, H, W, _ = x.shape
                qkv = self.qkv(x).reshape(B, H * W, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
                q, k, v = qkv.reshape(3, B * self.heads, H * W, -1).unbind(0)
                x = (q @ k.transpose(-2, -1)).softmax(dim=-1) @ v
                return x.view(B, self.heads, H, W, -1).permute(0, 2, 3, 1, 4).reshape(B, H, W, -1)
        """
    )
    assert found["Attention.forward:<return>"] == ("B", "H", "W", "dim")
    assert found["Attention.forward:q"][:2] == ("B*heads", "H*W")
