"""The same case where something is taken otherwise: the words of the text, what it is handed, or what ran before."""

from __future__ import annotations

from .case import Case
from .inputs.specs import Bundle, Opaque


def loosely(case: Case) -> Case | None:
    """The same where words for dims are used loosely; None if there are none."""
    if not case.strict or not case.shared:
        return None
    other = Case(case.env, case.target, case.method, case.taken, strict=False, first=case.first)
    own = {name: spec for where, name, spec in other.options() if where == "inputs"}
    chosen = [(at, n, own.get(n, spec) if at == "inputs" else spec) for at, n, spec in case.chosen]
    return other.given(chosen)


def unheeding(case: Case) -> Case:
    """The same where nothing is begun with that the text states of shapes."""
    other = Case(case.env, case.target, case.method, case.taken, listens=False, first=case.first)
    return other.given(case.chosen)


def unknowing(case: Case) -> Case | None:
    """The same where nothing is known of the layers that it is handed, if only words say what they are; nor is it from here on."""
    told = {name for name, spec in case.constructor.items() if isinstance(spec, Bundle) and spec.by_its_name}
    if not told or case.target.constructor is None:
        return None
    case.target.constructor.update((name, Opaque()) for name in told)
    other = Case(case.env, case.target, case.method, case.taken, case.strict, case.listens, case.first)
    return other.given([one for one in case.chosen if one[1].partition(".")[0] not in told])


def after(case: Case, first: str) -> Case:
    """The same where another method has run before."""
    other = Case(case.env, case.target, case.method, case.taken, case.strict, case.listens, first)
    chosen = {(own, name) for own, name, _ in case.chosen}
    return other.given([one for one in other.options() if one[:2] in chosen]) if chosen else other
