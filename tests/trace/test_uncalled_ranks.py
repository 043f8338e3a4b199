"""Functions that nobody calls and that take inputs of several ranks: what holds for all, and for each that was tried."""

from __future__ import annotations

import textwrap
from typing import Any

import torch
from shown import shapes

from shapewise.queries.facts import facts_of
from shapewise.trace import session
from shapewise.vocabulary.facts import Fact, TensorFact


def facts(text: str) -> dict[str, Fact]:
    """`scope:name` -> the fact of each binding, parameter and return; the last of a name counts."""
    log = session.trace("file.py", textwrap.dedent(text), {})
    return {f"{fact.scope}:{fact.name}": fact for fact in facts_of(log) if fact.kind != "expression"}


def shape(fact: Fact) -> Any:
    assert isinstance(fact.value, TensorFact)
    return fact.value.shape


def variants(fact: Fact) -> list[Any]:
    return [one.shape for one in fact.variants if isinstance(one, TensorFact)]


VAE = """
    import torch
    import torch.nn as nn

    class VAE(nn.Module):
        def __init__(self, input_dim, latent_dim):
            super().__init__()
            self.input_dim = input_dim
            self.mu = nn.Linear(input_dim, latent_dim)
            self.out = nn.Linear(latent_dim, input_dim)

        def encode(self, x):
            h = self.mu(x)
            return h

        def forward(self, x):
            z = self.encode(x.view(-1, self.input_dim))
            return self.out(z)
"""


def test_each_rank_that_was_tried_is_a_variant_and_the_shape_covers_all(trace):
    found = facts(
        """
        import torch.nn as nn
        class MLP(nn.Module):
            def __init__(self, d_in, d_out):
                super().__init__()
                self.fc = nn.Linear(d_in, d_out)
            def forward(self, x):
                y = self.fc(x)
                return y
        """
    )
    assert shape(found["MLP.forward:y"]) == ("*batch", "d_out")
    assert {("B", "d_out"), ("B", "T", "d_out")} <= set(variants(found["MLP.forward:y"]))


def test_what_is_flattened_before_it_is_given_on_has_one_rank(trace):
    found = facts(VAE)
    assert shape(found["VAE.encode:x"]) == ("B", "input_dim")
    assert shape(found["VAE.encode:h"]) == ("B", "latent_dim")
    assert shape(found["VAE.forward:z"]) == (None, "latent_dim")
    assert ("B*D//input_dim", "latent_dim") in variants(found["VAE.forward:z"])


def test_a_mask_has_no_dim_more_than_what_it_masks(trace):
    found = facts(
        """
        import torch
        def masked_mean(x, mask, dim=1):
            mask = mask.unsqueeze(-1).float()
            total = (x * mask).sum(dim=dim)
            return total / mask.sum(dim=dim).clamp(min=1e-6)
        """
    )
    given = [fact for place, fact in found.items() if place == "masked_mean:x"]
    assert given and ("B", "T", "D") in variants(given[0])
    assert ("B", "D") in variants(found["masked_mean:total"])
    assert ("B", "T", "1") not in variants(found["masked_mean:mask"])
    assert ("B", "T", 1) in variants(found["masked_mean:mask"])


def test_how_a_result_lies_in_memory_is_left_open_where_the_input_decides(trace):
    found = facts(
        """
        import torch
        def gated(x, gate):
            y = x * torch.sigmoid(gate)
            z = torch.cat([y, y], dim=1)
            return z
        """
    )
    real = torch.randn(2, 3, 4).transpose(1, 2) * torch.sigmoid(torch.randn(2, 3, 4).transpose(1, 2))
    assert not real.is_contiguous()
    assert isinstance(found["gated:y"].value, TensorFact) and found["gated:y"].value.contiguous is None


def test_an_option_leaves_an_input_the_rank_that_the_function_has_without_it(trace):
    found = facts(
        """
        import torch
        import torch.nn as nn
        class Actor(nn.Module):
            def __init__(self, obs_dim, act_dim):
                super().__init__()
                self.mu = nn.Linear(obs_dim, act_dim)
            def forward(self, obs, with_logprob=True):
                mu = self.mu(obs)
                if with_logprob:
                    rows, width = mu.shape
                return mu
        """
    )
    assert shape(found["Actor.forward:obs"])[1:] == ("obs_dim",)
    assert len(shape(found["Actor.forward:<return>"])) == 2


def test_indices_of_edges_are_integers_in_two_rows(trace):
    found = facts(
        """
        import torch
        import torch.nn as nn
        class Conv(nn.Module):
            def __init__(self, in_dim, out_dim):
                super().__init__()
                self.lin = nn.Linear(in_dim, out_dim)
            def forward(self, x, edge_index):
                src, dst = edge_index
                return self.lin(x)[src]
        """
    )
    edges = found["Conv.forward:edge_index"].value
    assert isinstance(edges, TensorFact)
    assert (edges.dtype, len(edges.shape or ()), (edges.shape or ())[0]) == ("int64", 2, 2)


def test_rows_that_a_loop_writes_and_reads_are_as_many(trace):
    text = """
        import torch
        def returns(rewards, dones, last, gamma=0.99):
            out = torch.zeros_like(rewards)
            total = torch.zeros_like(last)
            for t in reversed(range(rewards.shape[0])):
                total = rewards[t] + gamma * (1 - dones[t]) * total
                out[t] = total
            return out
    """
    found = facts(text)
    names: dict[str, Any] = {}
    exec(textwrap.dedent(text), names)
    real = names["returns"](torch.randn(5, 3), torch.zeros(5, 3), torch.zeros(3))
    assert real.shape == (5, 3)
    said = [shape(found["returns:rewards"]), *variants(found["returns:rewards"])]
    rows, width = next(one for one in said if one is not None and len(one) == 2)
    assert (rows, width) in [
        one for one in (shape(found["returns:out"]), *variants(found["returns:out"])) if one
    ]
    assert (width,) in [
        one for one in (shape(found["returns:last"]), *variants(found["returns:last"])) if one
    ]


def test_a_list_of_tensors_is_one(trace):
    found = facts(
        """
        import torch
        def joined(maps: list[torch.Tensor]):
            out = maps[0] + maps[1]
            return out
        """
    )
    assert found["joined:maps"].value.type == "list"  # type: ignore[union-attr]


def test_the_length_of_a_list_that_nobody_has_said_is_no_number(trace):
    found = facts(
        """
        import torch
        import torch.nn as nn
        class Head(nn.Module):
            def __init__(self, anchors, num_classes):
                super().__init__()
                self.anchors = anchors
                self.num_anchors = len(anchors)
                self.num_classes = num_classes
            def forward(self, x):
                n, _, g, _ = x.shape
                boxes = x.view(n, self.num_anchors, self.num_classes + 5, g, g)
                return boxes
        """
    )
    assert shape(found["Head.forward:boxes"]) == ("n", "num_anchors", "num_classes + 5", "g", "g")


def test_a_refusal_holds_no_tensors():
    """Replays on real tensors hold as much memory as the made-up sizes say, and there are many tries."""
    import weakref

    from shapewise.trace.uncalled.running import _forget_frames

    def refused() -> None:
        held = torch.empty(3)
        seen.append(weakref.ref(held))
        try:
            raise KeyError("inside")
        except KeyError:
            raise ValueError("outside") from None

    seen: list[Any] = []
    kept = None
    try:
        refused()
    except ValueError as error:
        kept = error
    assert kept is not None and seen[0]() is not None
    _forget_frames(kept)
    assert seen[0]() is None


def test_what_only_some_options_led_to_is_open_where_the_budget_ended(trace, monkeypatch):
    from shapewise.trace.control import BudgetExhausted
    from shapewise.trace.uncalled import write

    text = """
        import torch.nn as nn
        class Decoder(nn.Module):
            def __init__(self, dim, logits_dim=None):
                super().__init__()
                self.to_logits = nn.Identity() if logits_dim is None else nn.Linear(dim, logits_dim)
                self.inner = nn.Linear(dim, dim)
            def forward(self, x, queries=None):
                b, n, d = x.shape
                y = self.inner(x)
                if queries is not None:
                    out = self.to_logits(self.inner(queries))
                    return out
                return y
    """
    whole = facts(text)
    assert whole["Decoder.forward:out"].variants
    real, given = write.solved, []

    def ends(case: Any) -> Any:
        given.append(case)
        if len(given) == 4:
            raise BudgetExhausted("too many")
        return real(case)

    monkeypatch.setattr(write, "solved", ends)
    cut = facts(text.replace("b, n, d = x.shape", "b, n, width = x.shape"))
    assert shape(cut["Decoder.forward:y"]) is not None
    assert "Decoder.forward:out" not in cut or shape(cut["Decoder.forward:out"]) is None


def test_a_rank_that_leaves_early_is_not_the_only_one(trace):
    found = shapes(
        """
        def zero_inflated(pred, target):
            if pred.dim() == 1:
                return (pred - target).square()
            sigma = F.softplus(pred[:, 1])
            if pred.shape[1] == 2:
                return sigma * target
            elif pred.shape[1] == 3:
                return sigma + target
            raise Exception("sizes")

        def strict(x):
            if x.dim() != 2:
                raise TypeError("two dims")
            return x.t()
        """
    )
    assert found["zero_inflated:pred"] is None and found["zero_inflated:<return>"] is None
    assert found["strict:x"] == ("B", "D")


def test_a_letter_is_the_same_dim_wherever_it_stands(trace):
    found = facts(
        """
        import torch.nn as nn
        class Pool(nn.Module):
            def forward(self, x):
                flat = x.mean(dim=-1).flatten(start_dim=1)
                return flat
        """
    )
    assert shape(found["Pool.forward:x"]) == ("*batch", "B", "T", "D")
    assert shape(found["Pool.forward:flat"]) == (
        None,
        None,
    )  # the first is no dim that is counted from the end
    assert ("B", "T") in variants(found["Pool.forward:flat"])


def test_what_is_repeated_for_a_batch_has_none_or_one_of_one(trace):
    found = facts(
        """
        import torch.nn as nn
        class Mask(nn.Module):
            def __init__(self, steps, table):
                super().__init__()
                self.table = table
                self.fc = nn.Linear(steps, 3)
            def forward(self, x):
                seen = self.table.repeat(x.size(0), 1)
                return self.fc(x * seen)
        """
    )
    assert ("steps",) in variants(found["Mask.__init__:table"])
    assert (1, "steps") in variants(found["Mask.__init__:table"])
    assert ("B", "steps") in variants(found["Mask.forward:seen"])
