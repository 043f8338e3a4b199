"""Many files at once: as many tracers as there are cores, each taking the next file when it is done."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from .session import Session

Item = TypeVar("Item")
Result = TypeVar("Result")

_FILES_A_LANE = 4
"""A tracer takes as long to start as some files to trace: for fewer it is not started."""
_WORTH_A_BAR = 10


async def in_lanes(
    items: Sequence[Item],
    work: Callable[[Item, Session], Awaitable[Result]],
    session: Callable[[], Session],
    lanes: int | None = None,
) -> tuple[list[Result], list[Session]]:
    """The results in the order of the items, and the sessions that were used."""
    lanes = min(lanes or cores(), max(1, len(items) // _FILES_A_LANE))
    sessions = [session() for _ in range(lanes)]
    waiting = iter(enumerate(items))
    results: dict[int, Result] = {}
    with _progress(len(items)) as advance:

        async def lane(own: Session) -> None:
            async with own:
                for number, item in waiting:
                    results[number] = await work(item, own)
                    advance()

        await asyncio.gather(*map(lane, sessions))
    return [results[number] for number in sorted(results)], sessions


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    """A bar on stderr, where somebody looks at it and there is enough to wait for."""
    console = Console(stderr=True)
    if not console.is_terminal or total < _WORTH_A_BAR:
        yield lambda: None
        return
    columns = (TextColumn("checking"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda: bar.advance(task)
