"""How torch says that tensors stand on different devices: in many words, by the op."""

from __future__ import annotations

import re

CLASHES = tuple(
    re.compile(words)
    for words in (
        r"Expected all tensors to be on the same device",
        r"indices should be either on cpu or on the same device",
        r"Input type \(torch\.cuda\.\w+\) and \w+ type \(torch\.(?!cuda\.)",
        r"Input type \(torch\.(?!cuda\.)\w+\) and \w+ type \(torch\.cuda\.",
        r"Input and (?:hidden|parameter) tensors are not at the same device",
        r"Expected query, key, and value to have the same device type",
        r"expected self and mask to be on the same device",
        r"Expected a '\w+' device type for generator",
        r"'lengths' argument should be a 1D CPU int64 tensor, but got 1D (?!cpu)",
        r"Expected tensor to have \S+ Device, but got",
        r"meshgrid expects all tensors to have the same device",
        r"invalid gradient at index \d+ - expected device",
        r"attempting to assign a gradient with device type",
        r"CPU Scalar support for self argument",
    )
)


def is_clash(message: str) -> bool:
    """Whether torch's words are of devices that differ."""
    return any(pattern.match(message) for pattern in CLASHES)
