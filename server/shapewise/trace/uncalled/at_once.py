"""What a function tells right after an edit: on the inputs that did for it before, as far as what was known then shows that it holds.

Nothing is searched for, and nothing is doubted anew: what was told before, whatever is given, says what of the
values that the edited lines read is the same for all. The rest waits for the search.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from ...vocabulary.events import Event, Frame
from .attempt import Attempt
from .case import Case, Option
from .doubting.untried import without_untried
from .inputs.sizes import Free, Sizes
from .inputs.specs import Array, Bundle, Plain, Row, Spec
from .memory import Worked
from .naming.naming import named
from .options import numbers_of
from .reading.compared import numbers_for
from .running import attempted
from .solve import Solved, in_all_runs, of_runs

if TYPE_CHECKING:
    from ..run import Env
    from .doubting.edited import Before
    from .targets import Target

_SIMPLE = (int, float, bool, str, type(None), torch.dtype, torch.device)


@dataclass(frozen=True)
class Inputs:
    """What was made up, and what the first run met with it that is taken otherwise, too."""

    constructor: dict[str, Spec]
    inputs: dict[str, Spec]
    sizes: Sizes
    count: Free
    met: Any


def inputs_of(found: Solved) -> Inputs | None:
    """The inputs that were found, if they hold nothing of the file's own, which is another after an edit."""
    case = found.case
    if case is None or case.has_options or case.evaluates or not all(map(_is_simple, case.specs())):
        return None
    met = _met(attempted(case, 0, keep=True)[0])
    return Inputs(dict(case.constructor), dict(case.inputs), case.sizes, case.count, met)


def told(env: Env, target: Target, worked: Worked, before: Before) -> tuple[list[Frame], list[Event]] | None:
    """What a function tells of itself now; None where it was not edited, or needs other inputs now."""
    node = target.node_of(worked.method)
    if worked.inputs is None or node is None or not before.is_within(node):
        return None
    case = _as_found(env, target, worked.method, worked.inputs)
    met = worked.inputs.met
    segment = env.run.journal.open()
    try:
        recorded = in_all_runs(case, lambda first: _met(first) == met)
        if recorded is None:
            return None
    except ArithmeticError:
        return None
    finally:
        env.run.journal.close(segment)
        segment.undo()
    frames, events, _ = named(of_runs(case, recorded), scope=case.scope)
    every = [*env.run.recorder.frames, *frames]
    options = {worked.method: [*case.options(), *_undecided(case)]}
    return frames, without_untried(events, every, target, options, (), before)


def _as_found(env: Env, target: Target, method: str | None, found: Inputs) -> Case:
    specs = dict(found.constructor), dict(found.inputs)
    case = Case(env, target, method, numbers_of(target), found=specs)
    case.sizes, case.count = found.sizes, found.count
    return case


def _undecided(case: Case) -> Iterator[Option]:
    """All that may be otherwise than it is: every input, and what of the constructor is no width like any other."""
    yield from (("inputs", name, spec) for name, spec in case.inputs.items())
    for name, spec in case.constructor.items():
        is_width = isinstance(spec, Free) and not (
            spec.small or spec.rounds or spec.pinned or spec.choices or spec.most
        )
        if not is_width or any(numbers_for(node, name) for node in case.target.nodes()):
            yield "constructor", name, spec


def _met(attempt: Attempt) -> Any:
    """What a run met that other inputs decide otherwise: comparisons, remainders, what may be one or unlike."""
    counts = len(attempt.extremes), len(attempt.open), len(attempt.cuts), attempt.broadcasts
    sizes = frozenset(attempt.ones), frozenset(attempt.remainders), frozenset(attempt.repeated)
    return counts, sizes, frozenset(attempt.unlike)


def _is_simple(spec: Spec) -> bool:
    if isinstance(spec, Plain):
        return isinstance(spec.value, _SIMPLE) or getattr(spec.value, "__module__", "").startswith("torch")
    if isinstance(spec, Bundle):
        return spec.cls is None and all(map(_is_simple, spec.fields.values()))
    if isinstance(spec, Row):
        return all(map(_is_simple, spec.items))
    return isinstance(spec, (Free, Array))
