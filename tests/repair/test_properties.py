"""What holds of every repair, on real files with real damage."""

from __future__ import annotations

import ast
import importlib.util
import random
import re
import time
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shapewise.repair import repair

ROW = re.compile(r"\r\n|\r|\n")
ODD = [
    *"()[]{}'\":\\\n\t \f\r\0;#=@,",
    '"""',
    "\r\n",
    "    ",
    "é😀",
    "else:\n",
    "try:\n",
    "def ",
    "class ",
    "if ",
    "lambda ",
]
ODD += [
    "match x:\n",
    "case 1:\n",
    "<<<<<<< HEAD\n",
    "\ufeff",
    "\ud800",
    "\u00a0",
    "\x1a",
    "f'{",
    "async ",
    "return",
    "=>",
]


def real_files() -> list[str]:
    torch = importlib.util.find_spec("torch")
    assert torch is not None and torch.origin is not None
    folder = Path(torch.origin).parent / "nn" / "modules"
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py"))]
    return [text for text in texts if len(text) > 3000]


FILES = real_files()


def check(text: str) -> None:
    """It parses, nothing has moved, and what changed is blank or a stand-in."""
    repaired = repair(text)
    ast.parse(repaired.text)
    before, after = ROW.split(text), ROW.split(repaired.text)
    assert all(len(old) <= len(new) for old, new in zip(before, after, strict=True))
    assert ROW.findall(text) == ROW.findall(repaired.text)
    for old, new in zip(before, after):
        changed = "".join(b for a, b in zip_longest(old, new) if a != b)
        assert re.fullmatch(r"[\s0_1:,=()\]}a-z]*", changed), (old, new)
        assert len(changed.split()) <= 3, (old, new)
    rows = set()
    for broken in repaired.broken:
        rows |= set(range(broken.span.line - 1, broken.span.end_line))
        assert broken.message
    if "\0" not in text and "\ud800" not in text and not text.startswith("\ufeff"):
        assert {row for row, (a, b) in enumerate(zip(before, after)) if a != b} <= rows


def damage(text: str, random: random.Random) -> str:
    """One to six wounds of the kinds that typing, cutting and pasting leave."""
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(text) + 1)
        rows = text.split("\n")
        row = random.randrange(len(rows))
        kind = random.randrange(6)
        if kind == 0:
            text = text[:at]
        elif kind == 1:
            text = text[:at] + random.choice(ODD) + text[at:]
        elif kind == 2:
            text = text[:at] + text[at + random.choice([1, 1, 1, 5, 40]) :]
        elif kind == 3:
            text = "\n".join(rows[:row] + rows[row + 1 :])
        elif kind == 4:
            text = "\n".join([*rows[:row], random.choice(rows), *rows[row:]])
        else:
            text = text[:at] + text[random.randrange(len(text) + 1) :][:200] + text[at:]
        text = text or "x"
    return text


@pytest.mark.parametrize("seed", range(8))
def test_damaged_files(seed):
    rng = random.Random(seed)
    for _ in range(60):
        text = rng.choice(FILES)
        check(damage(text[: rng.randint(200, 6000)], rng))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.one_of(st.sampled_from(ODD), st.text(max_size=8), st.sampled_from(["x = ", "    ", "f(x)", "\n"])),
        max_size=40,
    )
)
@example(["if x:\n", "\ty\n", "        z\n"])
@example(["-" * 5000, "1\n", "x = ("])
def test_any_text(pieces):
    check("".join(pieces))


@pytest.mark.parametrize(
    "text",
    [
        "x = foo(\n" * 2000,
        "(" * 3000 + ")" * 3000,
        "".join(" " * i + "if x:\n" for i in range(300)),
        "else:\n" * 1000,
        "try:\n    x = 1\n    y = foo(1)\n" * 500,
        "if x:\n\ty = 1\n        z = 2\n  \tw = 3\n" * 100,
        "\\\n" * 500,
    ],
    ids=["open", "nested", "deep", "else", "try", "tabs", "backslash"],
)
def test_hostile_texts_end_soon(text):
    began = time.perf_counter()
    check(text)
    assert time.perf_counter() - began < 5


@lru_cache
def statements(text: str) -> list[tuple[int, int]]:
    """First and last row (from 1) of every statement; of a compound one, of its header."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = body[0].lineno - 1 if body and body[0].lineno > node.lineno else node.end_lineno
            found.append((node.lineno, end))
    return found


def lost_lines(character: str, count: int, seed: int) -> tuple[list[int], list[float]]:
    """Remove one such character from each of `count` statements: other rows lost, seconds taken."""
    rng = random.Random(seed)
    lost: list[int] = []
    seconds: list[float] = []
    while len(lost) < count:
        text = rng.choice(FILES)
        rows = text.split("\n")
        first, last = rng.choice(statements(text))
        own = "\n".join(rows[first - 1 : last])
        places = [place for place, found in enumerate(own) if found == character]
        if not places:
            continue
        at = sum(len(row) + 1 for row in rows[: first - 1]) + rng.choice(places)
        broken = text[:at] + text[at + 1 :]
        try:
            ast.parse(broken)
            continue
        except SyntaxError:
            pass
        began = time.perf_counter()
        repaired = repair(broken)
        seconds.append(time.perf_counter() - began)
        changed = {
            row for row, (a, b) in enumerate(zip(broken.split("\n"), repaired.text.split("\n")), 1) if a != b
        }
        lost.append(len(changed - set(range(first, last + 1))))
    return lost, seconds


@pytest.mark.parametrize(
    ("character", "bound"),
    [(")", 0.5), ("(", 0.5), ("]", 0.5), (":", 0.5), (",", 0.5), ("=", 0.5), ('"', 1.0)],
)
def test_few_other_lines_are_lost(character, bound, capsys, thorough):
    count = 200 if thorough else 40
    lost, seconds = lost_lines(character, count, seed=1)
    average = sum(lost) / len(lost)
    with capsys.disabled():
        print(
            f"\n  {character!r} removed from {count} statements: {average:.3f} other lines lost on average, at most {max(lost)};"
            f" {1e3 * sorted(seconds)[count // 2]:.1f} ms in the median, {1e3 * max(seconds):.0f} at most"
        )
    assert average <= bound
