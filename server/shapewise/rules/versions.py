"""What holds from which version of torch on."""

from __future__ import annotations

import re

from ..vocabulary.events import Log


def at_least(log: Log, major: int, minor: int) -> bool:
    """Whether the file's torch is that version or a later one; True if it is not known."""
    match = re.match(r"(\d+)\.(\d+)", log.torch)
    return match is None or (int(match[1]), int(match[2])) >= (major, minor)
