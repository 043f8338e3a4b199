"""Copies of containers of which nobody knows how many items they have: they have as many, and as much is known of them."""

from __future__ import annotations

import copy
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...vocabulary.span import Span
from ..shims import real
from ..unknowns.grown import MUTABLE, copied, grown, mark_of, unknown_in
from .making import make
from .own import own

if TYPE_CHECKING:
    from ..run import Env


def method(value: Any, name: str) -> Callable[[], Any] | None:
    """`row.copy` of such a container; None for any other."""
    return own(lambda: copied(value)) if name == "copy" and type(value) in MUTABLE else None


def made(env: Env, span: Span, function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """`dict(row, y=1)`, `copy.copy(row)`, `copy.deepcopy(row)`. Raises LookupError where this is none of them."""
    mark = mark_of(args[0]) if len(args) == 1 else None
    if mark is None or type(args[0]) not in MUTABLE:
        raise LookupError
    asked, container = real(function), args[0]
    if asked is dict and type(container) in (dict, OrderedDict, defaultdict):
        found = {**container, **kwargs}
    elif asked is copy.copy and not kwargs:
        found = container.copy()
    elif asked is copy.deepcopy and not kwargs and unknown_in(plain := container.copy()) is None:
        found = make(env, span, function, [plain], {})
        if type(found) is not type(container):
            return found
    else:
        raise LookupError
    grown(found, *mark[1:])
    return env.run.journal.born(found)
