"""`shapewise/status`: one sentence on how things are, sent whenever it changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

METHOD = "shapewise/status"


@dataclass(frozen=True, slots=True)
class Status:
    """`state`: starting, ready, working or problem."""

    state: str
    message: str
    detail: str = ""
    busy: bool = False


class StatusLine:
    """Sends a status if it is another than the last one."""

    def __init__(self, send: Callable[[str, dict[str, object]], None]) -> None:
        self._send = send
        self.current: Status | None = None

    def show(self, status: Status) -> None:
        """Make this the status."""
        if status != self.current:
            self.current = status
            self._send(METHOD, asdict(status))
