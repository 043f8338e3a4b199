"""The files that a run needs: the one that is validated, and those of the project that it imports."""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass
from pathlib import Path

from ..source import Source
from ..workspace.project import Imports, Module, Project
from ..workspace.reach import imported_by


class NotRunnable(Exception):
    """One clear sentence: why the file cannot be run as it stands."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One file. `path` is where it lies there, with slashes; `module` its name, empty for a script."""

    file: str
    path: str
    module: str
    text: str

    @property
    def digest(self) -> str:
        """SHA-256 of the text as UTF-8."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Bundle:
    """All files, the main one first. `package`: the dotted path of the package that it lies in."""

    files: tuple[Sent, ...]
    package: str

    @property
    def main(self) -> Sent:
        """The file that is validated."""
        return self.files[0]


def bundle(source: Source, project: Project) -> Bundle:
    """The file with the modules of the project that it imports, and what these import.

    Raises NotRunnable. Modules of installed packages are not sent: those of the far end count.
    """
    tree = _parsed(source.path, source.text)
    imports = project.imports(source.path, source.text)
    package = imports.package
    stem = Path(source.path).stem
    name = f"{package}.{stem}" if package else stem
    main = Sent(source.path, name.replace(".", "/") + ".py", name, source.text)
    found: dict[str, Sent | None] = {name: main}
    texts = [(tree, package)]
    while texts:
        tree, around = texts.pop()
        for wanted in imported_by(tree, around):
            parts = wanted.split(".")
            for count in range(1, len(parts) + 1):
                one = ".".join(parts[:count])
                if one in found:
                    continue
                found[one] = sent = _module(one, imports)
                if sent is not None:
                    within = one if sent.path.endswith("__init__.py") else one.rpartition(".")[0]
                    texts.append((_parsed(sent.file, sent.text), within))
    files = [sent for sent in found.values() if sent is not None and sent is not main]
    if package:  # its own packages are imported before it
        for count in range(1, len(package.split(".")) + 1):
            one = ".".join(package.split(".")[:count])
            if one not in found and (sent := _module(one, imports)) is not None:
                files.append(sent)
    unique = {sent.file: sent for sent in reversed(files) if sent.file != main.file}
    return Bundle((main, *sorted(unique.values(), key=lambda sent: sent.path)), package)


def _module(name: str, imports: Imports) -> Sent | None:
    found = imports.find(name, ())
    if not isinstance(found, Module) or not found.own or not found.file:
        return None
    if found.broken:
        line = found.broken[0].span.line
        raise NotRunnable(f"{found.file} cannot be run: line {line} does not parse")
    path = name.replace(".", "/")
    return Sent(found.file, f"{path}/__init__.py" if found.package else f"{path}.py", name, found.text)


def _parsed(file: str, text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        where = f"line {line} does not parse" if line else "it does not parse"
        raise NotRunnable(f"{file} cannot be run: {where}") from None
