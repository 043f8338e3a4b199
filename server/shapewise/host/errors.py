"""What can go wrong between the server and its tracer."""

from __future__ import annotations


class TracerError(Exception):
    """One clear sentence for the user: why there is no trace, and what to do."""


class CannotStart(TracerError):
    """There is no tracer to be had: no Python, one that is too old, no torch in it."""


class TracerDied(TracerError):
    """The tracer ended in the middle of a trace. The next trace starts a new one."""


class TooSlow(TracerError):
    """The trace outlasted its time and was ended. The next trace starts a new one."""


class SetAside(TracerError):
    """The file has ended the tracer too often; it is not traced until its text changes."""
