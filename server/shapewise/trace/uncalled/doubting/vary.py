"""What a function writes down where something is otherwise that nothing settles: ranks, dtypes, loops, layouts."""

from __future__ import annotations

import ast
import re
import time
from dataclasses import replace

import torch

from ....vocabulary.events import Bound, Event
from ..attempt import Attempt
from ..case import Case
from ..definitions import speaks_of_autocast
from ..inputs.sizes import Free, frees_in, root
from ..inputs.specs import Array, Plain, Ranks, Row, arrays_in, frees_of, with_rank
from ..reading.compared import may_be_none
from ..reading.keys import keys_sought
from ..reading.reads import is_name, walked
from ..running import Recorded, attempted
from ..searching.paired import in_doubt
from ..searching.search import OTHER_TRIES, State, climb
from ..solve import SECONDS, Solved, in_all_runs, of_runs
from ..targets import CALLED
from .choices import of_choices
from .decided import (
    of_divisors,
    of_extremes,
    of_larger,
    of_lengths,
    of_numbers,
    of_one_for_all,
    of_ones,
    of_remainders,
    of_steps,
)
from .other_ranks import add_ranks, spread
from .rounds import first_run, grown, is_as_ever, longer, of_lists, once_more
from .words import add_words


def vary(case: Case, found: Solved) -> None:
    """Add what the runs write down where something is otherwise that nothing settles.

    Loops over a parameter go round once more, inputs are integers, lie in memory otherwise, or have more dims
    or fewer.
    """
    case.until = time.thread_time() + SECONDS  # what is not varied is told as certain
    every = [array for array in found.arrays.values() if array.dims is not None]
    free = [array for array in every if not array.stated]
    kept = [one for one in arrays_in(case.constructor.values()) if one.dims is not None and not one.stated]
    looped = [one for one in dict.fromkeys([*case.sizes.all(), *frees_of(case.specs())]) if one.rounds]
    if looped and not is_as_ever(case, found, looped):
        found.grown, found.longer = grown(case, looped), once_more(case, found, looped)
    found.otherwise += longer(case)
    found.listed = of_lists(case)
    found.otherwise += _resized(case) + _smaller(case, every)
    found.otherwise += [one for _ in in_doubt(case) for one in first_run(case)]
    for array in (*every, *kept):
        if array.dtype == torch.float32:
            for other in (torch.int64, torch.bool):
                array.dtype = other
                if recorded := first_run(case):
                    found.otherwise += recorded
                    break
            array.dtype = torch.float32
    found.otherwise += _cast(case, every)
    found.otherwise += of_ones(case, every) + of_one_for_all(case)
    found.ways += of_choices(case)
    of_other_numbers, ways = of_numbers(case, found)
    found.ways += ways
    found.elsewise = _unpinned(case, found) + of_extremes(case) + of_other_numbers + of_lengths(case, found)
    found.elsewise += of_larger(case, found)
    found.turned = _turned(case, every) + _of_one_sample(case, every) + _dropping_out(case)
    found.turned += _of_one_sample(case, every, turned=True) if found.turned else []
    found.otherwise += _tables(case)
    found.elsewise += of_remainders(case) + of_divisors(case)
    add_words(case, found)
    found.otherwise += _of_several(case)
    found.worded += _without(case) + _without_keys(case)
    varied = add_ranks(case, found, every, free, kept)
    case.untried += spread(case, free, varied)
    found.otherwise += _one_query(case) + _of_masks(case)
    found.elsewise += of_steps(case)
    likely = {name: len(array.dims or ()) for name, array in found.arrays.items() if array in free}
    settled = {
        name: len(spec.dims)
        for name, spec in case.inputs.items()
        if isinstance(spec, Array) and spec.dims is not None and spec not in varied
    }
    found.settled = Ranks(settled, likely)


def _resized(case: Case) -> list[Recorded]:
    """Pictures of another size, where all runs have the same since not all go together."""
    if not case.other_sizes:
        return []
    state = State(case)
    for free in case.sizes.all():
        if free.choices and free.equals is None:
            free.choices = (case.other_sizes[0],)
    found = first_run(case)
    state.restore()
    return found


_LARGE = 16
"""A dim that is one certain number of the text, and larger than this, may be cut to it: positions of a table."""


def _smaller(case: Case, arrays: list[Array]) -> list[Recorded]:
    """Dims that are one certain number are half as large: a table that has so many rows may be for fewer, too."""
    dims = [dim for array in arrays for dim in array.dims or () if isinstance(dim, Free)]
    certain = {dim: dim.equals for dim in dims if dim.equals is not None and not list(frees_in(dim.equals))}
    sizes = {dim: case.sizes.value(expr, 0) for dim, expr in certain.items()}
    if not any(size > _LARGE for size in sizes.values()):
        return []
    for dim, size in sizes.items():
        dim.equals = size // 2 if size > _LARGE else dim.equals
    try:
        return first_run(case)
    finally:
        for dim, expr in certain.items():
            dim.equals = expr


def _unpinned(case: Case, usually: Solved) -> list[Solved]:
    """All runs where a parameter that stayed as its default is has another value, if the inputs can be made to fit it."""
    found = []
    pinned = [one for one in frees_of(case.specs()) if one.pinned and one.equals is None]
    for free in [one for one in pinned if not (one.among or case.selects(one.label))]:
        usual = free.default or 0
        for tries in (0, OTHER_TRIES):
            recorded = None
            for other in (usual + 1, usual + 2, 2 * usual or 4)[: None if not tries else 1]:
                state = State(case)
                free.default = other
                if not tries or climb(case, [tries]) is None:
                    recorded = in_all_runs(case)
                    if recorded is not None:
                        found.append(of_runs(case, recorded))
                state.restore()
                if recorded is not None:
                    break
            if recorded is not None:
                break
        else:
            usually.fixed.add(usual)
    usually.fixed |= _spelled_out(case)
    usually.fixed |= _made_of(usually.fixed, attempted(case, 0, keep=False)[0])
    return found


def _spelled_out(case: Case) -> set[int]:
    """The numbers that a text of the constructor says by default: `n_hidden="100,50"`."""
    texts = [
        one.value for one in case.constructor.values() if isinstance(one, Plain) and type(one.value) is str
    ]
    return {int(number) for text in texts if _NUMBERS.fullmatch(text) for number in re.findall(r"\d+", text)}


_NUMBERS = re.compile(r"[\d\s,x_-]+")


def _made_of(fixed: set[int], attempt: Attempt) -> set[int]:
    """Numbers that are made of such and of numbers of the text alone: `patch_size**2 * 3`."""
    found: set[int] = set()
    for number, (_, operands) in attempt.made.items():  # in the order in which they were made
        parts = [one for one in operands if type(one) is int]
        if type(number) is not int or len(parts) < len(operands) or (fixed | found).isdisjoint(parts):
            continue
        if all(one in fixed or one in found or not attempt.is_made_up(one) for one in parts):
            found.add(number)
    return found


def _turned(case: Case, arrays: list[Array]) -> list[Recorded]:
    """The inputs lie in memory with their second dim last: what is computed of them element by element does too."""
    for array in arrays:
        array.turned = True
    try:
        return first_run(case)
    finally:
        for array in arrays:
            array.turned = False


def _dropping_out(case: Case) -> list[Recorded]:
    """Dropout is the other way, on or off: torch chooses by it how fused attention lays out what it gives back."""
    if "scaled_dot_product_attention" not in case.env.module.text:
        return []
    shares = [
        (spec, spec.value)
        for name, spec in case.constructor.items()
        if "drop" in name and isinstance(spec, Plain) and type(spec.value) is float
    ]
    for spec, usual in shares:
        spec.value = 0.0 if usual else 0.1
    try:
        return first_run(case) if shares else []
    finally:
        for spec, usual in shares:
            spec.value = usual


def _of_one_sample(case: Case, arrays: list[Array], turned: bool = False) -> list[Recorded]:
    """A batch of one: what was cut along the next dim lies in memory without gaps then, and what was `turned` is flattened in place."""
    state = State(case)
    for array in arrays:
        array.turned = turned
        first = array.dims[0] if array.dims and len(array.dims) > 1 else None
        if isinstance(first, Free) and first.label is None and first.equals is None and not first.multiples:
            first.choices = (1,)
    try:
        return first_run(case)
    finally:
        state.restore()
        for array in arrays:
            array.turned = False


def _cast(case: Case, arrays: list[Array]) -> list[Recorded]:
    """Under autocast, where the file speaks of it: nothing says that it is called elsewhere, nor on what."""
    if not speaks_of_autocast(case.env.module.text):
        return []
    floats = [array for array in arrays if array.dtype == torch.float32]
    found = []
    with torch.autocast("cpu", dtype=torch.bfloat16):
        for dtype in (torch.bfloat16, torch.float32):
            for array in floats:
                array.dtype = dtype
            found += first_run(case)
    return found


def _one_query(case: Case) -> list[Recorded]:
    """What is asked with may be one step, where it is held against all keys, and was made as long as these."""
    query = case.inputs.get("query")
    if not isinstance(query, Array) or len(query.dims or ()) < 3:
        return []
    assert query.dims is not None
    steps = query.dims[-2]
    kept = [spec for name, spec in case.inputs.items() if name != "query" and "mask" not in name]
    others = [dim for array in arrays_in(kept) for dim in array.dims or ()]
    if isinstance(steps, Free) and not any(
        isinstance(one, Free) and root(one) is root(steps) for one in others
    ):
        return []  # any number does
    before, query.dims = query.dims, [*query.dims[:-2], 1, query.dims[-1]]
    try:
        return first_run(case)
    finally:
        query.dims = before


def _of_masks(case: Case) -> list[Recorded]:
    """A mask of each query for each key has one row for all queries, and for all heads, or is one for all of a batch."""
    found = []
    for name, spec in case.inputs.items():
        if isinstance(spec, Array) and "mask" in name and len(dims := spec.dims or []) > 2:
            for front in (dims[:1], dims[:-2]) if len(dims) > 3 else (dims[:-2],):
                spec.dims = [*front, *[1] * (len(dims) - 1 - len(front)), dims[-1]]
                if recorded := first_run(case):
                    found += recorded
                    break
            spec.dims = [1, *dims[1:]]
            found += first_run(case)
            spec.dims = dims
    return found


def _tables(case: Case) -> list[Recorded]:
    """A text that is given by default and chooses from a table: another choice."""
    found = []
    holders = [vars(case.target.value)] if isinstance(case.target.value, type) else []
    tables = [
        value for names in (*holders, case.env.names) for value in names.values() if type(value) is dict
    ]
    for spec in case.specs():
        if isinstance(spec, Plain) and type(spec.value) is str:
            others = [key for table in tables if spec.value in table for key in table if key != spec.value]
            if others:
                default, spec.value = spec.value, others[0]
                found += first_run(case)
                spec.value = default
    return found


def _of_several(case: Case) -> list[Recorded]:
    """A number that rows of a table are asked with is one for each sample of a batch, whatever its annotation says: `table[step]`."""
    found = []
    for name, spec in case.inputs.items():
        asks = isinstance(spec, Free) and case.method in CALLED and case.node is not None
        if asks and any(
            isinstance(one, ast.Subscript) and is_name(one.slice, name) for one in walked(case.node)
        ):
            several = Array(dtype=torch.int64)
            with_rank(several, 1)
            case.inputs[name] = several
            found += first_run(case)
            case.inputs[name] = spec
    return found


def _without(case: Case) -> list[Recorded]:
    """Each input that has no default and may be None is not there."""
    found = []
    for name, spec in case.inputs.items():
        if not isinstance(spec, Array) or case.node is None or case.chooses(name):
            continue
        if may_be_none(case.node, name):
            case.inputs[name] = Plain(None)
            found += first_run(case)
            case.inputs[name] = spec
    return found


def _without_keys(case: Case) -> list[Recorded]:
    """Each dict that is given has none of the keys that it is asked for whether it has them: `if "label" in batch`."""
    found = []
    for name, spec in case.inputs.items():
        sought = keys_sought(case.node, name) if isinstance(spec, Row) and spec.kind is dict else []
        if isinstance(spec, Row) and not set(sought).isdisjoint(spec.keys):
            kept = [(key, item) for key, item in zip(spec.keys, spec.items) if key not in sought]
            case.inputs[name] = replace(
                spec, items=[one for _, one in kept], keys=tuple(key for key, _ in kept)
            )
            for one in first_run(case):  # of the dict itself it says nothing
                events = [event for event in one.events if not _is_parameter(event, name)]
                found.append(replace(one, events=events))
            case.inputs[name] = spec
    return found


def _is_parameter(event: Event, name: str) -> bool:
    return isinstance(event, Bound) and event.kind == "parameter" and event.name == name
