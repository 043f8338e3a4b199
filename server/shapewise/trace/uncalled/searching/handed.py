"""Layers that a constructor is handed, told by a word: whether they fit for a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..inputs.sizes import Free, root
from ..inputs.specs import bundles_in, frees_of

if TYPE_CHECKING:
    from ..case import Case


def is_one_of_many(case: Case) -> bool:
    """Whether a layer of which only a word says what it is fits only with a number of its own made one of another word.

    Two that have one width by chance are told from those that share it by what they call it: `attention.hidden` is
    the `hidden` of what it is handed to, and no `width`.
    """
    told = {
        free
        for bundle in bundles_in(case.constructor.values())
        if bundle.by_its_name
        for free in frees_of(bundle.fields.values())
    }
    for free in frees_of(case.specs()) if told else ():
        if free.equals is None or (free.label is None):
            continue
        other = root(free)
        if free not in told and other not in told:
            continue
        if other.equals is not None or other.label is None or _word(free) != _word(other):
            return True
    return False


def _word(free: Free) -> str:
    return (free.label or "").rpartition(".")[2]
