"""Files that do not outlive the program that writes them: in memory, or temporary."""

from __future__ import annotations

import re

from ...program.events import Event
from ...program.values import GIVEN, within

_OF_PYTEST = re.compile(r"^tmp_?(path|dir)")


def is_temporary(saved: Event) -> bool:
    """Whether `torch.save` writes to memory or to a temporary file: it is read back by who wrote it, with the same classes."""
    file = saved.argument("f", 1)
    return file is not None and any(
        one.by.startswith(("io.", "tempfile.")) or (one.by == GIVEN and _OF_PYTEST.match(one.name))
        for one in within(file, 6)
    )
