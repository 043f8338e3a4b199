"""Long computations off the event loop, with only the tracer's own input and output left on it."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, TypeVar

from ..analysis import Tracer
from ..host.errors import TracerError
from ..repair import Repaired
from ..vocabulary.events import Log

Result = TypeVar("Result")


class _FromAside:
    """The tracer as seen from a thread: its process belongs to the loop that serves the editor."""

    def __init__(
        self, tracer: Tracer, loop: asyncio.AbstractEventLoop, is_stopped: Callable[[], bool]
    ) -> None:
        self._tracer = tracer
        self._loop = loop
        self._is_stopped = is_stopped

    async def trace(
        self,
        path: str,
        repaired: Repaired,
        called: Sequence[str] = (),
        *,
        measure: bool = False,
        card: bool = False,
    ) -> Log:
        """The event log of a text. Raises `host.errors.TracerError`, also if nobody wants it any more."""
        if self._is_stopped():
            raise TracerError(f"{path} has changed before it was traced.")
        given: dict[str, Any] = {"called": called} if called else {}
        given.update({name: True for name, on in (("measure", measure), ("card", card)) if on})
        return await asyncio.wrap_future(
            asyncio.run_coroutine_threadsafe(self._tracer.trace(path, repaired, **given), self._loop)
        )


def aside(
    work: Callable[[Tracer], Coroutine[Any, Any, Result]],
    tracer: Tracer,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Awaitable[Result]:
    """Run a coroutine on another thread's loop, with a tracer to ask: no file is too big for this loop to go on.

    Once it `is_stopped`, the tracer is asked nothing more.
    """
    from_aside = _FromAside(tracer, asyncio.get_running_loop(), is_stopped)
    return asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work(from_aside), _elsewhere()))


@functools.cache
def _elsewhere() -> asyncio.AbstractEventLoop:
    """The loop of a thread that lives as long as the process: to make one anew takes as long as a small edit."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="aside", daemon=True).start()
    return loop
