"""What the name of a dim stands for, and the sizes that it had."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...vocabulary.events import Bound, Tensor
from .words import dim as written
from .words import shape

_MOST = 6


def told(
    name: str, tensor: str, at: int, reads: Sequence[Bound], made_up: Callable[[int], bool]
) -> str | None:
    """`**B** is dim 0 of x [8, 12, 64]`, and every size it had; None where no run came by.

    `reads`: what `tensor`, whose dim `at` the name takes, was each time.
    """
    seen = [read for read in reads if isinstance(read.value, Tensor)]
    if any(not made_up(read.frame) for read in seen):
        seen = [read for read in seen if not made_up(read.frame)]
    shapes = dict.fromkeys(read.value.shape for read in seen if isinstance(read.value, Tensor))
    if not shapes or len(seen) != len([read for read in reads if not made_up(read.frame)] or seen):
        return None
    if any(not -len(sizes) <= at < len(sizes) for sizes in shapes):
        return None
    values = list(dict.fromkeys(sizes[at] for sizes in shapes))
    ranks = {len(sizes) for sizes in shapes}
    number = at if at >= 0 or len(ranks) > 1 else at + ranks.pop()
    shown = f" {shape(next(iter(shapes)))}" if len(shapes) == 1 else ""
    words = f"**{name}** is dim {number} of `{tensor}{shown}`"
    if None in values:
        return words
    sizes = ", ".join(written(value) for value in values[:_MOST]) + (", …" if len(values) > _MOST else "")
    if values == [name]:
        return f"{words}: whatever size it is given"
    return f"{words}: {sizes}" if len(shapes) > 1 else f"{words}: **{sizes}**"
