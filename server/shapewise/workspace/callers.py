"""Which files of the workspace use a file: those that import it, and those that import these.

Found by a search for its name in import statements, made anew each time: nothing is kept but the words of
files that have not changed since, so that no index has to be built before the first answer, and none is stale.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from dataclasses import replace

from .. import documents
from ..documents import UnreadableFile
from ..repair import repair
from ..source import Source
from .listing import listed
from .project import Imports, Module, Project, is_below, project_of, upwards
from .pytests import as_script
from .reach import IMPORT, imported

_MANY = 3_000
"""Files that are looked at, the nearest first."""

_FOLDERS = 1_000
_LARGEST = 1_000_000
"""Bytes of a file that is looked at."""

_MOST_IMPORTERS = 40
_MOST_STEPS = 4
"""How many imports may lie between a file and one that uses it in the end."""

_WORD = re.compile(r"\w+")


class Callers:
    """Finds who uses a file. Reads files, so not for the thread that serves the editor."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._words: dict[str, tuple[object, frozenset[str]]] = {}

    def of(self, path: str) -> list[Source]:
        """The programs that come by a file when they are run, the most promising first.

        A file of tests is given with calls of its tests at its end.
        """
        path = os.path.abspath(path)
        found: list[tuple[int, int, Source]] = []
        words = {one: self._words_of(one) for one in self._nearby(path)}
        reached, waiting = {path}, [(path, 0)]
        while waiting and len(reached) <= _MOST_IMPORTERS:
            module, steps = waiting.pop(0)
            for one in words:
                if one in reached or not words[one] & _names(module):
                    continue
                source = self._source(one)
                if source is None or not self._imports(source, module):
                    continue
                reached.add(one)
                program, rank = _as_run(source)
                if rank:
                    found.append((-rank, steps, program))
                if steps + 1 < _MOST_STEPS and one.endswith(".py"):
                    waiting.append((one, steps + 1))
        return [source for _, _, source in sorted(found, key=lambda one: one[:2])]  # the nearest first

    def program(self, path: str) -> Source | None:
        """One of these programs as it is now."""
        source = self._source(path)
        return None if source is None else _as_run(source)[0]

    # ------------------------------------------------------------ which files there are

    def _nearby(self, path: str) -> Iterator[str]:
        """The files of the project that a file lies in, the nearest folder first."""
        top = project_of(self._project, path)
        inner: set[str] = set()
        count = 0
        for folder in upwards(os.path.dirname(path)):
            if top is None:  # a file that lies by itself has only its neighbours
                yield from (one for one in _beside(folder) if one != path)
                return
            if not is_below(folder, top):
                return
            for one in listed(folder, inner, _FOLDERS):
                count += 1
                if count > _MANY:
                    return
                if one != path:
                    yield one
            inner = {folder}

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

    # ------------------------------------------------------------ what they import

    def _imports(self, source: Source, module: str) -> bool:
        """Whether one of the names that a file imports leads to a module."""
        imports = self._project.imports(source.path, source.text)
        wanted = _names(module)
        return any(
            name.rpartition(".")[2] in wanted and _leads_to(imports, name, module)
            for name in imported(source.text, imports.package)
        )


def _leads_to(imports: Imports, name: str, path: str) -> bool:
    found = imports.find(name, ())
    return isinstance(found, Module) and os.path.abspath(found.file) == path if found else False


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


def _as_run(source: Source) -> tuple[Source, int]:
    """What is run where the file is, its tests called; and how much is to be expected of it, 0 for nothing."""
    try:
        tree = ast.parse(repair(source.text).text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source, 0
    tests = as_script(source.text, tree) if _is_for_tests(source.path) else None
    if tests is not None:
        return replace(source, text=tests), 2
    return source, max(map(_rank, tree.body), default=0)


def _is_for_tests(path: str) -> bool:
    name = os.path.basename(path)
    return name.endswith(".py") and (name.startswith("test") or name.endswith("_test.py"))


def _rank(statement: ast.stmt) -> int:
    """Of a statement at the top of a file: whether it does (2), makes (1) or only defines or imports (0)."""
    if isinstance(statement, (ast.If, ast.For, ast.While, ast.With)):
        return 2
    if isinstance(statement, ast.Expr):
        return 2 if isinstance(statement.value, (ast.Call, ast.Await)) else 0
    made = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    return int(made is not None and any(isinstance(node, ast.Call) for node in ast.walk(made)))
