"""Inputs that a target takes: made up, tried, changed as the refusals ask, tried again."""

from __future__ import annotations

import inspect
import re
import time
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ...vocabulary.events import Event, Frame
from .. import worlds
from ..control import Budget, BudgetExhausted
from ..own import NODES, interpreted_class, is_interpreted
from ..unknown import Lost, Unknown
from . import usage
from .attempt import Attempt, Stopped, Trouble
from .demands import Refiner
from .sizes import RUNS, Free, Sizes
from .specs import Array, Bundle, Spec, arrays_in, key_of, realized
from .targets import Target, functions_of

if TYPE_CHECKING:
    from ..run import Env

_SECONDS = 1.5
"""Of this thread's time, for one function: there are others."""
_HOPELESS = re.compile(r"missing \d+ required|unexpected keyword argument")
_OTHER_TRIES = 8
_TRIES = 120
"""Changes to the inputs of one function."""


@dataclass
class Recorded:
    """What one run wrote down. `selves`: by frame, the object whose method ran."""

    frames: list[Frame]
    events: list[Event]
    selves: dict[int, Any]
    decisions: dict[Any, list[Any]] = field(default_factory=dict)


@dataclass
class Solved:
    """Inputs that a call takes in all runs, and what was written down in each."""

    recorded: list[Recorded]
    arrays: dict[str, Array]
    sizes: Sizes
    otherwise: list[Recorded] = field(default_factory=list)
    """The first run with other ranks, where those work too."""


Option = tuple[str, str, Spec]
"""What may be given: `constructor` or `inputs`, the name of the parameter, and what for it."""


class _Budget(Budget):
    """Of all that is made up in one trace."""

    MAX_STEPS = 400_000
    MAX_OPS = 60_000
    MAX_CALLS = 60_000
    MAX_SECONDS = 6.0


def budget(seconds: float | None) -> Budget:
    """A new one, standing still. `seconds` of this thread's time, if it is said how many."""
    made = _Budget(None if seconds is None else time.thread_time() + seconds)
    made.stop()
    return made


class Case:
    """One function or method to be run: with its constructor, if it has one."""

    def __init__(self, env: Env, target: Target, method: str | None, taken: set[int]) -> None:
        self.env = env
        self.target = target
        self.method = method
        self.taken = taken
        self.sizes = Sizes(taken)
        self.constructor: dict[str, Spec] = self._constructor_specs()
        self.inputs: dict[str, Spec] = self._input_specs()
        self.until = 0.0
        """When to give up, in this thread's time."""
        self._kept: tuple[Any, Any, Any] | None = None
        """The last object that was made: of what, and what was found out on the way."""

    def options(self) -> list[Option]:
        """What else may be given: for the constructor or the call, by name."""
        around = self.target.nodes()
        found = []
        for own, function in (("constructor", "__init__"), ("inputs", self.method)):
            node = self._node(function)
            if node is not None:
                module = self.method == "forward" and own == "inputs"
                options = usage.options(node, getattr(self, own), module, own == "constructor", around)
                found += [(own, name, spec) for name, spec in options.items()]
        return found

    def given(self, options: list[Option]) -> Case:
        """The same, with these given."""
        case = Case(self.env, self.target, self.method, self.taken)
        for own, name, spec in options:
            getattr(case, own)[name] = spec
        return case

    def _node(self, name: str | None) -> Any:
        cls = self.target.value
        function = functions_of(cls).get(name or "") if isinstance(cls, type) else cls
        return NODES.get(id(function))

    @property
    def scope(self) -> str:
        """The dotted path of what is to be run."""
        return self.target.name if self.method is None else f"{self.target.name}.{self.method}"

    def _constructor_specs(self) -> dict[str, Spec]:
        cls = self.target.value
        if not isinstance(cls, type) or self.target.instance is not None:
            return {}
        init = functions_of(cls).get("__init__")
        if init is None or id(init) not in NODES:
            return {}
        made = usage.of_constructor(NODES[id(init)], inspect.signature(init), self.target.nodes())
        for spec in made.values():
            if isinstance(spec, Bundle):
                self._fill(spec)
        return made

    def _fill(self, bundle: Bundle) -> None:
        """A config of the file's own that has the fields that are read: with its defaults."""
        for cls in self.env.names.values():
            if not isinstance(cls, type) or not is_interpreted(cls) or cls is self.target.value:
                continue
            given = {**getattr(cls, "__annotations__", {}), **vars(cls)}
            if bundle.fields and all(name in given for name in bundle.fields):
                fields = getattr(cls, "__dataclass_fields__", None)
                for name in fields if fields is not None else vars(cls):
                    default = vars(cls).get(name, inspect.Parameter.empty)
                    if name.startswith("__") or callable(default) and default is not inspect.Parameter.empty:
                        continue
                    bundle.fields[name] = (
                        usage.of_field(name)
                        if default is inspect.Parameter.empty
                        else usage.of_default(name, default)
                    )
                return

    def _input_specs(self) -> dict[str, Spec]:
        cls = self.target.value
        if not isinstance(cls, type):
            function, method, module = cls, False, False
        elif self.method is None:
            return {}
        else:
            function = functions_of(cls).get(self.method)
            if function is None:
                return {}
            raw = inspect.getattr_static(cls, self.method)
            method = not isinstance(raw, staticmethod)
            module = self.method == "forward" and issubclass(cls, nn.Module)
        node = NODES.get(id(function))
        if node is None:
            return {}
        return usage.of_parameters(node, inspect.signature(function), method, module, self.target.nodes())

    # ------------------------------------------------------------ running

    def run(self, number: int) -> None:
        """Run it once. Raises Stopped at what does not fit."""
        values = {
            name: realized(spec, self.sizes, number, self._bundle) for name, spec in self.inputs.items()
        }
        cls = self.target.value
        if not isinstance(cls, type):
            self._called(cls, values)
            return
        made = self.target.instance
        if made is None:
            made = self._made(cls, number)
        if self.method is None or isinstance(made, Unknown):
            return
        function = (
            made if self.method == "forward" and isinstance(made, nn.Module) else getattr(made, self.method)
        )
        self._called(function, values)

    def _made(self, cls: Any, number: int) -> Any:
        """The object; while inputs are searched for, the one of the last run if it was made of the same."""
        attempt = self.env.run.attempt
        assert attempt is not None
        searching = self.env.run.recorder.mute
        key = tuple(key_of(spec, self.sizes, number) for spec in self.constructor.values())
        if searching and self._kept is not None and self._kept[0] == key:
            attempt.go_on_from(self._kept[2])
            return self._kept[1]
        made = self._called(
            cls, {n: realized(s, self.sizes, number, self._bundle) for n, s in self.constructor.items()}
        )
        if searching:
            self._kept = (key, made, attempt.so_far())
        return made

    def _called(self, function: Any, values: dict[str, Any]) -> Any:
        try:
            return function(**values)
        except (BudgetExhausted, Stopped):
            raise
        except Lost as lost:
            return Unknown(lost.why)
        except Exception as error:
            attempt = self.env.run.attempt
            assert attempt is not None
            trouble = Trouble(error, compared=attempt.compared)
            raise Stopped(trouble) from None

    def _bundle(self, cls: Any, fields: dict[str, Any]) -> Any:
        return cls(**fields)

    def specs(self) -> list[Spec]:
        """All that can be changed."""
        return [*self.constructor.values(), *self.inputs.values()]


@contextmanager
def _set_up(env: Env, attempt: Attempt, number: int, integers: bool) -> Iterator[None]:
    """The trace is on made-up inputs."""
    run = env.run
    recorder, world = run.recorder, worlds.here()
    worlds.enter(worlds.World(worlds.OF_RUNS[number]))
    worlds.here().used = True  # so that decisions are written down
    before = (run.attempt, run.guard.run, recorder.integers, recorder.mute, run.site, run.decisions)
    run.attempt, run.guard.run, recorder.integers, recorder.mute = attempt, run, integers, not integers
    run.decisions = {}
    training = torch.is_grad_enabled()
    try:
        yield
    finally:
        run.attempt, run.guard.run, recorder.integers, recorder.mute, run.site, run.decisions = before
        torch.set_grad_enabled(training)
        worlds.enter(world)


def attempted(case: Case, number: int, keep: bool) -> tuple[Attempt, Trouble | None, Recorded | None]:
    """One run: what was in the way, or what was written down."""
    run = case.env.run
    attempt = Attempt(case.sizes, number)
    frames, events = len(run.recorder.frames), len(run.recorder.events)
    trouble: Trouble | None = None
    decisions: dict[Any, list[Any]] = {}
    with _set_up(case.env, attempt, number, keep):
        try:
            case.run(number)
        except Stopped as stopped:
            trouble = stopped.trouble
        except BudgetExhausted:
            raise
        except Exception as error:  # sizes that cannot be
            trouble = Trouble(error)
        finally:
            decisions = run.decisions
            del run.frames[1:]
            taken = run.recorder.cut(frames, events)
    if trouble is not None or not keep:
        return attempt, trouble, None
    return attempt, None, Recorded(*taken, attempt.selves, decisions)


def solved(case: Case) -> Solved | None:
    """Inputs that work in every run, None if none were found. Raises BudgetExhausted."""
    case.until = time.thread_time() + _SECONDS
    if not _search(case, [_TRIES]):
        return None
    _loosen(case)
    _widen(case)
    undecided: set[Any] = set()
    for _ in range(2):
        recorded: list[Recorded] = []
        before, case.env.run.undecided = case.env.run.undecided, case.env.run.undecided | undecided
        try:
            for number in range(RUNS):
                _, _, found = attempted(case, number, keep=True)
                if found is None:
                    return None
                recorded.append(found)
        finally:
            case.env.run.undecided = before
        differing = {
            at
            for other in recorded[1:]
            for at, outcomes in recorded[0].decisions.items()
            if any(mine != theirs for mine, theirs in zip(outcomes, other.decisions.get(at, ())))
        }
        if not differing:
            break
        undecided |= differing
    arrays = {name: spec for name, spec in case.inputs.items() if isinstance(spec, Array)}
    return Solved(recorded, arrays, case.sizes)


def _search(case: Case, left: list[int]) -> bool:
    """Change the inputs until every run takes them: uphill, with `left` tries. A change counts if it comes further."""
    stuck = _climb(case, left)
    while stuck is not None:
        for change in list(Refiner(*stuck[:2], [case.constructor, case.inputs]).ranks()):
            state = State(case)
            if left[0] > 0 and change():
                reached = _climb(case, left)
                if reached is None:
                    return True
                if _height(reached) > _height(stuck):
                    stuck = reached
                    break
            state.restore()
        else:
            return False
    return True


_Stuck = tuple[Trouble, Attempt, int]
"""What is in the way, in which run."""


def _height(stuck: _Stuck) -> tuple[int, int]:
    return stuck[2], stuck[1].progress


def _climb(case: Case, left: list[int], narrow: bool = False) -> _Stuck | None:
    """Make changes that help at once, as long as there are any. None if all runs work.

    `narrow`: none but that dims which nothing names are equal.
    """
    number = 0
    attempt, trouble = _tried(case, number, left)
    if trouble is not None and _HOPELESS.search(str(trouble.error)):
        left[0] = 0
    while True:
        while trouble is None:
            number += 1
            if number == RUNS:
                return None
            attempt, trouble = _tried(case, number, left)
        if left[0] <= 0:
            return trouble, attempt, number
        better = _step_up(case, left, trouble, attempt, number, narrow)
        if better is None:
            return trouble, attempt, number
        attempt, trouble = better
        if number:  # what was changed has to do for the runs before, too
            number = 0
            attempt, trouble = _tried(case, number, left)


def _step_up(
    case: Case, left: list[int], trouble: Trouble, attempt: Attempt, number: int, narrow: bool
) -> tuple[Attempt, Trouble | None] | None:
    """The first change with which the run comes further, or stops there for another reason."""
    state = State(case)
    refiner = Refiner(trouble, attempt, [case.constructor, case.inputs])
    level: Callable[[], bool] | None = None
    for change in refiner.changes():
        if narrow:
            change = _only_dims(state, change)
        found = _changed(case, left, state, change, attempt, trouble, number)
        if found is None:
            continue
        again, worse = found
        if worse is None or again.progress > attempt.progress:
            return found
        level = level or change
        state.restore()
    if level is not None and left[0] > 0 and level():
        return _tried(case, number, left)
    if narrow:
        return None
    for change in (_pins(case) if number else []) + list(refiner.guesses()):
        found = _changed(case, left, state, change, attempt, trouble, number)
        if found is not None and (found[1] is None or found[0].progress > attempt.progress):
            return found
        state.restore()
    return None


def _only_dims(state: State, change: Callable[[], bool]) -> Callable[[], bool]:
    """A change that is made only if it does no more than say that two dims are equal."""

    def made() -> bool:
        if not change():
            return False
        if state.only_dims_bound():
            return True
        state.restore()
        return False

    return made


def _changed(
    case: Case,
    left: list[int],
    state: State,
    change: Callable[[], bool],
    attempt: Attempt,
    trouble: Trouble,
    number: int,
) -> tuple[Attempt, Trouble | None] | None:
    """What a change leads to, if not to less, nor to the very same refusal; else it is undone."""
    if left[0] > 0 and change():
        again, worse = _tried(case, number, left)
        if worse is None or again.progress > attempt.progress:
            return again, worse
        if again.progress == attempt.progress and str(worse.error) != str(trouble.error):
            return again, worse
    state.restore()
    return None


def _tried(case: Case, number: int, left: list[int]) -> tuple[Attempt, Trouble | None]:
    """One try; numbers that turn out to count something are made small, and it is tried again."""
    while True:
        left[0] = 0 if time.thread_time() > case.until else left[0] - 1
        attempt, trouble, _ = attempted(case, number, keep=False)
        small = [
            free for free in case.sizes.all() if _is_one_of(free, attempt, attempt.counted) and not free.small
        ]
        known = {free.rounds for free in case.sizes.all() if free.rounds}
        looped = [
            free
            for free in case.sizes.all()
            if _is_one_of(free, attempt, attempt.rounds - known)
            and (not free.small or _is_looped(case, free, number))
        ]
        if not small and not looped:
            return attempt, trouble
        for free in small:
            free.small = True
        for free in looped:
            free.rounds = min(free.default or _ROUNDS, _MANY)


class State:
    """The inputs of a case as they are now."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.constructor, self.inputs = dict(case.constructor), dict(case.inputs)
        self.bundles = [(spec, dict(spec.fields)) for spec in case.specs() if isinstance(spec, Bundle)]
        self.order = case.sizes.order()
        self.frees = [(free, replace(free, multiples=list(free.multiples))) for free in case.sizes.all()]
        self.arrays = [(array, replace(array, ranks=list(array.ranks))) for array in arrays_in(case.specs())]

    def only_dims_bound(self) -> bool:
        """Whether nothing has changed but that dims without a name equal others of those."""
        for free, was in self.frees:
            if {**free.__dict__, "equals": None} != {**was.__dict__, "equals": None}:
                return False
            if free.equals is not was.equals and not (
                free.label is None and isinstance(free.equals, Free) and free.equals.label is None
            ):
                return False
        return all((array.dims, array.dtype) == (then.dims, then.dtype) for array, then in self.arrays)

    def restore(self) -> None:
        """Make them so again."""
        case = self.case
        case.constructor.clear()
        case.constructor.update(self.constructor)
        case.inputs.clear()
        case.inputs.update(self.inputs)
        for bundle, fields in self.bundles:
            bundle.fields = dict(fields)
        case.sizes.put_order(self.order)
        for free, was in self.frees:
            free.__dict__.update(was.__dict__, multiples=list(was.multiples))
        for array, then in self.arrays:
            array.__dict__.update(then.__dict__, ranks=list(then.ranks))


def _widen(case: Case) -> None:
    """A picture's size that was found to work: others that do are its values in the other runs."""
    chosen = [free for free in case.sizes.all() if free.choices and free.equals is None]
    if not chosen:
        return
    size = chosen[0].choices[0]
    works = [size]
    for other in (size + 1, size + 2, size + 3, size - 1, size - 2, size - 3):
        for free in chosen:
            free.choices = (other,)
        if attempted(case, 0, keep=False)[1] is None:
            works.append(other)
    for free in chosen:
        free.choices = tuple(works)
    if any(attempted(case, number, keep=False)[1] is not None for number in range(RUNS)):
        for free in chosen:  # only equal ones go together
            free.choices = (size,)


def _loosen(case: Case) -> None:
    """Undo each change that nothing needs: a refusal may have been understood wrongly."""
    for free in case.sizes.all():
        equals = free.equals
        if equals is None:
            continue
        free.equals = None
        if any(attempted(case, number, keep=False)[1] is not None for number in (0, 1)):
            free.equals = equals
    for free in case.sizes.all():
        choices = free.choices
        if choices and free.equals is None:
            free.choices, free.least = (), 256
            if any(attempted(case, number, keep=False)[1] is not None for number in (0, 1)):
                free.choices = choices


_ROUNDS = 2
_UNLIKELY = 13
_MANY = 8
"""Rounds of a loop over a parameter: more show nothing new."""


def _is_looped(case: Case, free: Free, number: int) -> bool:
    """Whether a loop follows a number that others have too."""
    free.rounds = _UNLIKELY
    attempt = attempted(case, number, keep=False)[0]
    free.rounds = 0
    return _UNLIKELY in attempt.rounds


def _is_one_of(free: Free, attempt: Attempt, numbers: set[int]) -> bool:
    """Whether a parameter that nobody has given is one of these numbers, and not another by chance."""
    return (
        free.label is not None
        and free.equals is None
        and not free.rounds
        and attempt.sizes.value(free, attempt.run) in numbers
    )


def _pins(case: Case) -> list[Callable[[], bool]]:
    """Other values of what has a default may not fit: one of them stays as it is, or all the small ones."""
    defaults = [f for f in case.sizes.all() if f.default is not None and not f.pinned and f.equals is None]
    small = [free for free in defaults if free.small]

    def pin(chosen: list[Free]) -> bool:
        for free in chosen:
            free.pinned = True
        return bool(chosen)

    ways = [[free] for free in small] + [small] + [[free] for free in defaults if not free.small]
    return [lambda way=way: pin(way) for way in ways]  # type: ignore[misc]


def otherwise(case: Case, arrays: dict[str, Array]) -> list[Recorded]:
    """What the first run writes down where something is otherwise that nothing settles.

    Loops over a parameter go round once more, inputs are integers, or have more dims or fewer.
    """
    free = [array for array in arrays.values() if not array.stated and array.dims is not None]
    found: list[Recorded] = []
    looped = [one for one in case.sizes.all() if one.rounds]
    if looped:
        for one in looped:
            one.rounds += 1
        found += _recorded(case)
        for one in looped:
            one.rounds -= 1
    for array in free:
        if array.dtype == torch.float32:
            array.dtype = torch.int64
            found += _recorded(case)
            array.dtype = torch.float32
    groups = [[one] for one in free] + ([free] if len(free) > 1 else [])
    for chosen in groups:
        for more in (1, -1, 2, -2):
            front = [Free() for _ in range(max(0, more))]
            state = State(case)
            try:
                for array in chosen:
                    assert array.dims is not None
                    array.dims = [*front, *array.dims] if more > 0 else array.dims[-more:]
                if all(array.dims for array in chosen):
                    ranks = [len(array.dims or ()) for array in free]
                    stuck = _climb(case, [_OTHER_TRIES if more < 0 else 1], narrow=True)
                    same = ranks == [len(array.dims or ()) for array in free]
                    if same and (stuck is None or stuck[2] > 0):
                        found += _recorded(case)
            finally:
                state.restore()
    return found


def _recorded(case: Case) -> list[Recorded]:
    """What the first run writes down, if it works."""
    recorded = attempted(case, 0, keep=True)[2]
    return [] if recorded is None else [recorded]


def is_own(value: Any) -> bool:
    """Whether a value is an object of a class of the file's."""
    return interpreted_class(type(value)) or isinstance(value, types.FunctionType)
