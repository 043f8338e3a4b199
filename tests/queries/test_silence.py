"""Why there is nothing to say of a line."""

from __future__ import annotations

import pytest

from shapewise.queries.silence import silence
from shapewise.trace import session

TEXT = """\
import torch
import requests
from torch import nn

# a remark
known = torch.zeros(3)
lost = requests.get("x")
count = 3

def never(flag, *, other):
    a = other.thing[flag].frobnicate(1)
    return a

def fails(x):
    y = x @ x
    z = y + 1
    return z

fails(torch.zeros(2, 3))
"""


@pytest.fixture(scope="module")
def log():
    session.prepare()
    return session.trace("/somewhere/file.py", TEXT, {})


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (5, None),
        (6, None),
        (7, "lost is not known: "),
        (8, None),
        (9, None),
        (11, "a is not known: given by what calls this function."),
        (15, None),
    ],
)
def test_a_sentence_or_nothing(log, line, words):
    said = silence(log, TEXT, line)
    assert (said is None) if words is None else (words in said), said


def test_what_comes_after_an_exception_is_not_reached():
    text = "import torch\nimport sys\n\ndef f(x):\n    y = x + 1\n    sys.exit()\n    z = y * 2\n\nf(torch.zeros(2))\n"
    log = session.trace("/somewhere/file.py", text, {})
    assert silence(log, text, 5) is None
