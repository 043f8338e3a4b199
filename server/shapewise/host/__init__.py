"""The other end of the tracer: finds the user's Python, starts, feeds, kills and restarts the tracer."""
