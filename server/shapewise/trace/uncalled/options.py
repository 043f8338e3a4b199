"""What need not be given, and is: each option of a definition, what goes together, and what it cannot do without."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...vocabulary.events import Event
from .case import Case, Option
from .inputs.sizes import Free
from .inputs.specs import Array, Opaque, Plain, arrays_in
from .memory import Worked
from .other_cases import after
from .reading.deciding import (
    decides,
    decides_on,
    hands_on_both,
    is_otherwise_in_use,
    rebinds_on,
    stands_in,
    uses_what_rebinds,
)
from .reading.prepared import preparing
from .reading.reads import needed_by, walked
from .targets import Target, functions_of
from .write import written

if TYPE_CHECKING:
    from ..run import Env


def with_prepared(env: Env, case: Case) -> bool:
    """Run it after another method that gives it what it lacks, and with what else may be given then. Whether it works."""
    if not isinstance(case.target.value, type) or case.method is None or case.stuck is None or case.declined:
        return False
    functions = {
        name: node for name in functions_of(case.target.value) if (node := case.target.node_of(name))
    }
    for first in list(preparing(functions, case.method, str(case.stuck.error)))[:_NEEDED]:
        prepared = after(case, first)
        if written(env, prepared) is not None:
            for option in prepared.again().options():
                written(env, prepared.given([option]))
            return True
    return False


def with_needed(env: Env, case: Case) -> bool:
    """Run it with each option that it may not do without, and with what else may be given then. Whether any works."""
    worked = False
    for number in _may_be_needed(case):
        found = written(env, case.given([case.options()[number]]))
        for at, option in enumerate(case.options() if found is not None else ()):
            belongs = option[0] == "constructor" and option[1] in found.filled  # type: ignore[union-attr]
            if at != number and (belongs or not (worked or case.declined)):
                written(env, case.given([case.options()[number], option]))
        worked |= found is not None
    return worked or _needs_all(env, case) or _one_by_one(env, case)


def _needs_all(env: Env, case: Case) -> bool:
    """Whether it works with every number that the constructor may be given: `assert depth and heads and width`.

    Or with every layer of nobody's that it calls: `encoder=None, decoder=None`.
    """
    kind = Free if case.declined else Opaque
    every = [one for one in case.options() if one[0] == "constructor" and isinstance(one[2], kind)]
    is_likely = case.declined or case.lacks
    return is_likely and len(every) > 1 and written(env, case.given(every)) is not None


def _one_by_one(env: Env, case: Case) -> bool:
    """Whether it works with several of its options: uphill, each is given that lets it come furthest."""
    options = case.options()
    chosen: list[int] = []
    reached, refused = case.reached, "" if case.stuck is None else str(case.stuck.error)
    while case.lacks and len(chosen) < min(_SEVERAL, len(options)) and len(options) <= _OPTIONS:
        best: int | None = None
        found = ""
        for at in range(len(options)):
            if at in chosen:
                continue
            every = case.options()
            given = case.given([every[one] for one in (*chosen, at)])
            if written(env, given) is not None:
                for other in set(range(len(options))) - {*chosen, at}:
                    every = case.options()
                    written(env, case.given([every[one] for one in (*chosen, at, other)]))
                return True
            error = "" if given.stuck is None else str(given.stuck.error)
            if given.reached > reached or (best is None and given.reached == reached and error != refused):
                best, reached, found = at, given.reached, error
        if best is None:
            return False
        chosen.append(best)
        refused = found
    return False


_SEVERAL, _OPTIONS = 3, 12
_NEEDED = 3
"""Options of which one has to be given (`n` or `r`, a `mask` or none at all): so many of a kind are tried."""


def _may_be_needed(case: Case) -> list[int]:
    """Numbers that the constructor cannot do without, else inputs, flags and shares where the file raised or met None."""
    options = list(enumerate(case.options()))
    own = [at for at, one in options if one[0] == "constructor" and isinstance(one[2], Free)]
    if case.declined and own:
        return own[:_NEEDED]
    inputs = [at for at, one in options if one[0] == "inputs" and arrays_in([one[2]])]
    flags = [at for at, one in options if isinstance(one[2], Plain) and type(one[2].value) is bool]
    shares = [at for at, one in options if isinstance(one[2], Plain) and one[2].share]
    more = [*inputs[:_NEEDED], *flags[:_NEEDED], *shares[:_NEEDED]]
    if case.asks_for_more:
        return more
    sized = [at for at in inputs if any(one.startswith(f"{options[at][1][1]}_") for one in case.constructor)]
    return sized[:_NEEDED]  # `global_cond=None` of the call, and `global_cond_dim` that layers are made for


def with_filled(env: Env, target: Target, worked: Worked) -> None:
    """Run a method again with each parameter given that the constructor fills in itself: it need not be what that says."""
    case = settled(env, target, worked)
    for option in case.options() if worked.filled else ():
        if is_filled(option, worked):
            written(env, case.given([option]))


def is_filled(option: Option, worked: Worked) -> bool:
    """Whether an option is a parameter of the constructor that this makes a number where it is not given."""
    return option[0] == "constructor" and option[1] in worked.filled


def settled(env: Env, target: Target, worked: Worked) -> Case:
    """A method that could be run, its inputs with as many dims as they have to have."""
    case = Case(env, target, worked.method, numbers_of(target))
    case.settle(worked.settled)
    case.ways = worked.ways
    return case


def with_options(env: Env, target: Target, methods: tuple[Worked, ...]) -> tuple[Worked, ...]:
    """Run them again with each optional parameter given, each flag the other way, and all that may be given."""
    for worked in methods:
        case = settled(env, target, worked)
        options, tries = case.options(), _Tries(env, case)
        ways = [at for at, (own, name, _) in enumerate(options) if case.selects(name, own)]
        works: list[bool] = []
        for at, option in enumerate(options):
            before = len(env.run.told.events)
            works.append(is_filled(option, worked) or tries.work(at))
            if at not in ways and ways and _tells_elsewhere(env.run.told.events, before):
                for way in ways:
                    tries.work(at, way)
        inputs = [at for at, one in enumerate(options) if one[0] == "inputs" and isinstance(one[2], Array)]
        own = [at for at, one in enumerate(options) if one[0] == "constructor" and isinstance(one[2], Free)]
        for at in range(len(options)):
            if not works[at] and tries.with_what_it_names(at) is None and tries.ask_for_more(at):
                for other in inputs[:_NEEDED]:
                    tries.work(at, other)
            if not works[at] and at in inputs and tries.lacks(at):
                any(tries.work(at, other) for other in own[:_NEEDED] if works[other])
        for chosen in (*_together(case, worked), *_in_place_of_others(case)):
            tries.work(*chosen)
        together = [
            number for number, option in enumerate(options) if not isinstance(option[2], (Plain, Opaque))
        ]
        if not tries.work(*together):
            tries.work(*[number for number in together if works[number]])
        if unknown := [options[at] for at in range(len(options)) if tries.leave_open(at)]:
            in_doubt = settled(env, target, worked)
            in_doubt.untried = unknown
            written(env, in_doubt)
        if any(map(is_otherwise_in_use, target.nodes())):
            used = settled(env, target, worked)
            used.evaluates = True
            written(env, used)
    return methods


def _tells_elsewhere(events: Sequence[Event], before: int) -> bool:
    """Whether what was told since then stands where nothing was told before."""
    known = {(event.span, event.name) for event in events[:before]}
    return any((event.span, event.name) not in known for event in events[before:])


class _Tries:
    """What was given together, by the numbers of the options, each once."""

    def __init__(self, env: Env, case: Case) -> None:
        self._env, self._case = env, case
        self._known: dict[frozenset[int], tuple[Case | None, bool]] = {frozenset(): (None, True)}

    def work(self, *chosen: int) -> bool:
        """Whether it can be run with these."""
        key = frozenset(chosen)
        if key not in self._known:
            every = self._case.options()
            case = self._case.given([every[number] for number in chosen])
            self._known[key] = case, written(self._env, case) is not None
        return self._known[key][1]

    def with_what_it_names(self, number: int) -> list[int] | None:
        """This one with those that the file wants beside it, as it says where it refuses it: None if it names none.

        `raise ValueError("ratio needs n_tokens")`.
        """
        chosen = [number]
        while not self.work(*chosen) and len(chosen) <= _NEEDED:
            named = self._named(chosen)
            if named is None:
                return None
            chosen.append(named)
        return chosen

    def _named(self, chosen: list[int]) -> int | None:
        """Another option that is named in what the file refuses these with."""
        case, _ = self._known[frozenset(chosen)]
        if case is None or case.stuck is None or not case.stuck.raised:
            return None
        words = re.findall(r"\w+", str(case.stuck.error))
        options = enumerate(self._case.options())
        return next((at for at, (_, name, _) in options if name in words and at not in chosen), None)

    def ask_for_more(self, number: int) -> bool:
        """Whether the file refused what this option of the constructor made: it may want an input then."""
        case, worked = self._known.get(frozenset((number,)), (None, True))
        return (
            case is not None
            and not worked
            and case.asks_for_more
            and not case.declined
            and self._is_of_constructor(number)
        )

    def lacks(self, number: int) -> bool:
        """Whether the object has not what this option of the call wants: one of the constructor may make it."""
        case, worked = self._known.get(frozenset((number,)), (None, True))
        return case is not None and not worked and case.lacks

    def leave_open(self, number: int) -> bool:
        """Whether no inputs were found for what the file asks for, and does not refuse: anything may be there.

        It is a field of a config, or a flag that is always given: neither way is the usual one.
        """
        case, worked = self._known.get(frozenset((number,)), (None, True))
        own, name, _ = self._case.options()[number]
        init = self._case.target.node_of("__init__")
        is_open = self._is_of_constructor(number) and ("." in name or name in needed_by(init))
        is_open |= self._case.selects(name, own)
        return is_open and not worked and not (case and case.stuck and case.stuck.raised)

    def _is_of_constructor(self, number: int) -> bool:
        return self._case.options()[number][0] == "constructor"


def _together(case: Case, worked: Worked) -> Iterator[list[int]]:
    """Options that are tried together: those that belong together by their names, and flags with what they decide on.

    `context_dim` of the constructor and `context` of the call; a flag and an input that need not be given, of which
    it decides what is done with it; an input that is bound anew where something else is given, too; a flag, a word or a share (`dropout=0.0`) of the
    constructor and the numbers that it fills in itself, or that are 0 otherwise (`padding=0`).
    """
    options, node = case.options(), case.node
    filled = [at for at, one in enumerate(options) if is_filled(one, worked)]
    numbers = [at for at, one in enumerate(options) if at in filled or _is_zero_else(case, one)]
    for at, (own, name, spec) in enumerate(options):
        is_flag = isinstance(spec, Plain) and type(spec.value) is bool
        if numbers and (is_flag or (isinstance(spec, Plain) and type(spec.value) is str)):
            yield [at, *numbers]
        if filled and isinstance(spec, Plain) and type(spec.value) is float:
            yield [at, *filled]
        for number, (others, other, given) in enumerate(options):
            alike = own == "constructor" and _first_word(name) == _first_word(other)
            decided = isinstance(given, Array) and (
                any(goes(node, name, other) for goes in (decides_on, uses_what_rebinds, hands_on_both))
                if is_flag
                else rebinds_on(node, name, other)
            )
            if others == "inputs" and (alike or decided):
                yield [at, number]


def _in_place_of_others(case: Case) -> Iterator[list[int]]:
    """The inputs of which each is another one where it is not given, together, and with each flag that decides what is done.

    `if key is None: key = query`: one flag's way may take keys of another length than the other's.
    """
    node, options = case.node, list(enumerate(case.options()))
    if node is None:
        return
    together = [at for at, (own, name, _) in options if own == "inputs" and stands_in(node, name)]
    if together:
        yield together
        for at, (own, name, spec) in options:
            if own == "constructor" and isinstance(spec, Plain) and type(spec.value) is bool:
                if decides(node, name):
                    yield [*together, at]


def _first_word(name: str) -> str:
    """What a name begins with, as one of them: `edges_in_dim` and `edge_attr`."""
    return name.split("_")[0].removesuffix("s")


def _is_zero_else(case: Case, option: Option) -> bool:
    """Whether an option is a number of the constructor that is 0 where it is not given."""
    own, name, spec = option
    usual = case.constructor.get(name) if own == "constructor" else None
    return isinstance(spec, Free) and isinstance(usual, Plain) and usual.value == 0


def numbers_of(target: Target) -> set[int]:
    """The integers that the text says itself: no made-up size is one of them."""
    return {
        node.value
        for definition in target.nodes()
        for node in walked(definition)
        if isinstance(node, ast.Constant) and type(node.value) is int
    }
