"""A call that torch refuses whatever a function is given: `fc2(fc1(x))` of widths that the text says, and that differ.

The search found nothing that the function takes. That may be for want of trying; a refusal is told only if nothing
that can be made otherwise leads past it, or to another: sizes, ranks, dtypes, options, and the way that each
condition goes.
"""

from __future__ import annotations

import ast
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch

from ....vocabulary.events import Op
from ...worlds.agreed import agreed_by_all, clash_of, share_of
from ..case import Case
from ..doubting.vary import vary
from ..inputs.sizes import Free
from ..inputs.specs import Array, Bundle, Opaque, Plain, Row, Spec, arrays_in, with_rank
from ..running import Recorded, attempted
from ..solve import Solved, solved
from .ending import Ending
from .search import OTHER_TRIES, State, climb

_SECONDS = 1.5
"""Of this thread's time, for one function."""
_DTYPES = (
    torch.float32,
    torch.int64,
    torch.bool,
    torch.float16,
    torch.bfloat16,
    torch.float64,
    torch.complex64,
)
_OF_PRECISION = re.compile(r"half|double|float16|float64|complex", re.IGNORECASE)
"""What is refused for its precision is not where the caller has all of it converted, or under autocast."""
_OF_KINDS = re.compile(
    r"invalid combination of arguments|must be .{1,60}, not |Could not infer dtype of |SimpleNamespace"
)
"""Nor is what is refused for being a tensor, or none: which of its inputs are tensors was made up as well."""
_OF_NAMES = re.compile(r"missing \d+ required|unexpected keyword argument|multiple values for")
"""Nor what is refused for what was not given, or by that name, where anything may be given (`**kwargs`)."""
_RANKS = range(1, 6)
_FLAT = 2
"""The rank of a batch of rows."""
_NUMBER = re.compile(r"\d+")


def refused(case: Case) -> Solved | None:
    """What all runs write down until a call that torch refuses whatever is given; None if none is known."""
    until = time.thread_time() + _SECONDS
    state = State(case)
    found, ending = _refused_at(case, until)
    if found is None and ending.failure is not None and share_of(ending.failure) is not None:
        state.restore()  # a dim more may have been given the size that would make it fit
        case.ending = None
        for array in arrays_in(case.inputs.values()):
            if array.said is None:
                with_rank(array, _FLAT)
        climb(case, [OTHER_TRIES])
        found, _ = _refused_at(case, until)
    return found


def _refused_at(case: Case, until: float) -> tuple[Solved | None, Ending]:
    """The same where the inputs have these ranks, and where it was refused."""
    ending = Ending()
    case.end_at(ending)
    attempted(case, 0, keep=False)
    if ending.failure is None or ending.refuted or not ending.reached:
        return None, ending
    if any(case.sizes.owner(number, 0) is not None for number in clash_of(ending.failure)):
        return None, ending
    found = solved(case)
    if found is None or ending.refuted or not _is_certain(case, ending, found, until):
        return None, ending
    vary(case, found)
    for one in found.recorded:
        last = one.events[-1]
        assert isinstance(last, Op) and last.failure is not None
        one.events[-1] = replace(last, failure=ending.told(last.failure))
    return None if ending.refuted else found, ending


def _is_certain(case: Case, ending: Ending, found: Solved, until: float) -> bool:
    ends = [one.events[-1] for one in found.recorded]
    failures = [end.failure for end in ends if isinstance(end, Op) and end.failure is not None]
    failure = agreed_by_all(failures) if len(failures) == len(ends) else None
    if failure is None or _is_changed(case, found) or case.env.run.switched.past_unwritten:
        return False
    if _OF_PRECISION.search(failure.message) or _OF_KINDS.search(failure.message):
        return False
    if _OF_NAMES.search(failure.message) and _takes_anything(case):
        return False
    outcomes = _Outcomes(case, ending)
    for one in found.recorded:
        outcomes.add(one)
    for _ in _otherwise(case, failure.message):
        if ending.refuted or time.thread_time() > until:
            return False
    for specs, name, spec in _given_otherwise(case):
        with_it = _refused_with(case, ending, specs, name, spec)
        if with_it is None or time.thread_time() > until:
            return False
        outcomes.add(with_it)
    return outcomes.are_all_one()


def _takes_anything(case: Case) -> bool:
    """Whether its constructor or itself has `*args` or `**kwargs`: what they hold was made up."""
    nodes = (case.target.node_of("__init__"), case.target.node_of(case.method))
    return any(node is not None and (node.args.vararg or node.args.kwarg) is not None for node in nodes)


class _Outcomes:
    """How conditions came out in runs that were refused: it is refused either way where both are among them."""

    def __init__(self, case: Case, ending: Ending) -> None:
        self._case, self._ending = case, ending
        self._of: dict[ast.AST, set[Any]] = defaultdict(set)

    def add(self, recorded: Recorded) -> None:
        for (at, _), outcomes in recorded.decisions.items():
            if isinstance(at, (ast.If, ast.IfExp, ast.While)):
                self._of[at] |= set(outcomes)

    def are_all_one(self) -> bool:
        """Whether it is refused whichever way each condition goes."""
        open_ones = {at for at, outcomes in self._of.items() if len(outcomes) < 2}
        return (
            not open_ones or self._is_refused(open_ones) or all(self._is_refused({one}) for one in open_ones)
        )

    def _is_refused(self, undecided: set[ast.AST]) -> bool:
        run, reached = self._case.env.run, self._ending.reached
        before, run.conditions.undecided = run.conditions.undecided, run.conditions.undecided | undecided
        try:
            attempted(self._case, 0, keep=True)
        finally:
            run.conditions.undecided = before
        return self._ending.reached > reached and not self._ending.refuted


def _otherwise(case: Case, message: str) -> Iterator[None]:
    """Try the inputs as they would be otherwise, one thing at a time. `message`: with the numbers that clash."""
    numbers = sorted({1, 2, *map(int, _NUMBER.findall(message))})
    for free in case.sizes.all():
        for number in numbers:
            state = State(case)
            free.equals, free.same = number, False
            attempted(case, 0, keep=False)
            state.restore()
            yield
    for number in numbers:
        state = State(case)
        for free in case.sizes.all():
            free.equals = number
        attempted(case, 0, keep=False)
        state.restore()
        yield
    yield from _as_tensors(case)
    for array in arrays_in(case.specs()):
        for rank in _RANKS:
            state = State(case)
            with_rank(array, rank)
            climb(case, [OTHER_TRIES])
            state.restore()
            yield
        for dtype in _DTYPES:
            state = State(case)
            array.dtype = dtype
            attempted(case, 0, keep=False)
            state.restore()
            yield


def _as_tensors(case: Case) -> Iterator[None]:
    """Try each number of the constructor as a tensor: nobody has said what it is."""
    for name, spec in list(case.constructor.items()):
        if isinstance(spec, Free):
            state = State(case)
            case.constructor[name] = array = Array()
            with_rank(array, _FLAT)
            attempted(case, 0, keep=False)
            state.restore()
            yield


def _given_otherwise(case: Case) -> Iterator[tuple[dict[str, Spec], str, Spec]]:
    """What else each parameter and each field of a config may be that is given as its default is."""
    tried: set[tuple[str, str]] = set()
    for own, name, spec in case.options():
        config, _, one = name.partition(".")
        bundle = getattr(case, own).get(config)
        if one and isinstance(bundle, Bundle):
            yield bundle.fields, one, spec
        else:
            tried.add((own, name))
            yield getattr(case, own), name, spec
    every = [("constructor", case.constructor), ("inputs", case.inputs)]
    every += [("", one.fields) for one in case.specs() if isinstance(one, Bundle)]
    for own, specs in every:
        for name, spec in list(specs.items()):
            value = spec.value if isinstance(spec, Plain) else None
            if (own, name) in tried or name in ("device", "dtype"):
                continue
            if type(value) is bool:
                yield specs, name, Plain(not value)
                yield specs, name, Free(name)  # that it is a flag may be made up of its name
            elif type(value) is float:
                yield specs, name, Plain(value / 2)
                yield specs, name, Plain((value + 1) / 2)
            elif isinstance(spec, Plain) or (isinstance(spec, Row) and not spec.open and own != "inputs"):
                yield specs, name, Opaque()


def _refused_with(
    case: Case, ending: Ending, specs: dict[str, Spec], name: str, spec: Spec
) -> Recorded | None:
    """What is written down where something else is given, if it is refused then too."""
    state = State(case)
    specs[name] = spec
    stuck = climb(case, [OTHER_TRIES])
    recorded = attempted(case, 0, keep=True)[2] if stuck is None and not ending.refuted else None
    state.restore()
    return recorded


def _is_changed(case: Case, found: Solved) -> bool:
    """Whether other code may change what it reads: attributes set elsewhere, classes derived from it, `global`."""
    cls = case.target.value
    values = [value for value in case.env.names.values() if isinstance(value, type) and value is not cls]
    if isinstance(cls, type) and any(issubclass(value, cls) for value in values):
        return True
    ran = {frame.scope for one in found.recorded for frame in one.frames}
    read: set[str] = set()
    changed: set[str] = set()
    for scope, node in _functions(ast.parse(case.env.module.text).body, ""):
        for one in ast.walk(node):
            if isinstance(one, ast.Global):
                changed.update(one.names)
            elif (
                isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, ast.Load) and scope in ran
            ):
                read.add(one.id if isinstance(one, ast.Name) else one.attr)
            elif isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store):
                if scope not in ran and not scope.endswith(".__init__"):
                    changed.add(one.attr)
    return bool(read & changed)


def _functions(body: list[ast.stmt], above: str) -> Iterator[tuple[str, ast.stmt]]:
    """The statements of a module and of its classes, with the scope of each that is a function."""
    for one in body:
        if isinstance(one, ast.ClassDef):
            yield from _functions(one.body, f"{above}{one.name}.")
        else:
            named = isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))
            yield f"{above}{one.name}" if named else "", one  # type: ignore[attr-defined]
