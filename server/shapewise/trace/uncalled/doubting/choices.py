"""Numbers that select among a few things, and kinds of convolutions: what else they may be is tried as options are."""

from __future__ import annotations

from typing import Any

from ..case import Case, Way
from ..inputs.sizes import Free
from ..inputs.specs import Plain, Spec
from ..reading.arguments import CONVOLUTIONS
from ..reading.reads import needed_by
from ..running import attempted
from ..searching.demands import Refiner
from ..searching.search import State


def of_choices(case: Case) -> list[Way]:
    """What else each such number may be. Where other options are given, and it was not tried without them, it is left open."""
    found: list[Way] = []
    for own, specs in (("constructor", case.constructor), ("inputs", case.inputs)):
        for name, spec in [*specs.items()]:
            if case.selects(name, own):
                continue
            ways = [(own, name, other) for other in _others(case, specs, name, spec)]
            if ways and case.has_options:
                case.untried.append((own, name, spec))
            else:
                found += ways
    return found


def _others(case: Case, specs: dict[str, Spec], name: str, spec: Spec) -> list[Any]:
    """What else a number or a kind of convolution may be; nothing if it may be any."""
    if isinstance(spec, Free) and spec.equals is None:
        if spec.pinned and spec.default is not None and not (spec.choices or case.has_options):
            spec.among = _among(case, specs, name, spec.default)
        mine = spec.choices or (spec.default,)
        return [one for one in spec.among if one not in mine] if len(mine) == 1 else []
    if isinstance(spec, Plain) and spec.value is CONVOLUTIONS[0]:
        init = case.target.node_of("__init__")
        return list(CONVOLUTIONS[1:]) if specs is case.constructor and name in needed_by(init) else []
    if isinstance(spec, Plain) and type(spec.value) is int and not case.has_options:
        return [one for one in _among(case, specs, name, spec.value) if one != spec.value]
    return []


def _among(case: Case, specs: dict[str, Spec], name: str, usual: int) -> tuple[int, ...]:
    """The numbers that the code says a parameter may be, where it is given one that it cannot be; what it is usually is one of them."""
    state, unlike = State(case), Free(name)
    specs[name] = unlike
    attempt, trouble, _ = attempted(case, 0, keep=False)
    refiner = None if trouble is None else Refiner(trouble, attempt, [case.constructor, case.inputs])
    choices = unlike.choices if refiner is not None and refiner.of_selection() else ()
    state.restore()
    return choices if usual in choices else ()
