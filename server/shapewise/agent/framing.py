"""Messages on a stream that others may print on: a line with length and checksum, then JSON in one line.

What is not such a line is skipped: banners, job managers, line ends that became CRLF. A message that
was damaged on the way is told from one that was not.
"""

from __future__ import annotations

import json
import re
import zlib
from typing import Any

_HEADER = re.compile(rb"@(\d{1,10}) ([0-9a-f]{8})\r*\n")
_LARGEST = 1 << 28


class Damaged(Exception):
    """What came is not what was sent."""


def framed(message: dict[str, Any]) -> bytes:
    """One message, ready to be written."""
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    return b"\n@%d %08x\n%s\n" % (len(body), zlib.crc32(body), body)


class Frames:
    """Takes bytes as they come and gives messages."""

    def __init__(self) -> None:
        self._data = bytearray()
        self.strays = bytearray()
        """The last of what was no message."""

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """The messages that are complete with these bytes. Raises Damaged."""
        self._data += data
        messages: list[dict[str, Any]] = []
        while True:
            found = _HEADER.search(self._data)
            if found is None:
                kept = self._data.rfind(b"\n") + 1  # of the last line more may come
                self._stray(self._data[:kept])
                del self._data[:kept]
                if len(self._data) > 1 << 20:
                    del self._data[:-64]
                return messages
            size = int(found.group(1))
            if size > _LARGEST:
                raise Damaged(f"a message of {size} bytes")
            if len(self._data) < found.end() + size:
                return messages
            self._stray(self._data[: found.start()])
            body = bytes(self._data[found.end() : found.end() + size])
            if zlib.crc32(body) != int(found.group(2), 16):
                raise Damaged("its checksum is another")
            del self._data[: found.end() + size]
            message = json.loads(body)
            if not isinstance(message, dict):
                raise Damaged("it is no message")
            messages.append(message)

    def _stray(self, data: bytearray) -> None:
        if data.strip():
            self.strays += data
            del self.strays[:-4096]
