"""What can go wrong between the server and its tracer."""


class TracerError(Exception):
    """One clear sentence for the user: why there is no trace, and what to do."""
