"""Which files of the workspace use a file: those that import it, and those that import these.

Found by a search for its name in import statements, made anew each time: nothing is kept but the words of
files that have not changed since, so that no index has to be built before the first answer, and none is stale.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from .. import documents
from ..documents import UnreadableFile
from ..parsing import parse
from ..repair import repair
from ..source import Source
from .listing import listed
from .project import Module, Project, is_below, project_of, upwards
from .pytests import as_script
from .reach import IMPORT, imported

_MANY = 3_000
"""Files that are looked at, the nearest first."""

_FOLDERS = 1_000
_LARGEST = 1_000_000
"""Bytes of a file that is looked at."""

_MOST_LOOKED_INTO = 300
"""Files whose imports are followed to where they lead."""

_MOST_STEPS = 8
"""How many imports may lie between a file and one that uses it in the end."""

_WORD = re.compile(r"\w+")


class Callers:
    """Finds who uses a file. Reads files, so not for the thread that serves the editor."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._words: dict[str, tuple[object, frozenset[str]]] = {}

    def of(self, path: str, most: int) -> list[Source]:
        """The programs that come by a file when they are run, the most promising first, at most so many.

        A file of tests is given with calls of its tests at its end.
        """
        path = os.path.abspath(path)
        found: list[tuple[int, int, Source]] = []
        words = {one: self._words_of(one) for one in self._nearby(path)}
        looked_into: dict[str, _Imported] = {}
        reached, waiting = {path}, [(path, 0)]
        while waiting:
            module, steps = waiting.pop(0)
            names = _names(module)
            for one in words:
                if one in reached or not words[one] & names:
                    continue
                if one not in looked_into:
                    if len(looked_into) == _MOST_LOOKED_INTO:
                        continue
                    looked_into[one] = _Imported(self._project, self._source(one))
                imports = looked_into[one]
                if imports.source is None or not imports.leads_to(module):
                    continue
                reached.add(one)
                promise = _promise(imports.source)
                if promise:
                    found.append((-promise, steps, imports.source))
                if steps + 1 < _MOST_STEPS and one.endswith(".py"):
                    waiting.append((one, steps + 1))
        found.sort(key=lambda one: one[:2])  # of those alike the nearest stays first
        return [_as_run(source) for _, _, source in found[:most]]

    def program(self, path: str) -> Source | None:
        """One of these programs as it is now."""
        source = self._source(path)
        return None if source is None else _as_run(source)

    # ------------------------------------------------------------ which files there are

    def _nearby(self, path: str) -> Iterator[str]:
        """The files of the project that a file lies in, the nearest folder first."""
        return islice((one for one in self._around(path) if one != path), _MANY)

    def _around(self, path: str) -> Iterator[str]:
        top = project_of(self._project, path)
        if top is None:  # a file that lies by itself has its neighbours
            yield from _beside(os.path.dirname(path))
        else:
            inner: set[str] = set()
            for folder in upwards(os.path.dirname(path)):
                if not is_below(folder, top):
                    break
                yield from listed(folder, inner, _FOLDERS)
                inner = {folder}
        for asked in self._project.asked:
            if top is None or not is_below(asked, top):
                yield from listed(asked, {top} if top else (), _FOLDERS)

    def _words_of(self, path: str) -> frozenset[str]:
        """All words that stand in the import statements of a file."""
        opened = self._project.texts.opened(path)
        stamp: object = opened if opened is not None else _stamp(path)
        kept = self._words.get(path)
        if kept is None or kept[0] != stamp:
            source = self._source(path)
            text = "" if source is None else source.text
            words = frozenset(word for match in IMPORT.finditer(text) for word in _WORD.findall(match[0]))
            kept = self._words[path] = (stamp, words)
        return kept[1]

    def _source(self, path: str) -> Source | None:
        opened = self._project.texts.opened(path)
        if opened is not None:
            return Source(path, opened)
        try:
            if os.stat(path).st_size > _LARGEST:
                return None
            return documents.read(path).source
        except (OSError, UnreadableFile):
            return None


class _Imported:
    """A file, and the modules that it names in its imports."""

    def __init__(self, project: Project, source: Source | None) -> None:
        self.source = source
        self._names: dict[str, list[str]] = {}
        """The absolute names, by the last part."""
        if source is not None:
            self._imports = project.imports(source.path, source.text)
            for name in imported(source.text, self._imports.package):
                self._names.setdefault(name.rpartition(".")[2], []).append(name)

    def leads_to(self, path: str) -> bool:
        """Whether one of the names means this module."""
        names = (name for last in _names(path) for name in self._names.get(last, ()))
        found = (self._imports.find(name, ()) for name in names)
        return any(isinstance(one, Module) and os.path.abspath(one.file) == path for one in found)


def _names(path: str) -> frozenset[str]:
    """How an import may name a module: by its file, or by its package."""
    folder, file = os.path.split(path)
    stem = file.removesuffix(".py")
    return frozenset({os.path.basename(folder) if stem == "__init__" else stem})


def _stamp(path: str) -> object:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _beside(folder: str) -> Iterator[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    yield from (os.path.join(folder, name) for name in names if name.endswith(documents.SUFFIXES))


# ---------------------------------------------------------------- programs

_TESTS = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+test", re.MULTILINE)
_DOES = re.compile(r"^(?:for|while|with|await)\b|^if[ \t]+__name__|^[A-Za-z_][\w.]*\(", re.MULTILINE)
_MAKES = re.compile(r"^[A-Za-z_][^=()\n]*=(?!=).*\(", re.MULTILINE)


def _promise(source: Source) -> int:
    """How much is to be expected of running a file, 0 for nothing: as much as can be told without parsing it."""
    if _DOES.search(source.text) or (_is_for_tests(source.path) and _TESTS.search(source.text)):
        return 2
    return int(_MAKES.search(source.text) is not None)


def _as_run(source: Source) -> Source:
    """What is run where the file is: itself, with its tests called."""
    if not _is_for_tests(source.path):
        return source
    try:
        script = as_script(source.text, parse(repair(source.text).text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    return source if script is None else replace(source, text=script)


def _is_for_tests(path: str) -> bool:
    name = os.path.basename(path)
    return name.endswith(".py") and (name.startswith("test") or name.endswith("_test.py"))
