"""What is known of a text follows the names through edits, or is dropped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.workspace import PositionCodec

from shapewise.edits.apply import apply
from shapewise.edits.text import TextMap
from shapewise.lsp.positions import from_position, to_position
from shapewise.lsp.shifting import difference, shifted, shifted_lines, touched_by
from shapewise.lsp.texts import Text
from shapewise.vocabulary.facts import Fact, TensorFact
from shapewise.vocabulary.findings import Edit
from shapewise.vocabulary.span import Span

CODEC = PositionCodec(types.PositionEncodingKind.Utf16)
X = Span(2, 4, 2, 5)
"""The x of `abc\\nlet x = 1`."""


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (Edit(Span(1, 0, 1, 0), "# new\n"), Span(3, 4, 3, 5)),
        (Edit(Span(1, 0, 2, 0), ""), Span(1, 4, 1, 5)),
        (Edit(Span(1, 1, 2, 2), "?"), Span(1, 4, 1, 5)),
        (Edit(Span(2, 0, 2, 0), "  "), Span(2, 6, 2, 7)),
        (Edit(Span(2, 4, 2, 4), "\n    "), Span(3, 4, 3, 5)),
        (Edit(Span(2, 8, 2, 9), "22"), X),
        (Edit(Span(2, 5, 2, 5), " "), X),
        (Edit(Span(3, 0, 3, 0), "more"), X),
        (Edit(Span(2, 5, 2, 5), "y"), None),
        (Edit(Span(2, 4, 2, 4), "y"), None),
        (Edit(Span(2, 4, 2, 5), "x"), None),
        (Edit(Span(1, 0, 3, 0), ""), None),
    ],
)
def test_a_name_moves_or_is_touched(edit, expected):
    assert shifted(X, edit) == expected


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (Edit(Span(1, 0, 1, 0), "\n\n"), (7, 9)),
        (Edit(Span(9, 0, 9, 0), "\n"), (5, 7)),
        (Edit(Span(6, 0, 6, 0), "\n"), (5, 8)),
        (Edit(Span(3, 0, 6, 0), ""), (3, 4)),
        (Edit(Span(7, 3, 7, 3), "x"), (5, 7)),
    ],
)
def test_lines_move_or_grow(edit, expected):
    assert shifted_lines((5, 7), edit) == expected


def test_touched_lines_are_merged():
    touched = ()
    for line in (3, 9, 4, 5):
        touched = touched_by(touched, Edit(Span(line, 0, line, 0), "x"))
    assert touched == ((3, 5), (9, 9))


texts = st.text(st.sampled_from("ab x=\n😀é"), max_size=30)


@given(texts, texts)
def test_a_difference_makes_the_new_text_of_the_old(old, new):
    assert apply(old, [difference(old, new)]) == new


@given(texts, st.data())
def test_positions_in_utf16_and_back(text, data):
    lines = TextMap(text)
    offset = data.draw(st.integers(0, len(text)))
    line, column = lines.position(offset)
    at = to_position(lines, CODEC, line, column)
    assert at.character == len(lines.line(line)[:column].encode("utf-16-le")) // 2
    assert from_position(lines, CODEC, at) == (line, column)


@given(texts, st.integers(0, 9), st.integers(0, 99))
def test_positions_outside_are_moved_inside(text, line, character):
    lines = TextMap(text)
    lines.offset(*from_position(lines, CODEC, types.Position(line, character)))
    to_position(lines, CODEC, line, character)


@given(texts, st.lists(st.tuples(st.integers(0, 99), st.integers(0, 5), texts), max_size=12))
def test_a_text_follows_its_edits_and_its_facts_stay_on_their_names(text, edits):
    open_text = Text("file:///a.py", text, position_codec=CODEC)
    lines = TextMap(text)
    open_text.facts = tuple(
        Fact("binding", "", letter, lines.between(at, at + 1), TensorFact())
        for at, letter in enumerate(text)
        if letter == "x"
    )
    revision = open_text.revision
    for at, length, new in edits:
        lines = TextMap(text)
        start = min(at, len(text))
        end = min(start + length, len(text))
        text = text[:start] + new + text[end:]
        open_text.apply_change(
            types.TextDocumentContentChangePartial(
                range=types.Range(
                    to_position(lines, CODEC, *lines.position(start)),
                    to_position(lines, CODEC, *lines.position(end)),
                ),
                text=new,
            )
        )
        assert open_text.source == text
        assert all(open_text.map.slice(fact.span) == "x" for fact in open_text.facts)
    held = open_text.facts
    assert len(open_text.since(revision)) == len(edits)
    open_text.renew(held, open_text.revision)
    assert open_text.facts == held


def test_of_what_is_unfinished_stays_what_stands_above_all_edits():
    open_text = Text("file:///a.py", source="class A:" + "\n" * 9, position_codec=CODEC)

    def fact(line: int, scope: str, size: int) -> Fact:
        return Fact("binding", scope, "x", Span(line, 0, line, 1), TensorFact((size,)))

    first = tuple(
        fact(line, scope, 1) for line, scope in ((1, "A.forward"), (2, "A.forward"), (5, "A.f"), (6, "B"))
    )
    open_text.renew(first, open_text.revision)
    place = types.Position(3, 0)
    open_text.apply_change(types.TextDocumentContentChangePartial(types.Range(place, place), "#"))
    said = (fact(2, "A.forward", 2), fact(6, "B", 2))
    open_text.renew(said, open_text.revision, unfinished=("A",))
    assert open_text.facts == (*first[:2], said[1])
    open_text.renew(said, open_text.revision)
    assert open_text.facts == said


def test_beside_what_a_short_trace_says_stays_what_it_does_not_contradict():
    open_text = Text("file:///a.py", source="a\n" * 6, position_codec=CODEC)

    def fact(line: int, size: int) -> Fact:
        return Fact("binding", "<module>", "x", Span(line, 0, line, 1), TensorFact((size,)))

    open_text.renew([fact(line, 1) for line in (1, 3, 5, 6)], open_text.revision)
    place = types.Range(types.Position(4, 0), types.Position(4, 1))
    open_text.apply_change(types.TextDocumentContentChangePartial(place, "b"))
    open_text.renew((fact(1, 1), fact(3, 2)), open_text.revision, is_short=True)
    assert open_text.facts == (fact(1, 1), fact(3, 2), fact(6, 1))
    open_text.renew((fact(1, 1),), open_text.revision)
    assert open_text.facts == (fact(1, 1),)


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        (2, ["B 7", "B 8", "f 10"]),
        (3, ["A 2", "B 7", "B 8", "f 10"]),
        (5, ["A 2", "A 3", "f 10"]),
        (7, ["A 2", "A 3", "f 10"]),
        (10, ["A 2", "A 3", "B 7", "B 8"]),
    ],
)
def test_what_is_unfinished_and_was_not_edited_itself_stays(line, stays):
    source = "class A:\n a\n a\n\n@dataclass\nclass B:\n b\n b\ndef f():\n f\n"
    open_text = Text("file:///a.py", source=source, position_codec=CODEC)
    held = tuple(
        Fact("binding", scope, "x", Span(line, 1, line, 2), TensorFact((1,)))
        for line, scope in ((2, "A"), (3, "A.forward"), (7, "B"), (8, "B"), (10, "f"))
    )
    open_text.renew(held, open_text.revision)
    open_text.apply_change(
        types.TextDocumentContentChangePartial(
            types.Range(types.Position(line - 1, 1), types.Position(line - 1, 2)), "z"
        )
    )
    open_text.renew((), open_text.revision, unfinished=("A", "B", "f"))
    assert [f"{fact.scope[0]} {fact.span.line}" for fact in open_text.facts] == stays
