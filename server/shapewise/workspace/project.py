"""Where an import leads: a file, found by the module's name as Python's own path finder finds it.

A resolver over folders needs to know nothing of what stands in the files. jedi was the other
choice: it parses what it finds, to answer richer questions than this one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from ..repair import Broken
from ..vocabulary.wire import RESIZES
from .packages import is_followed
from .texts import Opened, Texts

_PATH_CHANGED = re.compile(r"sys\.path\b")
_RELATIVE = re.compile(r"from[ \t]+\.")
_INDENTED = re.compile(r"[ \t]*")
_MARKS = ("pyproject.toml", ".git", "setup.py", "setup.cfg")
"""What stands in the folder of a project."""

_MANY = 10_000
"""Files of a folder that are looked at: more of them are data."""

_RESIZING = frozenset(("torch_pruning", "nni", "sparseml"))
"""Packages that find layers by the graph of gradients and cut them smaller where they stand."""
_INSTALLERS = frozenset(("pkg_resources", "setuptools", "pip"))
"""Packages that look through all that is installed as soon as they are imported."""
INSTALLED = {"site-packages", "dist-packages", "node_modules", "__pypackages__"}
"""Folders of what is installed: it is not the user's own, wherever it lies."""
_NATIVE = (".so", ".pyd")
_STARTED = frozenset(
    "__future__ _abc _codecs _collections_abc _sitebuiltins abc builtins codecs encodings genericpath io ntpath os "
    "posixpath site stat sys torch numpy".split()
)
"""Names that mean what they always mean: modules that Python has imported before it looks beside a
script, and those without which nothing can be said."""


@dataclass(frozen=True, slots=True)
class Module:
    """One module; a namespace package has no file and no text.

    `own`: it is part of the user's project, and its facts are wanted.
    """

    file: str
    text: str
    digest: str
    broken: tuple[Broken, ...]
    package: bool
    own: bool


@dataclass(frozen=True, slots=True)
class Refused:
    """There is such a module, but it is not followed: `why`, in a few words."""

    why: str


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a module lies. A namespace package has no file; `folders` is where submodules are looked for."""

    file: str | None
    folders: tuple[str, ...]
    own: bool


class Project:
    """What is the user's own, whatever the file.

    `roots` are the folders of the workspace; they count for the files below them. `asked` are
    further folders whose modules are found and wanted like the user's own.
    """

    def __init__(
        self, roots: Sequence[str] = (), asked: Sequence[str] = (), opened: Opened = lambda path: None
    ) -> None:
        self.roots = [os.path.abspath(root) for root in roots]
        self.asked = [os.path.abspath(root) for root in asked]
        self.texts = Texts(opened)

    def imports(self, file: str, text: str) -> Imports:
        """What one file can import, at the time of one trace."""
        return Imports(self, file, text)


class Imports:
    """The modules that one file can reach, each found once."""

    def __init__(self, project: Project, file: str, text: str) -> None:
        self._texts = project.texts
        self._found: dict[str, _Place | Refused | None] = {}
        self.package = ""
        """The dotted path of the package that the file lies in."""
        self._folders: list[str] = []
        self._own: list[str] = list(project.asked)
        is_placed = os.path.isabs(file) or os.path.exists(file)
        folder = os.path.dirname(os.path.abspath(file)) if is_placed else ""
        roots = [root for root in project.roots if not folder or is_below(folder, root)]
        if folder:
            start = self._start(folder, text, roots)
            self._folders += [start, *project.asked, folder]
            self._own.append(os.path.join(start, self.package.split(".")[0]) if self.package else folder)
            mark = next((above for above in upwards(folder) if _is_marked(above)), None)
            if mark is not None and mark not in roots:
                roots.append(mark)
            self._folders += [above for above in upwards(start) if any(is_below(above, r) for r in roots)]
        self._own += roots
        self._folders += [*project.asked, *roots]
        self._folders += [os.path.join(one, "src") for one in self._folders]
        self._folders = list(dict.fromkeys(self._folders))
        self._library: list[str] = []
        self._added = [*_inner(roots)] if _PATH_CHANGED.search(text) else []

    def _start(self, folder: str, text: str, roots: Sequence[str]) -> str:
        """The folder from which the file's package is imported, or its own. Sets `package`.

        A file that imports from `.` lies in a package, whether or not that has an `__init__.py`.
        """
        start, names = folder, []
        while os.path.basename(start).isidentifier() and self._texts.is_there(
            os.path.join(start, "__init__.py")
        ):
            names.append(os.path.basename(start))
            start = os.path.dirname(start)
        if not names and _is_relative(text) and os.path.basename(folder).isidentifier():
            names, start = [os.path.basename(folder)], os.path.dirname(folder)
            while any(is_below(start, root) and start != root for root in roots):
                if not os.path.basename(start).isidentifier():
                    break
                names.append(os.path.basename(start))
                start = os.path.dirname(start)
        self.package = ".".join(reversed(names))
        return start

    @property
    def beside(self) -> list[str]:
        """Modules that Python finds beside the file before it looks into its own library."""
        return sorted(self._beside()) if self._folders else []

    def _beside(self) -> set[str]:
        first = self._folders[0]
        names = set()
        try:
            for entry in islice(os.scandir(first), _MANY):
                name = entry.name.removesuffix(".py")
                if not name.isidentifier() or name in _STARTED:
                    continue
                if name != entry.name or self._texts.is_there(os.path.join(entry.path, "__init__.py")):
                    names.add(name)
        except OSError:
            return set()
        return names

    def find(self, name: str, library: Sequence[str]) -> Module | Refused | None:
        """The module of an absolute name, None if there is none. `library`: the `sys.path` of the user's Python."""
        self._library = [os.path.abspath(folder) for folder in library]
        place = self._place(name)
        if not isinstance(place, _Place):
            return place
        if place.file is None:
            return Module("", "", "", (), True, place.own)
        text = self._texts.read(place.file, library=not place.own)
        if isinstance(text, str):
            return Refused(f"{name} is not followed: {text}")
        is_package = bool(place.folders)
        repaired = text.repaired
        return Module(place.file, repaired.text, text.digest, repaired.broken, is_package, place.own)

    def _place(self, name: str) -> _Place | Refused | None:
        if name not in self._found:
            self._found[name] = self._look(name)
        return self._found[name]

    def _look(self, name: str) -> _Place | Refused | None:
        parent, _, last = name.rpartition(".")
        if not last.isidentifier():
            return None
        if not parent:
            searched = [*self._folders, *self._library, *self._added]
            place = _find(last, searched, self._texts, self._is_own)
            if isinstance(place, _Place) and not place.own:
                if name in _RESIZING:
                    return Refused(f"{name} is not followed: {RESIZES}")
                where = place.folders[0] if place.folders else place.file
                if name in _INSTALLERS:
                    return Refused(f"{name} is not followed")
                if where is not None and not (where == place.file or is_followed(where)):
                    return Refused(f"{name} is not followed")
            return place
        above = self._place(parent)
        if not isinstance(above, _Place):
            return above
        return _find(last, above.folders, self._texts, self._is_own)

    def _is_own(self, path: str) -> bool:
        for root in self._own:
            if is_below(path, root) and not INSTALLED.intersection(path[len(root) :].split(os.sep)):
                return True
        return False


def _find(
    name: str, folders: Sequence[str], texts: Texts, is_own: Callable[[str], bool]
) -> _Place | Refused | None:
    """The first folder that has the module; else those that make up a namespace package of its name."""
    portions = []
    for folder in folders:
        inner = os.path.join(folder, name)
        if texts.is_there(os.path.join(inner, "__init__.py")):
            return _Place(os.path.join(inner, "__init__.py"), (inner,), is_own(inner))
        if texts.is_there(f"{inner}.py"):
            return _Place(f"{inner}.py", (), is_own(f"{inner}.py"))
        if _has_native(folder, name):
            return Refused(f"{name} is not followed: it is not written in Python")
        if os.path.isdir(inner):
            portions.append(inner)
    if portions:
        return _Place(None, tuple(portions), is_own(portions[0]))
    return None


def _has_native(folder: str, name: str) -> bool:
    try:
        return name in _natives(folder, os.stat(folder).st_mtime_ns)
    except (OSError, ValueError):
        return False


@lru_cache(maxsize=512)
def _natives(folder: str, stamp: int) -> frozenset[str]:
    """The extension modules of a folder as it was at a time."""
    with os.scandir(folder) as entries:
        return frozenset(e.name.partition(".")[0] for e in entries if e.name.endswith(_NATIVE))


def _inner(roots: Sequence[str]) -> Iterator[str]:
    """The folders in these: what a script may add to its path."""
    for root in roots:
        try:
            entries = sorted(islice(os.scandir(root), _MANY), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir() and not entry.name.startswith(".") and entry.name not in INSTALLED:
                yield entry.path


def project_of(project: Project, path: str) -> str | None:
    """The folder of the project that a file lies in: the workspace's, else the nearest that is marked as one."""
    folder = os.path.dirname(path)
    roots = [root for root in (*project.roots, *project.asked) if is_below(folder, root)]
    marked = next((above for above in upwards(folder) if _is_marked(above)), None)
    return max(roots, key=len, default=marked)


def _is_relative(text: str) -> bool:
    """Whether it imports from `.`. A pattern that may begin with spaces is tried at every character of a long file."""
    return any(
        _INDENTED.fullmatch(text, text.rfind("\n", 0, found.start()) + 1, found.start())
        for found in _RELATIVE.finditer(text)
    )


def upwards(folder: str) -> Iterator[str]:
    """A folder and those around it."""
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def is_below(path: str, root: str) -> bool:
    """Whether a path is that of a folder or of something in it."""
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _is_marked(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, mark)) for mark in _MARKS)
