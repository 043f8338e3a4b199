"""Edits are made all at once, or not at all; a fix counts when its finding is gone and no other came."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapewise.edits.apply import OverlappingEdits, apply, apply_to, moved_line
from shapewise.edits.text import TextMap
from shapewise.fixes.offered import offered
from shapewise.fixes.verify import _new
from shapewise.source import Cell, Source
from shapewise.vocabulary.findings import Edit, Finding, Fix
from shapewise.vocabulary.span import Span


def edit(line: int, column: int, end_line: int, end_column: int, text: str) -> Edit:
    return Edit(Span(line, column, end_line, end_column), text)


def finding(line: int, rule: str = "a", column: int = 0) -> Finding:
    return Finding(rule, Span(line, column, line, column + 1), "error", "m")


def repairs(repaired: list[Finding], edits: list[Edit], before: list[Finding], after: list[Finding]) -> bool:
    return not [*_new(repaired, edits, before, after)]


def test_edits_are_made_at_once() -> None:
    text = "ab\ncd\n"
    assert apply(text, [edit(2, 0, 2, 1, "X"), edit(1, 1, 1, 1, "Y\nZ")]) == "aY\nZb\nXd\n"
    assert apply(text, []) == text
    assert apply("a\r\nb", [edit(1, 1, 1, 1, "\nc")]) == "a\r\nc\r\nb"


@pytest.mark.parametrize(
    "edits",
    [
        [edit(1, 0, 1, 2, "x"), edit(1, 1, 1, 2, "y")],
        [edit(1, 1, 1, 1, "x"), edit(1, 1, 1, 1, "y")],
        [edit(1, 2, 1, 1, "x")],
    ],
)
def test_edits_that_overlap_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(OverlappingEdits):
        apply("abc", edits)


@pytest.mark.parametrize("outside", [edit(3, 0, 3, 0, ""), edit(1, 4, 1, 4, ""), edit(0, 0, 1, 0, "")])
def test_edits_outside_are_refused(outside: Edit) -> None:
    with pytest.raises(ValueError, match=r"no (line|column)"):
        apply("abc\n", [outside])


def test_lines_move_with_edits() -> None:
    grows, shrinks = edit(2, 1, 2, 1, "\nx\ny"), edit(2, 0, 4, 0, "")
    assert [moved_line(line, [grows]) for line in (1, 2, 3)] == [1, 2, 5]
    assert [moved_line(line, [shrinks]) for line in (1, 2, 3, 4, 5)] == [1, 2, 2, 2, 3]


def test_cells_move_with_edits() -> None:
    source = Source("n.ipynb", "a\nb\nc", (Cell(0, 1, 2), Cell(3, 3, 1)))
    moved = apply_to(source, [edit(1, 1, 1, 1, "\nx")])
    assert moved.text == "a\nx\nb\nc"
    assert moved.cells == (Cell(0, 1, 3), Cell(3, 4, 1))


def test_a_fix_must_repair_and_do_no_harm() -> None:
    one, two = finding(1), finding(3)
    edits = [edit(2, 0, 2, 0, "x\n")]
    assert repairs([one], edits, [one, two], [finding(4, column=7)])
    assert repairs([one], edits, [one, two], [])
    assert not repairs([one], edits, [one, two], [finding(1), finding(4)])
    assert not repairs([one], edits, [one, two], [finding(4), finding(5)])
    assert not repairs([one], edits, [one], [finding(2, "b")])


def test_two_findings_on_a_line_are_two() -> None:
    first, second = finding(1), finding(1, column=5)
    assert repairs([first], [], [first, second], [second])
    assert not repairs([first], [], [first, second], [first, second])


def test_safe_fixes_come_first() -> None:
    safe, unsafe = Fix("s", "safe", ()), Fix("u", "unsafe", ())
    both = Finding("a", Span(1, 0, 1, 0), "error", "m", fixes=(unsafe, safe))
    only = Finding("a", Span(1, 0, 1, 0), "error", "m", fixes=(unsafe,))
    assert offered(both, unsafe=True) == safe
    assert offered(only) is None
    assert offered(only, unsafe=True) == unsafe
    assert offered(finding(1)) is None


@given(st.text(alphabet="aé𝔘\n\r\x0b\u2028 "), st.data())
def test_places_and_offsets_are_the_same_thing(text: str, data: st.DataObject) -> None:
    places = TextMap(text)
    assert len(places) == len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    for line in range(1, len(places) + 1):
        for column in range(len(places.line(line)) + 1):
            assert places.position(places.offset(line, column)) == (line, column)
            before = places.line(line)[:column]
            assert places.column(line, len(before.encode())) == column
