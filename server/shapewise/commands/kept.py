"""What was said of files, kept from one run of the command line to the next.

An entry holds as long as all that it was made of is the same: the text, the settings, this version of
shapewise, the interpreter and what is installed for it, which Python files there are in this folder,
and the texts of the project's own files that the trace came through. It stands in the user's cache
folder, never in the project: a folder that somebody else made must not say what is found in it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from .. import __version__
from ..analysis import Elsewhere
from ..report.checked import Checked
from ..rules.telling.pages import pages
from ..source import Source
from ..vocabulary import wire
from ..workspace.listing import listed

_IN_A_FOLDER = 200
"""Entries in each of 256 folders; beyond that the older half goes."""

_FOLDERS = 5_000
"""How many folders below this one are looked into for Python files."""


def folder() -> Path:
    """Where entries are kept, by the habits of the system."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "shapewise" / "check"


class Kept:
    """The entries of one run. A folder that cannot be read or written keeps nothing, and says nothing."""

    def __init__(self, where: Path | None = None) -> None:
        self._where = where or folder()
        self._here = _digest(
            __version__, *_stamps(Path(__file__).parent.parent), repr(pages()), *listed(".", most=_FOLDERS)
        )
        self._installed: dict[str, str] = {}
        self._texts: dict[str, str] = {}

    def key(self, source: Source, interpreter: str, settings: Sequence[object]) -> str:
        """What an entry is found by: all that is known before the file is traced."""
        if interpreter not in self._installed:
            self._installed[interpreter] = _digest(interpreter, *_packages(interpreter))
        path = os.path.abspath(source.path)
        return _digest(self._here, self._installed[interpreter], path, source.text, *map(repr, settings))

    def get(self, key: str, source: Source) -> Checked | None:
        """What was said of it, if it still holds."""
        try:
            entry = json.loads(self._place(key).read_text("utf-8"))
            if any(self._text(file) != digest for file, digest in entry["files"]):
                return None
            findings, facts, elsewhere = wire.decode(entry["said"])
            others = tuple(Elsewhere(*other) for other in elsewhere)
            return Checked(source, findings, facts, str(entry["torch"]), 0.0, others)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, checked: Checked, files: Sequence[str]) -> None:
        """Keep what was said. `files` are those of the project that the trace came through."""
        others = tuple((other.file, other.facts, other.findings) for other in checked.elsewhere)
        entry = {
            "files": [(file, self._text(file)) for file in files],
            "torch": checked.torch,
            "said": wire.encode((checked.findings, checked.facts, others)),
        }
        place = self._place(key)
        try:
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = place.with_suffix(f".{os.getpid()}")
            new.write_text(json.dumps(entry), "utf-8")
            new.replace(place)
            _thin_out(place.parent)
        except OSError:
            return

    def _place(self, key: str) -> Path:
        return self._where / key[:2] / f"{key[2:]}.json"

    def _text(self, file: str) -> str:
        """The digest of a file as it is now; of one that is not there, nothing."""
        if file not in self._texts:
            try:
                self._texts[file] = hashlib.sha256(Path(file).read_bytes()).hexdigest()
            except OSError:
                self._texts[file] = ""
        return self._texts[file]


def _digest(*parts: object) -> str:
    return hashlib.sha256("\0".join(map(str, parts)).encode("utf-8", "surrogatepass")).hexdigest()


def _stamps(top: Path) -> Iterator[str]:
    """What tells one state of shapewise's own files from another."""
    for where, folders, files in os.walk(top):
        folders[:] = sorted(one for one in folders if one != "__pycache__")
        for file in sorted(files):
            status = os.stat(os.path.join(where, file))
            yield f"{where}/{file} {status.st_mtime_ns} {status.st_size}"


def _packages(interpreter: str) -> Iterator[str]:
    """What tells one state of an interpreter's packages from another: installing changes the folder."""
    top = Path(interpreter).absolute().parent.parent
    for place in (
        Path(interpreter),
        *sorted(top.glob("lib*/python*/site-packages")),
        top / "Lib" / "site-packages",
    ):
        try:
            yield f"{place} {os.stat(place).st_mtime_ns}"
        except OSError:
            continue


def _thin_out(shard: Path) -> None:
    entries = [*shard.iterdir()]
    if len(entries) > _IN_A_FOLDER:
        for entry in sorted(entries, key=lambda one: one.stat().st_mtime)[: len(entries) // 2]:
            entry.unlink(missing_ok=True)
