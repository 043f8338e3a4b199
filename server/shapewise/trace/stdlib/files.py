"""Files: what the interpreted file has written itself is read back as it was written. No file is opened.

What a file holds is a text, bytes, one object that was pickled or saved (`objects.Saved`), or an Unknown. It is noted in the
journal as names are: what is written on one way of an unknown condition is there for what reads it later.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import Any

from ..disk import Disk, Written
from ..shims import here
from ..state import ATTRIBUTE, NAME
from ..unknowns import texts
from ..unknowns.grown import AS_LISTS, is_grown
from ..unknowns.unknown import Lost, Unknown
from . import list_member, stand_in
from .plain import as_path

_WHY = "what a file says"
_LETTERS = 200_000


def _disk() -> tuple[Any, Disk] | None:
    env = here()
    if env is None:
        return None
    env.run.spoiled += 1
    return env.run, env.run.disk


def content(file: Any) -> Any:
    """What a path, or an open file, holds; an Unknown where that is not known."""
    if isinstance(file, File):
        return file.content()
    path, found = as_path(file), _disk()
    if path is None or found is None:
        return Unknown(_WHY)
    return found[1].holds.get(os.path.normpath(path), Unknown(_WHY))


def put(file: Any, value: Any) -> None:
    """From now on a path, or an open file, holds this. Where the path is not known, no file is known any more."""
    if isinstance(file, File):
        file.put(value)
        return
    found = _disk()
    if found is None:
        return
    run, disk = found
    path = as_path(file)
    for one in [os.path.normpath(path)] if path is not None else list(disk.holds):
        run.journal.note(NAME, disk.holds, one)
        certain = path is not None and not (run.ways and _may_be_there(disk, one))
        disk.holds[one] = value if certain else Unknown(_WHY)
        if path is not None:
            run.journal.note(ATTRIBUTE, disk.there, one)
            setattr(disk.there, one, True)


def _may_be_there(disk: Disk, path: str) -> bool:
    """Whether the file asked if this path exists, or a folder around it."""
    return any(path == one or path.startswith(one + os.sep) for one in disk.asked)


def is_there(file: Any) -> Any:
    """Whether a path exists, where the file itself has written it."""
    path, found = as_path(file), _disk()
    if path is None or found is None:
        return Unknown("depends on the disk")
    path = os.path.normpath(path)
    if getattr(found[1].there, path, None) is True:
        return True
    found[1].asked.add(path)
    return Unknown("depends on the disk")


def is_folder(path: Any) -> Any:
    """Whether a path is a folder."""
    is_there(path)
    return Unknown("depends on the disk")


def removed(*files: Any) -> None:
    """These paths may hold something else from now on."""
    for file in files:
        put(file, Unknown(_WHY))
        found, path = _disk(), as_path(file)
        if found is not None and path is not None:
            found[0].journal.note(ATTRIBUTE, found[1].there, os.path.normpath(path))
            setattr(found[1].there, os.path.normpath(path), Unknown("depends on the disk"))


def moved(source: Any, target: Any) -> None:
    """`os.rename`, `os.replace`, `shutil.move`."""
    value = content(source)
    removed(source)
    put(target, value)


def _duplicated(source: Any, target: Any) -> None:
    put(target, content(source))


def _forgotten(*folders: Any, **options: Any) -> None:
    """`shutil.rmtree`: what lies in a folder is gone, and which of the files do is not looked at."""
    put(None, Unknown(_WHY))


class File(Written):
    """A file that is open, or a buffer in memory. Where it is read from is not noted in the journal: see `_take`."""

    def __init__(self, path: Any = None, mode: str = "w+", newline: Any = None, value: Any = "") -> None:
        self.name = path
        self._mode = mode
        self._newline = newline
        self._own = value
        self._rest: io.StringIO | None = None
        self._lost = False
        env = here()
        self._ways = len(env.run.ways) if env is not None else 0

    def content(self) -> Any:
        return self._own if self.name is None else content(self.name)

    def put(self, value: Any) -> None:
        if self.name is not None:
            put(self.name, value)
            return
        env = here()
        if env is not None:
            env.run.spoiled += 1
            env.run.journal.note(ATTRIBUTE, self, "_own")
        self._own = value

    def lose(self) -> None:
        """Somebody may have written into it whom we do not follow."""
        self.put(Unknown(_WHY))

    def write(self, text: Any) -> Any:
        before = self.content()
        if type(text) is not type(before) or not isinstance(text, (str, bytes)):
            self.lose()
            return Unknown(_WHY)
        self.put(before + text if len(before) + len(text) <= _LETTERS else Unknown("a long file"))
        return len(text)

    def writelines(self, lines: Any) -> None:
        if type(lines) in (list, tuple) and all(type(line) is str for line in lines):
            self.write("".join(lines))
        else:
            self.lose()

    def _take(self) -> io.StringIO | None:
        """What is left to be read; None where that is not known."""
        env, value = here(), self.content()
        if env is None or type(value) is not str or len(env.run.ways) != self._ways or self._lost:
            self._lost = True
            return None
        if self._rest is None:
            self._rest = io.StringIO(value, newline=self._newline)
        return self._rest

    def read(self, size: Any = -1) -> Any:
        rest = self._take()
        return texts.text(_WHY) if rest is None or type(size) is not int else rest.read(size)

    def readline(self) -> Any:
        rest = self._take()
        return texts.text(_WHY) if rest is None else rest.readline()

    def readlines(self) -> Any:
        rest = self._take()
        return texts.some(texts.text(_WHY), _WHY) if rest is None else rest.readlines()

    def __iter__(self) -> Iterator[Any]:
        lines = self.readlines()
        if (lost := is_grown(lines)) is not None:
            raise Lost(lost.why)
        return iter(lines)

    def __next__(self) -> Any:
        line = self.readline()
        if line == "":
            raise StopIteration
        return line

    def seek(self, place: Any = 0, whence: Any = 0) -> Any:
        self._lost = self._lost or place != 0 or whence != 0
        self._rest = None
        return place

    def tell(self) -> Any:
        return Unknown("a place in a file")

    def getvalue(self) -> Any:
        value = self.content()
        return value if isinstance(value, (str, bytes)) else Unknown(_WHY)

    getbuffer = getvalue

    def flush(self) -> None:
        """What is written is there at once."""

    def close(self) -> None:
        """As is what was not flushed."""

    def truncate(self, size: Any = None) -> Any:
        self.lose()
        return size

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *details: Any) -> None:
        return None


list_member(File, "open")
AS_LISTS[File] = File.readlines


def opened(
    file: Any,
    mode: Any = "r",
    buffering: Any = -1,
    encoding: Any = None,
    errors: Any = None,
    newline: Any = None,
) -> Any:
    """`open`. A file that was not written by the file itself is known to be one, and no more."""
    if type(mode) is not str or as_path(file) is None or type(newline) not in (str, type(None)):
        put(file, Unknown(_WHY)) if type(mode) is not str or set(mode) & set("wax+") else None
        return texts.opened(mode, _WHY)
    empty: Any = b"" if "b" in mode else ""
    if "w" in mode or "x" in mode:
        put(file, empty)
    elif "a" in mode:
        put(file, content(file))
    elif "+" in mode:
        put(file, Unknown(_WHY))
    if "r" in mode and type(content(file)) is Unknown:
        is_there(file)
        return texts.opened(mode, _WHY)
    return File(os.path.normpath(str(as_path(file))), mode, newline)


# ---------------------------------------------------------------- buffers, folders


def _string(value: Any = "", newline: Any = "\n") -> Any:
    return File(newline="", value=value if type(value) is str else Unknown(_WHY))


def _bytes(value: Any = b"") -> Any:
    return File(value=value if type(value) is bytes else Unknown(_WHY))


stand_in("io", {"StringIO": _string, "BytesIO": _bytes, "open": opened, "SEEK_SET": 0, "SEEK_END": 2})
stand_in(
    "shutil",
    {"move": moved, "rmtree": _forgotten, **dict.fromkeys(("copy", "copyfile", "copy2"), _duplicated)},
)


# ---------------------------------------------------------------- tempfile


def _temporary(*args: Any, **options: Any) -> str:
    """A path that no other call gives: nothing but where it leads is ever asked of it."""
    found = _disk()
    if found is None:
        return os.path.join(_FOLDER, "0")
    found[1].made += 1
    suffix = options.get("suffix")
    return os.path.join(_FOLDER, f"{found[1].made}{suffix if type(suffix) is str else ''}")


_FOLDER = os.path.join(os.sep, "tmp")


class TemporaryDirectory:
    """`tempfile.TemporaryDirectory`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.name = _temporary()

    def cleanup(self) -> None:
        _forgotten()

    def __enter__(self) -> Any:
        return self.name

    def __exit__(self, *details: Any) -> None:
        self.cleanup()


def _temporary_file(mode: Any = "w+b", *args: Any, **options: Any) -> Any:
    return opened(_temporary(**options), mode if type(mode) is str else "w+b")


list_member(TemporaryDirectory, "tempfile.TemporaryDirectory")
stand_in(
    "tempfile",
    {
        "mkdtemp": _temporary,
        "mkstemp": lambda *args, **options: (Unknown(_WHY), _temporary(*args, **options)),
        "gettempdir": lambda: _FOLDER,
        "TemporaryDirectory": TemporaryDirectory,
        "NamedTemporaryFile": _temporary_file,
        "TemporaryFile": _temporary_file,
    },
)
