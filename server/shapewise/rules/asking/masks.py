"""How masks are turned round, and what one was before it was made fit."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from ...queries.lineage import Lineage
from ...vocabulary.events import Tensor

FLIPPED = frozenset("~ logical_not bitwise_not".split())
_MAKES_FIT = frozenset("float to half type_as unsqueeze [] view expand int long repeat tril triu".split())
_STEPS = 6


def before_it_fitted(lineage: Lineage, mask: Tensor) -> Iterator[Tensor]:
    """The mask before each cast and each view that gave it dims, the last one first."""
    return itertools.islice(lineage.through(mask, _MAKES_FIT, _STEPS), 1, None)
