"""Functions and classes that nothing in the file calls, run on made-up inputs.

    targets   what has not run
    usage     what the text of a function says of its parameters, `said` what it states of their shapes
    specs     what is made up for them, `sizes` which numbers
    handed_in what a constructor is handed of the file's own
    case      one of them to be run, with its constructor
    attempt   one run, until the first thing that does not fit; `made` how torch makes sizes of others
    demands   what that asks for (`asked`: by torch's functions; `of_python`: by Python; `equal`: which of two sizes
              gives way, `paired`: and which of two sums of two)
    search    the way to inputs that all runs take
    solve     what the runs then write down
    untried   what may be otherwise where an option is given that was not tried
    refusal   a call that torch refuses whatever is given, where nothing was found (`ending`: where it stands)
    vary      what would be otherwise: with other ranks, dtypes, layouts, one more round of a loop (`decided`: where
              another of two numbers is the larger, where a dim is one)
    covering  what holds for all of these
    coincidence sizes that are equal only in what was tried
    naming    the runs put together: each size a row of numbers, each row a name or an expression (`bound`: by what)
    tried     the inputs as text, so that a real run can be given the same
    memory    what was found out of a definition, until it changes; `definitions`: what that depends on

What is assumed this way is marked (`Frame.assumed`), and a finding only where torch refuses it whatever is given.
"""

from __future__ import annotations

import ast
import functools
import time
import types
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...vocabulary.events import UNFINISHED, Event, Frame, Op, Value
from ..control import BudgetExhausted
from . import memory
from .bound import with_numbers_of
from .case import Case, Option, budget
from .definitions import Definitions
from .naming import named
from .reads import decides_on
from .refusal import refused
from .sizes import Free
from .solve import Solved, solved
from .specs import Array, Opaque, Plain
from .targets import Target, scopes_run, targets
from .tried import tried
from .untried import without_untried
from .vary import vary

if TYPE_CHECKING:
    from ..run import Env

_Methods = tuple[memory.Worked, ...]
_Cut = dict[tuple[str, str], tuple[Target, _Methods | None]]
"""What is not done, by its name and step: what could be run so far, None if not all was."""


def run_uncalled(env: Env) -> None:
    """At the end of the file: run what has not run, first as it is, then with what else may be given.

    The other methods of layers come after every `forward`.
    """
    module = env.module
    env.run.recorder.weights.is_closed = True
    text = functools.cache(lambda: Definitions(module.text, module.broken, env.run.modules.sources.state))
    cut: _Cut = {}
    with env.run.spending(budget(env.run.patience)):
        try:
            for others, suffix in ((False, ""), (True, " beside forward")):
                step = functools.partial(_as_it_is, others=others)
                last: list[tuple[Target, _Methods]] = []
                for one in targets(env):
                    if not others or one.has_forward:
                        cut[one.name, suffix] = one, None
                        methods = _remembered(env, text(), one, suffix, step)
                        if methods is not None:
                            cut[one.name, suffix] = one, methods
                            last.append((one, methods))
                        if one.used:  # it takes less, and more hangs on it
                            _optional(env, text(), last, suffix, cut)
                        if env.run.glimpses is not None:
                            env.run.glimpses.look(env.run)
                _optional(env, text(), last, suffix, cut)
        except BudgetExhausted:
            env.run.recorder.note(UNFINISHED)
        finally:
            _open(env, cut)
            env.run.assumed[:] = _with_own_numbers(env)


def _optional(
    env: Env,
    text: Definitions,
    waiting: list[tuple[Target, _Methods]],
    suffix: str,
    cut: _Cut,
) -> None:
    """Run what waits for it with what else may be given; what is done is `cut` off no more."""
    while waiting:
        target, methods = waiting.pop(0)
        options = functools.partial(_with_options, methods=methods)
        if _remembered(env, text, target, f"{suffix} with options", options) is not None:
            del cut[target.name, suffix]


def _remembered(
    env: Env, text: Definitions, target: Target, suffix: str, step: Callable[[Env, Target], _Methods]
) -> _Methods | None:
    """What a step wrote down when last all that it depends on was the same, else what it does now. None if it was cut off."""
    recorder, file, name = env.run.recorder, env.module.file, target.name + suffix
    recorder.leave_room()  # what comes behind one that is edited keeps its numbers
    count, before = memory.Count.of(recorder), len(env.run.assumed)
    key = text.key(target.name)
    found = memory.get(file, name, key, text, recorder) if target.instance is None else None
    if found is not None:
        _keep(env, target, found.frames, found.events)
        return found.methods
    methods: _Methods | None = None
    started = time.thread_time()
    try:
        methods = step(env, target)
    except BudgetExhausted:
        if time.thread_time() - started < _LONG:
            raise  # it came late: it has its turn in the next trace
        memory.put(file, name, _entry(env, key, count, before, text, methods))
        raise
    memory.put(file, name, _entry(env, key, count, before, text, methods))
    return methods


def _open(env: Env, cut: _Cut) -> None:
    """Of what was cut off not all options were tried: what may be otherwise with others is not known."""
    assumed, tried_for = env.run.assumed, env.run.tried
    places: dict[str | None, list[int]] = defaultdict(list)
    for at, event in enumerate(assumed) if cut else ():
        places[tried_for.get(event.frame)].append(at)
    for target, methods in cut.values():
        own = places[target.name]
        every: list[str | None] = [*target.methods] or [None]
        options = {
            one.method: [
                option for option in _settled(env, target, one).options() if not _is_filled(option, one)
            ]
            for one in (methods or [memory.Worked(method, {}) for method in every] if own else ())
        }
        if any(options.values()):
            events = [assumed[at] for at in own]
            frames, names = env.run.recorder.frames, set(tried_for.values())
            for at, event in zip(own, without_untried(events, frames, target, options, names)):
                assumed[at] = event


_LONG = 1.0
"""Seconds after which a definition is given up until it changes: at the next keystroke it would take as long."""


def _entry(
    env: Env, key: Any, count: memory.Count, before: int, text: Definitions, methods: _Methods | None
) -> memory.Entry:
    recorder = env.run.recorder
    frames, events = tuple(recorder.frames[count.frames :]), tuple(env.run.assumed[before:])
    return memory.Entry(key, count, memory.Count.of(recorder), text.extents, frames, events, methods)


def _as_it_is(env: Env, target: Target, others: bool) -> _Methods:
    """Run a function, or a class with its methods; of a layer `forward`, or the `others`. Returns those that could be run."""
    methods: list[str | None] = (
        [*target.methods] if isinstance(target.value, type) and target.methods else [None]
    )
    if target.has_forward and "forward" in methods:
        methods = [method for method in methods if (method == "forward") != others]
    elif target.has_forward and not others:
        return ()
    worked: list[memory.Worked] = []
    for method in methods:
        scope = target.name if method is None else f"{target.name}.{method}"
        if method is None or scope not in scopes_run(env.run, env.module.file):
            case = Case(env, target, method, _numbers(target))
            found = _written(env, case)
            if found is None and case.declined:
                for number in _of_numbers(case.options())[:_NEEDED]:
                    needed = case.options()[number]
                    also = _written(env, case.given([needed]))
                    for at, option in enumerate(case.options() if also is not None else ()):
                        if option[0] == "constructor" and option[1] in also.filled and at != number:  # type: ignore[union-attr]
                            _written(env, case.given([case.options()[number], option]))
            if found is None:
                _refused(env, case)
            if found is not None:
                worked.append(memory.Worked(method, found.settled, found.filled))
                _filled(env, target, worked[-1])
    return tuple(worked)


_NEEDED = 3
"""Options of which one has to be given (`n` or `r`): so many are tried where it cannot be made without."""


def _of_numbers(options: list[Option]) -> list[int]:
    return [at for at, one in enumerate(options) if one[0] == "constructor" and isinstance(one[2], Free)]


def _filled(env: Env, target: Target, worked: memory.Worked) -> None:
    """Run a method again with each parameter given that the constructor fills in itself: it need not be what that says."""
    case = _settled(env, target, worked)
    for option in case.options() if worked.filled else ():
        if _is_filled(option, worked):
            _written(env, case.given([option]))


def _is_filled(option: Option, worked: memory.Worked) -> bool:
    return option[0] == "constructor" and option[1] in worked.filled


def _settled(env: Env, target: Target, worked: memory.Worked) -> Case:
    case = Case(env, target, worked.method, _numbers(target))
    case.settle(worked.settled)
    return case


def _with_options(env: Env, target: Target, methods: _Methods) -> _Methods:
    """Run them again with each optional parameter given, each flag the other way, and all that may be given."""
    for worked in methods:
        case = _settled(env, target, worked)
        options = case.options()
        works = [
            _is_filled(option, worked) or _written(env, case.given([option])) is not None
            for option in options
        ]
        for chosen in _together(case, worked):
            every = case.options()
            _written(env, case.given([every[number] for number in chosen]))
        together = [
            number for number, option in enumerate(options) if not isinstance(option[2], (Plain, Opaque))
        ]
        if len(together) > 1:
            every = case.options()
            if _written(env, case.given([every[number] for number in together])) is None:
                _written(env, case.given([every[number] for number in together if works[number]]))
    return methods


def _together(case: Case, worked: memory.Worked) -> Iterator[list[int]]:
    """Options that are tried together: those that belong together by their names, and flags with what they decide on.

    `context_dim` of the constructor and `context` of the call; a flag and an input that need not be given, of which
    it decides what is done with it; a flag of the constructor and the numbers that it fills in itself.
    """
    options, node = case.options(), case.node
    filled = [number for number, one in enumerate(options) if _is_filled(one, worked)]
    for at, (own, name, spec) in enumerate(options):
        is_flag = isinstance(spec, Plain) and type(spec.value) is bool
        if is_flag and own == "constructor" and filled:
            yield [at, *filled]
        for number, (others, other, given) in enumerate(options):
            alike = own == "constructor" and name.split("_")[0] == other.split("_")[0]
            decided = is_flag and isinstance(given, Array) and decides_on(node, name, other)
            if others == "inputs" and (alike or decided):
                yield [at, number]


def _written(env: Env, case: Case, like: dict[Any, Value] | None = None) -> Solved | None:
    """Solve a case and write down what happens; None if there is nothing that can be said.

    What the file holds is afterwards as it was. `like`: what was said where two parameters differ that the
    code compares; here they are equal.
    """
    journal = env.run.journal
    segment = journal.open()
    try:
        found = solved(case)
        if (found is None or case.overruled) and (loosely := case.loosely()) is not None:
            other = solved(loosely)
            if other is not None and (found is None or not loosely.overruled):
                case, found = loosely, other
        if found is not None and case.gave_up:
            found = None
        if found is not None:
            vary(case, found)
    finally:
        journal.close(segment)
        segment.undo()
    if found is not None:
        found.like = like or {}
        frames, events, said = named(found)
        events = _by_itself(env, case, frames, events)
        whole = [replace(frames[0], tried=tried(case)), *frames[1:]] if frames else frames
        _keep(env, case.target, whole, events)
        for pair in found.recorded[0].unlike[:_PAIRS] if like is None else ():
            where_equal = case.where_equal(*pair)
            if where_equal is not None:
                _written(env, where_equal, said)
    return found


def _refused(env: Env, case: Case) -> None:
    """Write down what happens until torch refuses a case that nothing was found for, if it does whatever is given."""
    journal = env.run.journal
    segment = journal.open()
    try:
        found = refused(case)
    finally:
        journal.close(segment)
        segment.undo()
    if found is not None:
        frames, events, _ = named(found)
        ended: set[int | None] = {event.frame for event in events if isinstance(event, Op) and event.failure}
        for at in reversed(range(len(frames))):
            if frames[at].id in ended:
                ended.add(frames[at].parent)
                frames[at] = replace(frames[at], abandoned=True)
        _keep(env, case.target, frames, events)


_PAIRS = 2
"""Parameters that the code compares: so many pairs of them are tried as equal, too."""


def _by_itself(env: Env, case: Case, frames: list[Frame], events: list[Event]) -> list[Event]:
    """What a method beside `forward` tells: nothing of what it calls that has been tried by itself."""
    if case.method in (None, "forward") or not case.target.has_forward:
        return events
    ran = scopes_run(env.run, env.module.file)
    tried_before = {frame.id for frame in frames[1:] if frame.scope in ran and frame.scope != case.scope}
    return [event for event in events if event.frame not in tried_before]


def _with_own_numbers(env: Env) -> list[Event]:
    """What was tried; of a definition that only ran where another uses it, without numbers that others need not give it."""
    frames, tried_for = env.run.recorder.frames, env.run.tried

    def is_own(event: Event) -> bool:
        return tried_for.get(event.frame) == frames[event.frame].scope.partition(".")[0]

    def place(event: Event) -> Any:
        return type(event), event.span, event.name, frames[event.frame].file

    @functools.cache
    def literals(definition: str) -> frozenset[int]:
        value = env.names.get(definition)
        return _literals(value) if isinstance(value, (type, types.FunctionType)) else frozenset()

    own = {place(event) for event in env.run.assumed if is_own(event)}
    found: list[Event] = []
    for event in env.run.assumed:
        definition = frames[event.frame].scope.partition(".")[0]
        if is_own(event) or place(event) in own or frames[event.frame].file != env.module.file:
            found.append(event)
        else:
            found.append(with_numbers_of(event, literals(definition)))
    return found


def _literals(value: Any) -> frozenset[int]:
    """The integers that a definition says itself, in what it does and not for its parameters."""
    bodies = [one for node in Target("", value).nodes() for one in node.body]
    found = {
        one.value
        for body in bodies
        for one in ast.walk(body)
        if isinstance(one, ast.Constant) and type(one.value) is int
    }
    makes_ones = any(
        (isinstance(one, ast.keyword) and one.arg in ("keepdim", "keepdims"))
        or (isinstance(one, ast.Attribute) and one.attr.startswith("unsqueeze"))
        or (
            isinstance(one, ast.Constant)
            and (one.value is None or "1" in str(one.value) or "()" in str(one.value))
        )
        for body in bodies
        for one in ast.walk(body)
    )
    return frozenset(found | ({1} if makes_ones else set()))


def _keep(env: Env, target: Target, frames: list[Frame], events: list[Event]) -> None:
    recorder = env.run.recorder
    env.run.tried.update((frame.id, target.name) for frame in frames)
    recorder.frames.extend(frames)
    recorder.quiet.extend(frame.installed for frame in frames)
    env.run.assumed.extend(events)


def _numbers(target: Target) -> set[int]:
    """The integers that the text says itself: no made-up size is one of them."""
    return {
        node.value
        for definition in target.nodes()
        for node in ast.walk(definition)
        if isinstance(node, ast.Constant) and type(node.value) is int
    }
