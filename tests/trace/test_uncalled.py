"""Functions that nobody calls: what their dims are, and what they are called."""

from __future__ import annotations

import textwrap

import pytest
import torch

from shapewise.queries.facts import facts_of
from shapewise.queries.files import certain
from shapewise.trace import session
from shapewise.trace.naming import algebra
from shapewise.trace.uncalled import write

ATTENTION = """
import torch
import torch.nn as nn

class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        assert config.n_embd % config.n_head == 0
        self.qkv = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.n_head = config.n_head

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        scores = q @ k.transpose(-2, -1)
        return scores
"""


def shapes(text: str, called: frozenset[str] = frozenset()) -> dict[str, object]:
    """`scope:name` -> the shape of each binding, parameter and return; the last of a name counts."""
    log = session.trace("file.py", textwrap.dedent(text), {}, called=called)
    return {
        f"{fact.scope}:{fact.name}": getattr(fact.value, "shape", None)
        for fact in facts_of(log)
        if fact.kind != "expression"
    }


def test_attention_of_a_config_that_nobody_makes(trace):
    found = shapes(ATTENTION)
    assert found["Attention.forward:x"] == ("B", "T", "C")
    assert found["Attention.forward:q"] == ("B", "n_head", "T", "C//n_head")
    assert found["Attention.forward:scores"] == ("B", "n_head", "T", "T")


def test_a_convolution_has_torchs_own_formula(trace):
    found = shapes(
        """
        import torch.nn as nn
        class Down(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.conv = nn.Conv2d(3, width, 3, stride=2, padding=1)
                self.pool = nn.MaxPool2d(2)
            def forward(self, x):
                h = self.conv(x)
                return self.pool(h)
        """
    )
    assert found["Down.forward:x"] == ("B", 3, "H", "W")
    assert found["Down.forward:h"] == ("B", "width", "(H - 1)//2 + 1", "(W - 1)//2 + 1")
    assert found["Down.forward:<return>"] == ("B", "width", "(H - 3)//4 + 1", "(W - 3)//4 + 1")


def test_where_any_rank_will_do_none_is_said(trace):
    found = shapes(
        """
        import torch.nn as nn
        class MLP(nn.Module):
            def __init__(self, d_in, d_out):
                super().__init__()
                self.fc = nn.Linear(d_in, d_out)
            def forward(self, x):
                return self.fc(x)
        """
    )
    assert found["MLP.forward:x"] == ("*batch", "d_in")
    assert found["MLP.forward:<return>"] == ("*batch", "d_out")


def test_what_another_file_calls_is_left_alone(trace):
    assert not [
        name for name in shapes(ATTENTION, frozenset({"Attention.forward", "Attention.__init__"})) if name
    ]


def test_nothing_assumed_is_certain(trace):
    log = session.trace("file.py", ATTENTION, {})
    assert any(frame.assumed for frame in log.frames)
    assert all(not log.frames[event.frame].assumed for event in certain(log).events)


def test_lines_above_move_what_was_found_out(trace, monkeypatch):
    before = session.trace("moved.py", ATTENTION, {})
    monkeypatch.setattr(write, "solved", lambda case: pytest.fail("it was found out before"))
    after = session.trace("moved.py", "\n\n# a word\n" + ATTENTION, {})
    rows = [
        [(fact.span.line - down, fact.name, fact.value) for fact in facts_of(log)]
        for log, down in ((before, 0), (after, 3))
    ]
    assert rows[0] == rows[1]


def test_the_file_is_left_as_it_was(trace):
    log = session.trace("file.py", "seen = []\ndef f(x):\n    seen.append(x)\n    return x + x.mean(1)\n", {})
    assert any(frame.assumed for frame in log.frames)


H, D = algebra.atom("H"), algebra.atom("D")
ONE, TWO = algebra.number(1), algebra.number(2)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (algebra.times(algebra.number(3), D), "3*D"),
        (algebra.floored(algebra.times(TWO, D), TWO), "D"),
        (algebra.plus(algebra.floored(algebra.minus(H, ONE), TWO), ONE), "(H - 1)//2 + 1"),
        (algebra.floored(algebra.plus(algebra.floored(algebra.minus(H, ONE), TWO), ONE), TWO), "(H + 1)//4"),
        (algebra.floored(algebra.minus(H, D), D), "H//D - 1"),
        (algebra.times(algebra.plus(H, ONE), D), "(H + 1)*D"),
        (algebra.minus(ONE, H), "1 - H"),
    ],
)
def test_arithmetic_is_shown_simply(size, text):
    shown = str(size)
    assert sorted(shown.replace("*", " ").split()) == sorted(text.replace("*", " ").split())
    for h, d in ((20, 4), (37, 5), (64, 16)):
        assert eval(shown, {"H": h, "D": d}) == eval(text, {"H": h, "D": d})


def test_targets_that_are_flattened_are_as_many_as_what_is_classified(trace):
    found = shapes(
        """
        import torch.nn as nn
        import torch.nn.functional as F
        class GPT(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.wte = nn.Embedding(config.vocab_size, config.n_embd)
                self.head = nn.Linear(config.n_embd, config.vocab_size)
            def forward(self, idx, targets=None):
                b, t = idx.size()
                logits = self.head(self.wte(idx))
                loss = None
                if targets is not None:
                    loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)
                return logits, loss
        """
    )
    assert found["GPT.forward:targets"] == ("b", "t")
    assert found["GPT.forward:logits"] == ("b", "t", "vocab_size")


def test_what_hangs_on_a_remainder_is_open(trace):
    found = shapes(
        """
        import torch.nn as nn
        import torch.nn.functional as F
        class Windows(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.size = size
            def forward(self, x):
                b, n, d = x.shape
                rest = n % self.size
                if rest > 0:
                    x = F.pad(x, (0, 0, 0, self.size - rest))
                y = x * 2
                return y
        """
    )
    assert found["Windows.forward:y"] == ("b", None, "d")


def test_what_a_text_chooses_from_a_table_is_open(trace):
    found = shapes(
        """
        import torch.nn as nn
        class VGG(nn.Module):
            cfgs = {"A": [64, 128], "B": [16, 32]}
            def __init__(self, cfg="A"):
                super().__init__()
                layers, width = [], 3
                for wide in self.cfgs[cfg]:
                    layers.append(nn.Conv2d(width, wide, 3, padding=1))
                    width = wide
                self.features = nn.Sequential(*layers)
            def forward(self, x):
                y = self.features(x)
                return y
        """
    )
    assert found["VGG.forward:x"] == ("B", 3, "H", "W")
    assert found["VGG.forward:y"] == ("B", None, "H", "W")


def test_an_input_may_have_the_shape_of_another(trace):
    found = shapes(
        """
        import torch
        def dice(logits, targets):
            num = targets.size(0)
            m1 = logits.view(num, -1)
            m2 = targets.view(num, -1)
            return m1 * m2
        """
    )
    assert found["dice:targets"] is None


def test_one_class_for_each_row(trace):
    found = shapes(
        """
        import torch.nn as nn
        import torch.nn.functional as F
        class Distilled(nn.Module):
            def forward(self, student, teacher, labels):
                soft = (F.softmax(teacher, -1) * F.log_softmax(student, -1)).sum() / student.size(0)
                return soft + F.cross_entropy(student, labels)
        """
    )
    assert found["Distilled.forward:student"] == ("B", "D")
    assert found["Distilled.forward:labels"] == ("B",)


def test_a_rate_may_be_a_number_of_channels(trace):
    found = shapes(
        """
        import torch, torch.nn as nn
        class Dense(nn.Module):
            def __init__(self, width, growth_rate):
                super().__init__()
                self.conv = nn.Conv2d(width, growth_rate, 3, padding=1)
            def forward(self, x):
                return torch.cat([x, self.conv(x)], 1)
        """
    )
    assert found["Dense.forward:<return>"] == ("B", "width + growth_rate", "H", "W")


def test_layers_that_are_handed_in_keep_shapes_if_their_names_have_it(trace):
    found = shapes(
        """
        import torch.nn as nn
        class Block(nn.Module):
            def __init__(self, dim, norm_layer, act_layer):
                super().__init__()
                self.norm, self.act = norm_layer(dim), act_layer()
                self.fc = nn.Linear(dim, 4 * dim)
            def forward(self, x):
                return self.act(self.fc(self.norm(x)))
        """
    )
    assert found["Block.forward:<return>"] == ("*batch", "4*dim")


def test_groups_divide_channels(trace):
    found = shapes(
        """
        import torch.nn as nn
        class Grouped(nn.Module):
            def __init__(self, width, groups):
                super().__init__()
                self.conv = nn.Conv2d(width, width, 1, groups=groups)
            def forward(self, x):
                return self.conv(x)
        """
    )
    assert found["Grouped.forward:<return>"] == ("B", "width", "H", "W")


@pytest.mark.parametrize(
    "body", ["torch.zeros((n, 3))", "torch.linspace(0, 1, n)", "torch.ones(6, 2).new_zeros(n, 3)"]
)
def test_what_counts_is_a_number(trace, body):
    assert "f:y" in shapes(f"import torch\ndef f(n):\n    y = {body}\n    return y\n")


def test_whether_heads_that_are_repeated_are_copied_depends_on_how_many_there_are(trace):
    code = """
        def repeat(x, n):
            b, t, h, d = x.shape
            y = x[:, :, :, None, :].expand(b, t, h, n, d).reshape(b, t, h * n, d)
            z = y.contiguous()
            return z
    """
    log = session.trace("file.py", "import torch\n" + textwrap.dedent(code), {})
    facts = {fact.name: fact.value for fact in facts_of(log)}
    for heads in (1, 2):
        x = torch.randn(2, 5, heads, 8)
        y = x[:, :, :, None, :].expand(2, 5, heads, 3, 8).reshape(2, 5, heads * 3, 8)
        assert y.is_contiguous() == (heads == 2)
    assert facts["y"].contiguous is None and facts["z"].contiguous is True


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("x = 1", "x = 2\nprint(x)", True),
        (
            "if __name__ == '__main__':\n    x = 1",
            "if __name__ == '__main__':\n    x = nn.Linear(2, 3)",
            True,
        ),
        ("for step in range(3):\n    T = step", "T = 4\nlosses = [T]\nlosses.append(T)", True),
        ("scale = 1", "scale = 2", False),
        ("base = 1\nscale = base", "base = 2\nscale = base", False),
        ("rows = [1]\nscale = rows", "rows = [1]\nscale = rows\nrows.append(2)", False),
        ("x = 1", "torch.set_default_dtype(torch.float64)", False),
        ("x = 1", "Attention.forward = None", False),
        ("x = 1", "Attention.width = 3", False),
        ("x = 1", "from math import *", False),
        ("from mine import scale", "from mine import scale\nscale.update(2)", False),
        ("scale = 1\nimport torch", "scale = 1\nimport torch\nprint(torch.zeros(3).shape)", True),
        ("x = 1", "def scale():\n    return 3", False),
    ],
)
def test_what_stands_elsewhere_is_followed_anew_only_if_it_can_matter(
    trace, monkeypatch, before, after, same
):
    text = ATTENTION + "\ndef scaled(x):\n    T = x.shape[0]\n    return x.mean(0) * T * scale\n\n"
    session.trace("kept.py", text + before + "\n", {})
    asked = []
    real = write.solved
    monkeypatch.setattr(write, "solved", lambda case: asked.append(case.scope) or real(case))
    log = session.trace("kept.py", text + after + "\n", {})
    assert ("scaled" not in asked) == same, asked
    fresh = session.trace(f"fresh_{len(after)}.py", text + after + "\n", {})
    assert [(f.name, f.span, f.value) for f in facts_of(log)] == [
        (f.name, f.span, f.value) for f in facts_of(fresh)
    ]
