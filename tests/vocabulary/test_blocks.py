"""The statements at the top of an edited text are those of the whole text parsed."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapewise import repair
from shapewise.vocabulary import blocks
from shapewise.vocabulary.blocks import UNREADABLE, blocks_of, extents

FILES = [path.read_text("utf-8") for path in sorted(Path(repair.__file__).parent.glob("*.py"))]
ODD = [
    *"()[]{}'\":\\\n\t \f\r\0;#=@,",
    *('"""', "\r\n", "    ", "é", "else:\n", "try:\n", "if x:\n", "    y\n", "x; y\n", "@f\n", "x = \\\n", "def f(): pass\n"),
]  # fmt: skip


def truth(text: str) -> object:
    try:
        return tuple(extents(ast.parse(text).body))
    except UNREADABLE as error:
        return type(error)


def told(text: str) -> object:
    try:
        return blocks_of(text).lines
    except UNREADABLE as error:
        return type(error)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32))
def test_the_blocks_of_an_edited_text_are_those_of_the_whole(seed):
    draw = random.Random(seed)
    text = draw.choice(FILES)
    blocks_of(text)
    for _ in range(6):
        rows = text.split("\n")
        start = draw.choice([draw.randrange(len(text)), len("\n".join(rows[: draw.randrange(len(rows))]))])
        end = min(len(text), start + draw.choice([0, 0, 1, 5, 40]))
        new = text[:start] + draw.choice([*ODD, "", "", draw.choice(rows) + "\n"]) + text[end:]
        assert told(new) == truth(new), new
        if isinstance(truth(new), tuple):
            text = new


def test_an_edit_has_only_what_stands_around_it_parsed():
    text = "\n".join(f"def f{n}():\n    return {n}\n" for n in range(40))
    blocks_of(text)
    parsed = []

    def parse(part: str) -> ast.Module:
        parsed.append(part.strip("\n"))
        return ast.parse(part)

    blocks_of(text.replace("return 7", "return 8"), parse)
    assert parsed == ["def f7():\n    return 8"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x = 1\ny = 2\nz = 3\n", "x = 1\n    y = 2\nz = 3\n"),
        ("if x: pass\ny = 2\nz = 3\n", "if x: pass\nelse: y = 2\nz = 3\n"),
        ("x = 1\n\ny = 2\nz = 3\n", "x = 1\n\\\ny = 2\nz = 3\n"),
        ("x = 1\n\ny = 2\nz = 3\n", "x = 1\n'''\ny = 2\nz = 3\n"),
        ("x = 1\n\ny = '''2\nz = 3'''\n", "x = 1\n'''\ny = '''2\nz = 3'''\n"),
    ],
)
def test_what_is_no_statement_by_itself_is_read_with_the_rest(old, new):
    blocks._kept.clear()
    blocks_of(old)
    assert told(new) == truth(new)
