"""What there is to tell of a tensor that has a name, beyond its own facts: whose memory it is in, and how."""

from __future__ import annotations

from collections.abc import Callable

from ...vocabulary.events import Tensor
from ...vocabulary.span import Span
from ..places import Places
from .card import layout_block


def told(places: Places, span: Span, name: str, link: Callable[[Span], str]) -> list[str]:
    """Blocks of Markdown, each only if it holds for every run of the place."""
    reads = [event for event in places.bound(span) if event.name == name]
    tensors = [event.value for event in reads if isinstance(event.value, Tensor)]
    if not tensors or len(tensors) != len(reads) or any(places.made_up(event.frame) for event in reads):
        return []
    blocks = []
    if all(tensor.leaf and tensor.requires_grad for tensor in tensors):
        blocks.append("A leaf: its gradient arrives in `.grad`.")
    last = places.shares(tensors[-1], reads[-1])
    if last is not None and len({tensor.shape for tensor in tensors}) == 1:
        other, where = last
        if all(places.shares(tensor, read) == last for tensor, read in list(zip(tensors, reads))[:8]):
            blocks.append(f"Shares its memory with `{other}` ({link(where)}).")
    pictures = {layout_block(tensor) for tensor in tensors}
    if len(pictures) == 1:
        blocks += [picture for picture in pictures if picture]
    return blocks
