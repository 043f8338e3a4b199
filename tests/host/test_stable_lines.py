"""The tracer sees statements where it saw them the last time, whatever comes and goes above them."""

from __future__ import annotations

import ast
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from shapewise.host import stable_lines
from shapewise.host.stable_lines import AllLines, StableLines
from shapewise.queries.facts import facts_of
from shapewise.queries.files import happened_in
from shapewise.repair import repair
from shapewise.vocabulary.blocks import pieces
from shapewise.vocabulary.events import Bound, Frame, Log, Modes, Scalar, Tensor
from shapewise.vocabulary.span import Span

TEXT = """\
import torch

def f(x):
    return x + 1


# of f
y = f(torch.zeros(2))
z = y
"""


def after(*texts: str) -> StableLines:
    lines: StableLines | None = None
    for text in texts:
        lines = StableLines(repair(text), lines)
    assert lines is not None
    return lines


def log_of(*spans: Span) -> Log:
    frames = (
        Frame(0, "a.py", "<module>"),
        Frame(1, "b.py", "g", 0, spans[0]),
        Frame(2, "a.py", "f", 1, spans[0]),
    )
    events = tuple(
        Bound(frame, span, "binding", "y", Scalar(1), Modes()) for frame in (0, 1) for span in spans
    )
    return Log("a.py", "", "", 0.0, frames, events, ("line 14: no",))


def test_a_text_is_as_it_is_until_a_line_moves_what_stands_below() -> None:
    assert after(TEXT).text == TEXT
    assert not after(TEXT, TEXT.replace("x + 1", "x + 2")).is_moved


def test_with_room_from_the_first_no_line_moves_what_stands_below() -> None:
    first = StableLines(repair(TEXT), has_room=True)
    grown = StableLines(
        repair("import math\n" * 5 + TEXT.replace("    return", "    x = x * 2\n    return")), first
    )
    for statement in ("def f(x):", "y = f(torch.zeros(2))", "z = y"):
        assert first.text.split("\n").index(statement) == grown.text.split("\n").index(statement)


def test_what_stands_below_moves_once() -> None:
    first = after(TEXT, "import math\n" + TEXT)
    second = StableLines(repair("import math\n" * 3 + TEXT), first)
    for statement in ("def f(x):", "y = f(torch.zeros(2))", "z = y"):
        assert first.text.split("\n").index(statement) == second.text.split("\n").index(statement)


def test_a_statement_may_grow_in_its_room() -> None:
    first = after(TEXT, "import math\n" + TEXT)
    grown = TEXT.replace("    return", "    x = x * 2\n    x = x * 3\n    return")
    second = StableLines(repair("import math\n" + grown), first)
    assert first.text.split("\n").index("z = y") == second.text.split("\n").index("z = y")


def test_comments_come_with_what_stands_below() -> None:
    lines = after(TEXT, "import math\n" * 5 + TEXT)
    rows = lines.text.split("\n")
    assert rows[lines.there(13) - 2 : lines.there(13)] == ["# of f", "y = f(torch.zeros(2))"]


def test_a_line_that_was_blanked_is_told_as_the_tracer_sees_it() -> None:
    before = after(TEXT, "import math\n" * 5 + TEXT)
    repaired = repair("import math\n" * 5 + TEXT.replace("z = y", "z = (y"))
    (broken,) = repaired.broken
    assert StableLines(repaired, before).there(broken.span.line) == before.there(14) != 14


def test_a_log_is_moved_back() -> None:
    lines = after(TEXT, "import math\n" * 5 + TEXT)
    row, home = 13, lines.there(13)
    assert home != row
    log = lines.log(log_of(Span(home, 0, home, 1)))
    assert [event.span.line for event in log.events] == [row, home]  # the other file's stays
    assert [frame.site and frame.site.line for frame in log.frames] == [None, row, home]


def test_an_event_that_is_moved_again_is_the_same() -> None:
    lines = after(TEXT, "import math\n" * 5 + TEXT)
    log = log_of(Span(lines.there(13), 0, lines.there(13), 1))
    assert lines.log(log).events[0] is lines.log(log).events[0]


def test_facts_are_those_of_the_log_that_was_moved_back() -> None:
    lines = after(TEXT, "import math\n" * 5 + TEXT)
    x, y = (Tensor(at, (2,), "float32", "cpu", (1,), True, False, True, at, 0, 4) for at in (1, 2))
    frames = (
        Frame(0, "a.py", "<module>"),
        Frame(1, "b.py", "g", 0, Span(lines.there(13), 0, lines.there(13), 1)),
    )
    events = tuple(
        Bound(frame, Span(home, 0, home, 1), "binding", name, value, Modes())
        for frame in (0, 1)
        for home, name, value in ((1, "x", x), (lines.there(13), "y", y))
    )
    log = lines.log(
        Log("a.py", "", "", 0.0, frames, events, cut=f"the loop in line {lines.there(13)} is long")
    )
    assert log.cut == "the loop in line 13 is long"
    here, there = happened_in(log, "a.py"), happened_in(log, "b.py")
    assert [(fact.name, fact.span.line) for fact in facts_of(here)] == [("x", 1), ("y", 13)]
    assert facts_of(here) == facts_of(replace(here, events=tuple(here.events)))
    assert [fact.span.line for fact in facts_of(there)] == [1, lines.there(13)]  # the other file's stay
    assert len(here.events) == 2 and here.events[-1].span.line == 13


def test_a_sentence_names_the_lines_of_the_user() -> None:
    lines = after(TEXT, "import math\n" * 5 + TEXT)
    assert lines.sentence(f"cannot parse line {lines.there(13)}: no") == "cannot parse line 13: no"


def test_every_file_has_its_own() -> None:
    every = AllLines()
    every.of("a.py", repair(TEXT))
    assert every.of("b.py", repair("import math\n" * 9 + TEXT)).is_moved is False
    assert every.of("a.py", repair("import math\n" * 9 + TEXT)).is_moved


STATEMENTS = st.sampled_from(
    [
        "a = 1",
        "b = 2",
        "def f():\n    return 1",
        "# c",
        "",
        "x = (",
        "if a:\n    b = 1\n\n    c = 2",
        "é = '''\n\n'''",
    ]
)


@given(st.lists(st.lists(STATEMENTS, max_size=8), min_size=1, max_size=6))
def test_whatever_is_edited_the_statements_and_their_order_stay(versions: list[list[str]]) -> None:
    lines: StableLines | None = None
    for version in versions:
        repaired = repair("\n".join(version))
        lines = StableLines(repaired, lines)
        mine, there = ast.parse(repaired.text), ast.parse(lines.text)
        assert ast.dump(mine) == ast.dump(there)
        for one, other in zip(ast.walk(mine), ast.walk(there)):
            if isinstance(one, ast.stmt) and isinstance(other, ast.stmt):
                span = Span(other.lineno, 0, other.lineno, 1)
                assert lines.there(one.lineno) == other.lineno
                assert lines.log(log_of(span)).events[0].span.line == one.lineno
        rows, shown = repaired.text.split("\n"), lines.text.split("\n")
        for broken in repaired.broken:
            line = broken.span.line
            assert shown[lines.there(line) - 1] == rows[line - 1]


@given(st.lists(STATEMENTS, min_size=1, max_size=8), st.data())
def test_a_statement_that_is_edited_in_its_place_leaves_all_as_it_was(
    version: list[str], data: st.DataObject
) -> None:
    before = StableLines(repair("\n".join(version)), StableLines(repair("# c\n" + "\n".join(version))))
    at = data.draw(st.integers(0, len(version) - 1))
    edited = repair("\n".join([*version[:at], data.draw(STATEMENTS), *version[at + 1 :]]))
    anew = stable_lines._blocks(edited.text, {one.span.line for one in edited.broken})
    if anew and before._blocks:
        anew = stable_lines._with_room(stable_lines._at_home(anew, before._blocks))
    assert StableLines(edited, before)._blocks == anew


def test_a_backslash_before_an_empty_row_does_not_go_on_into_the_next_one():
    text = "import torch\\\n\nx = torch.zeros(2)\\\n   \ny = x\n"
    lines = after(text, "import math\nimport math\n" + text, text)
    assert len(ast.parse(lines.text).body) == 3
    assert all(ast.parse(part).body for _, part in pieces(repair(text).text))
