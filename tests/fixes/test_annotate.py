"""Shapes written into a text: it stays legal, and means what it meant."""

from __future__ import annotations

import ast

import pytest

from shapewise.edits.apply import apply
from shapewise.fixes.annotate import annotating
from shapewise.queries.facts import facts_of
from shapewise.trace import session

TEXT = """\
\"\"\"A file.\"\"\"
from __future__ import annotations
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.scale = torch.ones(d)

    def forward(self, x, mask=None):
        B, T, C = x.shape
        a, b = x.chunk(2, -1)
        é = '😀'; y = a + b
        z = (y
             + 1)
        z = z.long()
        w = z  # as it is
        v = \\
            z > 0
        for row in z: s = row
        for row in z:
            last = row
        with torch.no_grad(): pass
        return y.sum(
            -1,
        )

out = Net(4)(torch.ones(2, 3, 4))
square = lambda t: t * t
n = square(out)
[k for k in out]
both = (out, out)
"""


@pytest.fixture(scope="module")
def facts():
    session.prepare()
    return [fact for fact in facts_of(session.trace("a.py", TEXT, {})) if fact.kind != "expression"]


def test_comments(facts):
    after = apply(TEXT, annotating(TEXT, facts, "comment"))
    assert ast.dump(ast.parse(after)) == ast.dump(ast.parse(TEXT))
    pairs = zip(TEXT.split("\n"), after.split("\n"))
    added = {old.strip(): new.removeprefix(old) for old, new in pairs if old != new}
    assert {line: said.removeprefix("  # ") for line, said in added.items()} == {
        "self.scale = torch.ones(d)": "(4,)",
        "def forward(self, x, mask=None):": "x: (2, 3, 4)",
        "a, b = x.chunk(2, -1)": "(2, 3, 2)",
        "é = '😀'; y = a + b": "(2, 3, 2)",
        "+ 1)": "(2, 3, 2)",
        "z = z.long()": "(2, 3, 2)",
        "z > 0": "(2, 3, 2)",
        "for row in z:": "(3, 2)",
        "last = row": "(3, 2)",
        "for row in z: s = row": "(3, 2)",
        ")": "(2, 3)",
        "out = Net(4)(torch.ones(2, 3, 4))": "(2, 3)",
        "n = square(out)": "(2, 3)",
    }


def test_annotations(facts):
    after = apply(TEXT, annotating(TEXT, facts, "jaxtyping"))
    ast.parse(after)
    lines = [line.strip() for line in after.split("\n")]
    assert "from torch import nn\nfrom jaxtyping import Bool, Float, Int\n" in after
    for expected in (
        'self.scale: Float[torch.Tensor, "4"] = torch.ones(d)',
        'def forward(self, x: Float[torch.Tensor, "2 3 4"], mask=None):',
        "a, b = x.chunk(2, -1)  # (2, 3, 2)",
        "é = '😀'; y: Float[torch.Tensor, \"2 3 2\"] = a + b",
        "z = z.long()  # (2, 3, 2)",
        'w: Int[torch.Tensor, "2 3 2"] = z  # as it is',
        'v: Bool[torch.Tensor, "2 3 2"] = \\',
        "square = lambda t: t * t",
        'out: Float[torch.Tensor, "2 3"] = Net(4)(torch.ones(2, 3, 4))',
    ):
        assert expected in lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch\nx = torch.ones(2); y = 1\n", None),
        (
            "import torch\ndef f():\n    global x\n    x = torch.ones(2)\nf()\n",
            "    x = torch.ones(2)  # (2,)",
        ),
        (
            "import torch\nfrom torch import Tensor\nx = torch.ones(2)\n",
            'x: Float[Tensor, "2"] = torch.ones(2)',
        ),
        ("import torch\nx = y = torch.ones(2)\n", "x = y = torch.ones(2)  # (2,)"),
        ("import torch\nx: object = torch.ones(2)\n", "x: object = torch.ones(2)  # (2,)"),
        ("import torch\n(x) = torch.ones(2)\n", None),
        (
            "import torch\nx = torch.empty(0, 3, dtype=torch.uint8)\n",
            'x: UInt8[torch.Tensor, "0 3"] = torch.empty(0, 3, dtype=torch.uint8)',
        ),
        ('import torch\ndef f(x, s="""a,\nb"""):\n    return x\nf(torch.ones(2))\n', None),
    ],
)
def test_what_is_legal_where(text, expected):
    session.prepare()
    facts = [fact for fact in facts_of(session.trace("a.py", text, {})) if fact.kind != "expression"]
    after = apply(text, annotating(text, facts, "jaxtyping"))
    ast.parse(after)
    if expected is not None:
        assert expected in after.split("\n")


def test_text_that_does_not_parse_is_not_touched():
    with pytest.raises(SyntaxError):
        annotating("x = (", [], "comment")
