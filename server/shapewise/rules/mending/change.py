"""One change of the text, and what the changed call would give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...queries.resized import Shape
from ...vocabulary.events import Op
from ...vocabulary.findings import Fix
from ...vocabulary.span import Span

Meant = Callable[[Op], Shape | None]
"""The shape of what an op gives once it is changed; None where that is not known. Raises Refused."""


@dataclass(frozen=True)
class Change:
    """`at`, `meant`: where the changed op stands, and what it gives. Or `given`: tensors, by their ids, that have
    another shape: in the refused call, or `within` a frame from its beginning on. `is_of_a_call`: it changes how a call
    is written, rather than adding one. `is_plain`: as it is written it can hardly be meant.
    """

    fix: Fix
    at: Span | None = None
    meant: Meant | None = None
    given: Mapping[int, Shape] = field(default_factory=dict)
    within: int | None = None
    is_of_a_call: bool = True
    is_plain: bool = False
