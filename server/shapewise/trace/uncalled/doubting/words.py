"""Words, shares and factors that the text compares with others: what a function writes down with each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....vocabulary.events import Bound
from ..case import Case
from ..inputs.specs import Plain
from ..other_cases import after
from ..reading.compared import ANOTHER, floats_for, none_anywhere, words_anywhere
from ..running import Recorded
from ..searching.search import OTHER_TRIES, State, search
from ..solve import Solved, in_all_runs, of_runs
from .rounds import first_run

_WORDS = 3
"""Other words of one parameter that are tried."""


def add_words(case: Case, found: Solved) -> None:
    """A word that the text compares with others: each of them, with inputs that fit it, and one that it does not know.

    One that comes by where no other does is a way of its own.
    """
    known = _come_by(found.recorded)
    for at, (own, name, spec, words) in enumerate(_words_of(case)):
        if case.selects(name, own):
            continue
        usual, state = spec.value, State(case)
        others = [one for one in words if one != usual and one is not None][:_WORDS]
        unknown = [ANOTHER] if type(usual) is str else []
        for word in [*others, *([None] if None in words else ()), *unknown]:
            spec.value = word
            recorded = first_run(case)
            if recorded and not (case.has_options or word is None or word == ANOTHER):
                come_by = _come_by(recorded)
                found.ways += [] if come_by <= known else [(own, name, word)]
                known |= come_by
            if not recorded and word != ANOTHER:
                every, is_refused = _of_word(case, at, word)
                if every is not None and every.has_dims != found.has_dims and not case.has_options:
                    found.ways.append((own, name, word))
                elif every is not None:
                    found.elsewise.append(every)
                case.untried += [] if every is not None or is_refused else [(own, name, spec)]
            found.worded += recorded
            state.restore()
        spec.value = usual


def _come_by(recorded: list[Recorded]) -> set[Any]:
    """Where something is bound."""
    return {(event.span, event.name) for one in recorded for event in one.events if isinstance(event, Bound)}


_WAYS: tuple[Callable[[Case], Case], ...] = (
    lambda case: case,
    lambda case: case.again(),
    lambda case: after(case, case.method or ""),
)


def _of_word(case: Case, at: int, word: Any) -> tuple[Solved | None, bool]:
    """All runs with another word; None if no inputs are found, and whether the file refuses it then.

    What fits the usual one need not be what fits this. It may need what the object only has after the usual one:
    `mode="denorm"`.
    """
    is_refused = False
    for begins in _WAYS:
        one = begins(case)
        if one is not case:
            one.until = case.until
            _words_of(one)[at][2].value = word
        stuck = search(one, [4 * OTHER_TRIES])
        if stuck is None and (every := in_all_runs(one)) is not None:
            return of_runs(one, every), False
        is_refused |= stuck is not None and stuck[0].raised
        is_lacking = stuck is not None and "object has no attribute" in str(stuck[0].error)
        if one is not case and not (is_lacking and case.method and case.first is None):
            break
    return None, is_refused


def _words_of(case: Case) -> list[tuple[str, str, Plain, list[Any]]]:
    """The words that are given by default (as options are told), and those that the text compares each with; None where it asks for that.

    Of a share or a factor that it compares with a number, what is otherwise: less, more, or just that.
    """
    around = case.around()
    found: list[tuple[str, str, Plain, list[Any]]] = []
    for own, function in (("constructor", "__init__"), ("inputs", case.method)):
        node = case.target.node_of(function)
        for name, spec in getattr(case, own).items() if node is not None else ():
            if isinstance(spec, Plain) and type(spec.value) is float:
                others = floats_for(node, name, spec.value)
                found += [(own, name, spec, others)] if others else []
            if isinstance(spec, Plain) and type(spec.value) is str:
                words: list[Any] = [*words_anywhere(node, name, around)]
                words += [None] if none_anywhere(node, name, around) else []
                found += [(own, name, spec, words)] if words else []
    return found
