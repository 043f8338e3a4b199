"""How masks are turned round, and what one was before it was made fit."""

from __future__ import annotations

from collections.abc import Iterator

from ...queries.lineage import Lineage, short
from ...vocabulary.events import Tensor

FLIPPED = frozenset("~ logical_not bitwise_not".split())
_MAKES_FIT = frozenset("float to half type_as unsqueeze [] view expand int long repeat tril triu".split())
_STEPS = 6


def before_it_fitted(lineage: Lineage, mask: Tensor) -> Iterator[Tensor]:
    """The mask before each cast and each view that gave it dims, the last one first."""
    for _ in range(_STEPS):
        op = lineage.maker(mask)
        inner = op.args[0] if op is not None and op.args else None
        if op is None or short(op.name) not in _MAKES_FIT or not isinstance(inner, Tensor):
            return
        mask = inner
        yield mask
