"""Garbage in cycles is looked for when nobody types: a look through everything stops the event loop for 50 to 100 ms."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable

_NEW = 30_000
"""New objects after which the youngest are looked through: a long file's facts are tens of thousands at every
keystroke, few of them garbage in cycles, and Python's own 700 doubled the time of all that is asked of them."""

_YOUNG, _MIDDLE = 10, 4
"""So many looks are one at the middle-aged; so many of these one at everything. Python's own 10 and 10 left the
courses of 400 edits, 40 MB, in the oldest, which was looked at once."""

_QUIET = 1.0
"""Seconds after the last edit."""

_WORTH_IT = 2
"""Looks at the youngest since the last at everything."""


class Tidying:
    """Looks through everything in the pauses, where much has come since the last time. Belongs to an event loop."""

    def __init__(self, is_busy: Callable[[], bool] = lambda: False) -> None:
        """Once it `is_busy`, what somebody waits for comes first: on a slow machine that takes longer than a pause."""
        self._is_busy = is_busy
        self._timer: asyncio.TimerHandle | None = None

    def edited(self) -> None:
        """Somebody types."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(_QUIET, self._tidy)

    def _tidy(self) -> None:
        if self._is_busy():
            self.edited()
        else:
            _tidy()


def prepare() -> None:
    """Once, with all imported: what is there now stays, and is never looked through."""
    gc.freeze()
    gc.set_threshold(_NEW, _YOUNG, _MIDDLE)


def _tidy() -> None:
    _, young, middle = gc.get_count()
    if young + _YOUNG * middle >= _WORTH_IT:
        gc.collect()
