"""A map seen as a larger one of fewer channels, for `view-used-as-transpose`: pixel shuffle without its turn."""

from __future__ import annotations

from collections.abc import Iterator

from ...queries.lineage import Lineage, short
from ...vocabulary.events import Op, Tensor
from ...vocabulary.findings import Finding
from ..asking.refusals import list_of
from ..telling.found import found_at

RULE = "view-used-as-transpose"
_MAPS = frozenset(
    "Conv2d() ConvTranspose2d() conv2d conv_transpose2d BatchNorm2d() batch_norm relu ReLU() LeakyReLU() GELU() SiLU() PReLU()".split()
)


def enlarged(op: Op, given: Tensor, made: Tensor, lineage: Lineage) -> Iterator[Finding]:
    """`(B, C * r * s, H, W)` of a convolution seen as `(B, C, H * r, W * s)`."""
    before = [size for size in given.shape if isinstance(size, int)]
    after = [size for size in made.shape if isinstance(size, int)]
    if not len(before) == len(after) == len(given.shape) == len(made.shape) == 4:
        return
    (items, channels, high, wide), (others, kept, higher, wider) = before, after
    if items != others or min(high, wide) < 2 or higher % high or wider % wide:
        return
    by, across = higher // high, wider // wide
    maker = lineage.maker(given)
    if (
        min(by, across) < 2
        or channels != kept * by * across
        or maker is None
        or short(maker.name) not in _MAPS
    ):
        return
    repair = f"F.pixel_shuffle(x, {by})" if by == across else "permute"
    yield found_at(
        RULE,
        op.span,
        f"{short(op.name)} from {list_of(given.shape)} to {list_of(made.shape)} cuts the channels into strips that stand below each "
        f"other: no pixel of the larger map lies where it belongs. {repair} deals the channels out around each pixel.",
    )
