"""Which modules a text names in its import statements, and whether they have to do with a word."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..source import Source
from .project import Module, Project

IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<owner>\.*[\w.]*)[ \t]+import[ \t]+(?P<members>\([^)]*\)|[^\n;#]+)|import[ \t]+(?P<names>[^\n;#]+))",
    re.MULTILINE,
)
_NAME = re.compile(r"[\w.]+")
_MOST = 60
"""Files that are looked into: a project whose first sixty have nothing to do with a word has not."""


def mentions(project: Project, source: Source, word: str) -> bool:
    """Whether a file, or one of the project's own that it imports, mentions a word."""
    if word in source.text:
        return True
    imports = project.imports(source.path, source.text)
    waiting = list(imported(source.text, imports.package))
    seen: set[str] = set()
    while waiting and len(seen) < _MOST:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        found = imports.find(name, ())
        if isinstance(found, Module) and found.own:
            if word in found.text:
                return True
            waiting += imported(found.text, name if found.package else name.rpartition(".")[0])
    return False


def imported(text: str, package: str) -> Iterator[str]:
    """The absolute names of the modules that a text may import, written in a module of a package: by a search, quick and generous."""
    for match in IMPORT.finditer(text):
        if match["names"] is not None:
            yield from (part.split()[0] for part in match["names"].split(",") if part.strip())
            continue
        rest = match["owner"].lstrip(".")
        base = _absolute(package, len(match["owner"]) - len(rest), rest)
        if base:
            yield base
        yield from (f"{base}.{name}".lstrip(".") for name in _NAME.findall(match["members"]))


def imported_by(tree: ast.Module, package: str) -> Iterator[str]:
    """The same of a text that parses: those of its import statements, and no other."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(package, node.level, node.module or "")
            if base:
                yield base
            yield from (f"{base}.{alias.name}".lstrip(".") for alias in node.names if alias.name != "*")


def _absolute(package: str, level: int, module: str) -> str:
    """The name of a module that is written with so many dots before it."""
    above = package.split(".") if package else []
    return ".".join([*(above[: len(above) - level + 1] if level else []), *filter(None, [module])])
