"""Messages read from a tracer's stdout, whatever else is printed there before the first."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from ..vocabulary import wire

LONGEST_LINE = 1 << 20
"""Bytes of a line that are kept in memory."""

BIG_MESSAGE = 1 << 17
"""Bytes from which a message is decoded in a thread, so that nothing waits for it."""

_LONGEST_MESSAGE = 1 << 30


async def past_magic(stream: asyncio.StreamReader) -> None:
    """Read up to the line with which a tracer begins: login shells and site hooks print before it."""
    while True:
        try:
            line = await stream.readline()
        except ValueError:
            continue  # a line longer than any of ours: the reader has dropped it
        if line.endswith(wire.MAGIC):
            return
        if not line.endswith(b"\n"):
            raise EOFError


async def read_message(stream: asyncio.StreamReader) -> dict[str, Any]:
    """One message, and its `size` in bytes. Raises EOFError, ValueError."""
    header = b""
    while (line := await stream.readline()) != b"\r\n":
        if not line:
            raise EOFError
        if b":" not in line or not line.endswith(b"\r\n"):
            raise ValueError(f"not a message: {line[:40]!r}")
        header += line
    size = wire.content_length(header)
    if not 0 <= size <= _LONGEST_MESSAGE:
        raise ValueError(f"a message of {size} bytes")
    try:
        body = await stream.readexactly(size)
    except asyncio.IncompleteReadError:
        raise EOFError from None
    try:
        message = await asyncio.to_thread(json.loads, body) if size > BIG_MESSAGE else json.loads(body)
    except RecursionError:
        raise ValueError("a message that nests too deeply") from None
    if not isinstance(message, dict):
        raise ValueError("no message")
    return {**message, "size": size}
