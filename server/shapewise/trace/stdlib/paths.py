"""os.path and pathlib: the text of a path is known, what is on the disk is not."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable
from typing import Any

from ..unknowns import texts
from ..unknowns.unknown import Unknown
from ..wall import allowed
from . import files, list_member, nothing, stand_in
from .plain import as_path

_PATH = "a path that is not known"


def _on_text(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of os.path that looks at the text of paths only."""

    def stand_in(*paths: Any) -> Any:
        known = [as_path(path) for path in paths]
        return function(*known) if None not in known else _of_unknown(function.__name__)

    return stand_in


def _of_unknown(name: str) -> Any:
    """What a function gives of paths of which one is not known."""
    one, other = texts.text(_PATH), texts.text(_PATH)
    return (one, other) if name.startswith("split") else Unknown(_PATH) if name == "isabs" else one


def _absolute(path: Any) -> Any:
    text = as_path(path)
    if text is None or not os.path.isabs(text):
        return texts.text(_PATH)
    return os.path.normpath(text)


_DISK = "depends on the disk"


def _on_disk(*args: Any, **options: Any) -> Any:
    return Unknown(_DISK)


def names_on_disk(*args: Any, **options: Any) -> Any:
    """The names of nobody knows how many files: `os.listdir`, `glob.glob`."""
    return texts.some(texts.text(_DISK), _DISK)


_TEXT_ONLY = "join basename dirname split splitext splitdrive normpath normcase isabs commonprefix".split()
_LOOKS = (
    "exists isfile isdir islink lexists getsize getmtime getatime getctime realpath expanduser expandvars samefile "
    "relpath"
).split()
PATH = stand_in(
    "os.path",
    {
        **{name: _on_text(getattr(os.path, name)) for name in _TEXT_ONLY},
        **dict.fromkeys(_LOOKS, _on_disk),
        **dict.fromkeys(("exists", "isfile"), files.is_there),
        "isdir": files.is_folder,
        "abspath": _absolute,
        "sep": os.path.sep,
        "pathsep": os.path.pathsep,
        "curdir": os.path.curdir,
        "pardir": os.path.pardir,
        "extsep": os.path.extsep,
    },
)


class Path(type(pathlib.PurePath())):  # type: ignore[misc]
    """`pathlib.Path`: a path as a text."""

    __slots__ = ()

    def absolute(self) -> Any:
        return self if self.is_absolute() else Unknown("a path that is not known")

    @classmethod
    def cwd(cls) -> Any:
        return Unknown("the folder that the file is run in")

    @classmethod
    def home(cls) -> Any:
        return Unknown("the home of the user")


def _opened(self: Any, mode: Any = "r", *args: Any, **options: Any) -> Any:
    return files.opened(self, mode, *args, **options)


def _read(self: Any, *args: Any, **options: Any) -> Any:
    held = files.content(self)
    return held if type(held) is str else texts.text("what a file says")


def _moved(self: Any, target: Any) -> Any:
    files.moved(self, target)
    return target


def _written(self: Any, data: Any, *args: Any, **options: Any) -> Any:
    files.put(self, data)
    return len(data) if isinstance(data, (str, bytes)) else Unknown("how much was written")


Path.open, Path.read_text, Path.write_text, Path.write_bytes = _opened, _read, _written, _written
Path.exists = Path.is_file = lambda self, **options: files.is_there(self)
Path.is_dir = lambda self, **options: files.is_folder(self)
Path.unlink = lambda self, **options: files.removed(self)
Path.rename = Path.replace = _moved
for _name in (
    "is_symlink is_mount stat lstat glob rglob iterdir walk read_bytes resolve "
    "expanduser samefile owner group readlink"
).split():
    setattr(Path, _name, _on_disk)
for _name in "mkdir rmdir touch chmod symlink_to".split():
    setattr(Path, _name, nothing)
list_member(Path, "pathlib.Path")
_PURE = (
    "as_posix is_absolute is_relative_to joinpath match relative_to with_name with_stem with_suffix".split()
)
for _base in (pathlib.PurePath, pathlib.PurePosixPath, pathlib.PureWindowsPath):
    allowed.list_callable(_base, f"pathlib.{_base.__name__}")
    for _name in _PURE:
        _method = getattr(_base, _name, None)
        if _method is not None:
            allowed.list_callable(_method, _name)
stand_in(
    "pathlib",
    {
        "Path": Path,
        "PosixPath": Path,
        "PurePath": pathlib.PurePath,
        "PurePosixPath": pathlib.PurePosixPath,
        "PureWindowsPath": pathlib.PureWindowsPath,
    },
)
stand_in("glob", dict.fromkeys(("glob", "iglob"), names_on_disk))
