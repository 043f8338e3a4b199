"""How much address space the process may take: fake tensors take none, and what grows without end shall not take all."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterator

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

_SIZES = "/proc/self/statm"
LITTLE = 5 * 1024**3
"""Bytes that a call of real torch may take, which computes some results before it refuses what it is given."""


@functools.cache
def _sizes() -> int:
    """The file in which the system tells the sizes of this process: nothing is opened while a trace runs (see `wall`)."""
    return os.open(_SIZES, os.O_RDONLY)


with contextlib.suppress(OSError):
    _sizes()


def bound(more: int) -> tuple[int, int] | None:
    """From now on no more bytes than that beyond what is mapped, nor than before.

    The limits until now; None where the system tells no sizes, or sets no limits.
    """
    try:
        mapped = int(os.pread(_sizes(), 64, 0).split()[0]) * os.sysconf("SC_PAGE_SIZE")
        before = resource.getrlimit(resource.RLIMIT_AS)
        if before[0] == resource.RLIM_INFINITY or mapped + more < before[0]:
            resource.setrlimit(resource.RLIMIT_AS, (mapped + more, before[1]))
    except (AttributeError, OSError, ValueError):
        return None
    return before


@contextlib.contextmanager
def little() -> Iterator[None]:
    """As long as it lasts: torch says of more that it can't allocate memory."""
    before = bound(LITTLE)
    try:
        yield
    finally:
        if before is not None:
            resource.setrlimit(resource.RLIMIT_AS, before)
