"""What torch says of its functions, asked for once each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from .errors import TracerError

Doc = tuple[str, str]
"""How a function is called, and the beginning of its docstring; either may be empty."""


class Documentation:
    """Keeps what was answered; what takes long to come is there when it is asked for again."""

    def __init__(self, ask: Callable[[Sequence[str]], Awaitable[dict[str, Any]]]) -> None:
        self._ask = ask
        self._known: dict[str, Doc | None] = {}
        self._asked: dict[str, asyncio.Task[None]] = {}

    async def of(self, name: str, patience: float) -> Doc | None:
        """What is said of an op, if it is known after some seconds."""
        if name not in self._known:
            task = self._asked.get(name)
            if task is None:
                task = self._asked[name] = asyncio.create_task(self._learn(name))
            await asyncio.wait([task], timeout=patience)
        return self._known.get(name)

    async def _learn(self, name: str) -> None:
        try:
            said = (await self._ask([name])).get(name)
            self._known[name] = (
                (str(said[0]), str(said[1])) if isinstance(said, list) and len(said) == 2 else None
            )
        except TracerError:
            return  # asked again with the next hover
        finally:
            self._asked.pop(name, None)
