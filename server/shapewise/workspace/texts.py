"""The texts of modules: as they are in the editor, else as they are on disk, each read and repaired once."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from .. import documents
from ..repair import Repaired, repair

_LARGEST = 1_500_000
"""Bytes of a file that is read: larger ones are data in the form of a module."""

_CHARACTERS = 24_000_000
"""How much text is kept."""

_NEWLINE = re.compile(r"\r\n?")

Opened = Callable[[str], "str | None"]
"""The text of a file that is open in an editor."""


@dataclass(frozen=True, slots=True)
class Text:
    """One module's text, repaired; `digest` names it."""

    repaired: Repaired
    digest: str


class Texts:
    """Whatever was read lately."""

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self._kept: OrderedDict[str, tuple[object, Text | str]] = OrderedDict()
        self._characters = 0

    def is_there(self, path: str) -> bool:
        """Whether there is a plain file, or an open document."""
        if self.opened(path) is not None:
            return True
        try:
            return stat.S_ISREG(os.stat(path).st_mode)
        except (OSError, ValueError):
            return False

    def read(self, path: str, library: bool = False) -> Text | str:
        """The text of a module, or a few words on why there is none. One of a library is not repaired."""
        opened = self.opened(path)
        if opened is not None:
            return self._kept_for(path, opened, lambda: _text(_NEWLINE.sub("\n", opened), library))
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return "it cannot be read"
        if not stat.S_ISREG(status.st_mode):
            return "it is not a regular file"
        if status.st_size > _LARGEST:
            return "it is too large to follow"
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        return self._kept_for(path, stamp, lambda: _from_disk(path, library))

    def _kept_for(self, path: str, stamp: object, make: Callable[[], Text | str]) -> Text | str:
        """What was made for a path, made anew if its stamp is another."""
        kept = self._kept.pop(path, None)
        if kept is not None:
            self._characters -= _size(kept[1])
        made = kept[1] if kept is not None and kept[0] == stamp else make()
        self._kept[path] = (stamp, made)
        self._characters += _size(made)
        while self._characters > _CHARACTERS and len(self._kept) > 1:
            self._characters -= _size(self._kept.popitem(last=False)[1][1])
        return made


def _size(text: Text | str) -> int:
    return len(text) if isinstance(text, str) else len(text.repaired.text)


def _from_disk(path: str, library: bool) -> Text | str:
    try:
        return _text(documents.read(path).source.text, library)
    except documents.UnreadableFile:
        return "it cannot be read as Python"


def _text(text: str, library: bool) -> Text:
    repaired = Repaired(text) if library else repair(text)
    named = f"{[(one.span.line, one.names) for one in repaired.broken]}\n{repaired.text}"
    return Text(repaired, hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest())
