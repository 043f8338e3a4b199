"""The language server on stdin and stdout."""

from __future__ import annotations

import logging
import os
import sys

from . import (
    annotate,
    code_actions,
    code_lens,
    hover,
    inlay_hints,
    lifecycle,
    model,
    notebooks,
    synchronization,
    tidying,
    validation,
    watching,
    why,
)
from .server import ShapewiseServer

_FEATURES = (
    lifecycle,
    synchronization,
    notebooks,
    inlay_hints,
    hover,
    code_actions,
    annotate,
    code_lens,
    model,
    why,
    validation,
    watching,
)


def make_server() -> ShapewiseServer:
    """A server with all its features."""
    server = ShapewiseServer()
    for feature in _FEATURES:
        feature.register(server)
    return server


_SWITCH = 0.0005
"""Seconds after which a thread that computes lets the event loop go on: Python's own 5 ms add up to 30 an answer."""


def main() -> None:
    """Serve until the client says `exit` or goes away. SHAPEWISE_LOG=debug says more on stderr."""
    level = os.environ.get("SHAPEWISE_LOG", "info").upper()
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    # pygls writes every message it sends to the log.
    logging.getLogger("pygls").setLevel(logging.ERROR)
    logging.getLogger("shapewise").setLevel(
        level if level in ("DEBUG", "INFO", "WARNING", "ERROR") else "INFO"
    )
    sys.setswitchinterval(_SWITCH)
    tidying.prepare()
    # Whatever prints must not end up between two messages.
    channel = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    server = make_server()
    try:
        server.start_io(stdout=channel)
    finally:
        server.end()


if __name__ == "__main__":
    main()
