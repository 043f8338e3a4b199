"""Facts that are moved once somebody looks at them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shapewise.vocabulary.facts import Fact, TensorFact
from shapewise.vocabulary.placed import Placed
from shapewise.vocabulary.span import Span


def at(line: int, end_line: int | None = None) -> Fact:
    return Fact("binding", "f", "x", Span(line, 0, end_line or line, 1), TensorFact((line,)))


def lines(facts: Placed) -> list[int]:
    return [fact.span.line for fact in facts]


def test_each_is_where_it_was_moved_to_and_says_what_it_said() -> None:
    facts = Placed([at(1), at(2), at(7, 8)], (0, 3, 3))
    assert lines(facts) == [1, 5, 10]
    assert facts[-1].span == Span(10, 0, 11, 1) and facts[-1].value == TensorFact((7,))
    assert facts[1] is facts[1]
    assert lines(Placed.of(facts[1:])) == [5, 10]


def test_the_same_places_are_the_same_facts_however_they_came_there() -> None:
    there = Placed([at(1), at(2)], (0, 3))
    assert there == (at(1), at(2).__class__("binding", "f", "x", Span(5, 0, 5, 1), TensorFact((2,))))
    assert there == Placed([at(1), at(2)]).edited(2, 1, 3, lambda fact: fact)
    assert there != Placed([at(1), at(2)])
    assert there != (at(1),)


def test_only_what_stands_on_the_lines_is_asked_for() -> None:
    facts = Placed([at(1, 6), at(2), at(3), at(9)], (0, 0, 2, 2))
    assert [fact.span.line for fact in facts.between(5, 8)] == [1, 5]
    assert list(facts.between(20, 30)) == []


@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(0, 3)), max_size=20),
    st.integers(1, 40),
    st.integers(0, 3),
    st.integers(-3, 5),
)
def test_an_edit_moves_what_begins_below_it_and_asks_of_what_it_reaches(
    places: list[tuple[int, int]], first: int, rows: int, down: int
) -> None:
    facts = [at(line, line + more) for line, more in sorted(places)]
    last = first + rows
    asked: list[Fact] = []
    edited = Placed(facts).edited(first, last, down, lambda fact: asked.append(fact))
    above = [fact.span.line for fact in facts if fact.span.end_line < first]
    below = [fact.span.line + down for fact in facts if fact.span.line > last]
    assert lines(edited) == above + below
    assert len(asked) == len(facts) - len(above) - len(below)
