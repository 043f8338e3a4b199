"""What a trace tells of functions that nobody calls, and how long it may try."""

from __future__ import annotations

from ...vocabulary.events import Event


class Told:
    """That of one trace."""

    def __init__(self) -> None:
        self.patience: float | None = None
        """Seconds that may be spent on them."""
        self.is_typed = False
        """Whether somebody types, and waits: only what was edited itself is tried, and what is over soon."""
        self.seconds = 0.0
        """Seconds of this thread's time that were spent."""
        self.events: list[Event] = []
        """What happened on made-up inputs."""
        self.tried: dict[int, str] = {}
        """By frame of those: the definition that they were made up for."""
        self.unfinished: tuple[str, ...] = ()
        """Definitions that not all was tried of."""
        self.untried: frozenset[str] | None = frozenset()
        """What at the top of the file has not run, or not all of it; None where it is tried anew in each trace."""
