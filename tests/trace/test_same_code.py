"""A log that is moved along is that of a fresh trace, and no edit of code goes for one of spaces."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from shapewise.repair import repair
from shapewise.same_code import moved, read, still_holds
from shapewise.vocabulary import blocks

TESTS = Path(__file__).resolve().parent.parent
TEXT = """\
import torch
from torch import nn


class Net(nn.Module):
    # layers
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, 3)

    def forward(self, x):
        y = self.fc(x)
        return y


net = Net(8)
out = net(torch.zeros(2, 8))
"""


def logs(trace, text):
    return trace(text).log


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# layers", "# layers, and more\n    # on two lines"),
        ("    # layers\n", ""),
        ("y = self.fc(x)", "y  =  self.fc( x )  # é"),
        ("y = self.fc(x)", "y = self.fc(\n            x,\n        )"),
        ("net = Net(8)", "\n# é\nnet = Net(8)"),
        ("import torch\n", "# first\nimport torch\n"),
        ("torch.zeros(2, 8))\n", "torch.zeros(2, 8))"),
        ("net = Net(8)\nout", "net = Net(8); out"),
    ],
)
def test_what_is_no_code_moves_the_log(trace, old, new):
    text = TEXT.replace(old, new)
    told = moved(logs(trace, TEXT), TEXT, text)
    assert told is not None
    assert replace(told, seconds=0.0) == replace(logs(trace, text), seconds=0.0)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Net(8)", "Net(9)"),
        ("        return y", "    return y"),
        ("        return y", "        # return y"),
        ("width, 3", "width, 3.0"),
        ("# layers", '"""layers"""'),
        ("out = net", "out = nett"),
        ("import torch\n", "import torch \\\n"),
        ("net = Net(8)", "net = Net(8\n"),
    ],
)
def test_what_is_code_does_not(trace, old, new):
    assert moved(logs(trace, TEXT), TEXT, TEXT.replace(old, new)) is None


SAID = """\
import torch


def f(x, y):  # x: (batch, seq)
    # y: (batch, dim)
    return x.mean(-1), y.mean(-1)  # (batch,), (batch,)
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(batch, seq)", "(batch, seq, dim)"),
        ("  # x: (batch, seq)", ""),
        ("y: (batch", "x: (batch"),
        ("    # y: (batch, dim)\n    return x.mean(-1)", "    return x.mean(-1)  # y: (batch, dim)\\\n"),
    ],
)
def test_what_a_comment_says_of_a_parameter_is_asked_of_the_tracer(trace, old, new):
    assert moved(logs(trace, SAID), SAID, SAID.replace(old, new)) is None


def test_other_comments_beside_it_are_moved(trace):
    text = SAID.replace("(batch,), (batch,)", "two of them").replace("def f", "# above\ndef f")
    told = moved(logs(trace, SAID), SAID, text)
    assert told is not None
    assert replace(told, seconds=0.0) == replace(logs(trace, text), seconds=0.0)


def test_a_text_is_no_comment_wherever_its_lines_begin(trace):
    text = "import torch\nx = torch.zeros(2); name = '''\nx # '''\ny = torch.zeros(len(name))\n"
    assert moved(logs(trace, text), text, text.replace("# ", "#")) is None


def test_one_edit_after_another_is_known_as_if_it_were_the_first(trace):
    log, text = logs(trace, TEXT), TEXT
    read(text)
    for row, line in (
        (3, "# one\n"),
        (5, "    # two\n\n"),
        (0, "# zero\n"),
        (17, "# three"),
        (19, "# four\n"),
    ):
        lines = text.splitlines(keepends=True)
        new = "".join([*lines[:row], line, *lines[row:]])
        assert still_holds(log, text, new)
        kept = blocks._kept.pop(new)
        read(new)
        assert kept == blocks._kept[new]
        moved_log = moved(log, text, new)
        assert moved_log is not None
        log, text = moved_log, new
    assert replace(log, seconds=0.0) == replace(logs(trace, text), seconds=0.0)
    assert not still_holds(log, text, text.replace("Net(8)", "Net(9)"))


def test_the_same_text_is_asked_for_another_reason(trace):
    assert moved(logs(trace, TEXT), TEXT, TEXT) is None


@pytest.mark.slow
def test_over_many_edits_of_many_files(trace):
    from shapewise.trace import session

    random_ = random.Random(7)
    held = 0
    for path in sorted(
        [*(TESTS.parent / "examples").glob("*.py"), *(TESTS / "truth" / "inputs").glob("*.py")]
    ):
        text = path.read_text()
        log = session.trace(str(path), text, {})
        for _ in range(3):
            lines = text.split("\n")
            at = random_.randrange(len(lines))
            indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
            lines[at : at + 1] = random_.choice(
                (
                    [f"{indent}# a comment", lines[at]],
                    ["", lines[at]],
                    [lines[at] + "  # ends"],
                    [lines[at].replace(" = ", "   =  ").replace(", ", " ,")],
                    [lines[at].split("#")[0]],
                    [lines[at].replace("(", "(\n")],
                    [],
                )
            )
            new = "\n".join(lines)
            told = None if repair(new).broken else moved(log, text, new)
            if told is not None:
                held += 1
                assert replace(told, seconds=0.0) == replace(session.trace(str(path), new, {}), seconds=0.0)
    assert held > 15
