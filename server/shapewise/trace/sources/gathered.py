"""A package whose own text only gathers what its modules define: what each of its names is, without running them all."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple


class Origin(NamedTuple):
    """`from path import name`, as the package writes it."""

    path: str
    name: str


class Gathered(NamedTuple):
    """What a package's text binds, as it is written.

    `names`: where each comes from; None for what takes the whole text. `stars`: of what it takes all names. `only`: it does
    nothing but import and list.
    """

    names: Mapping[str, Origin | None]
    stars: tuple[str, ...]
    only: bool


_DEFINES = re.compile(r"^(def|class|for|while|with|try|if|@)\b", re.MULTILINE)


@lru_cache(maxsize=256)
def gathered_by(text: str, only: bool = True) -> Gathered | None:
    """The names of a text; None of one that does not `only` import and list them. Raises SyntaxError."""
    if "import" not in text or (only and _DEFINES.search(text)):
        return None
    found: dict[str, Origin | None] = {}
    stars: list[str] = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom):
            path = "." * node.level + (node.module or "")
            stars += [path for one in node.names if one.name == "*"]
            found |= {one.asname or one.name: Origin(path, one.name) for one in node.names if one.name != "*"}
        elif isinstance(node, ast.Import):
            found |= {one.asname or one.name.partition(".")[0]: None for one in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = None
        elif _is_a_list_of_names(node) or (not only and isinstance(node, (ast.Assign, ast.AnnAssign))):
            found |= {one.id: None for one in ast.walk(node) if isinstance(one, ast.Name)}
        elif only and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            return None
    return Gathered(found, tuple(stars), only)


def _is_a_list_of_names(node: ast.stmt) -> bool:
    """`__all__ = [...]`, `__version__ = "1.0"`: an assignment to names in which nothing is called."""
    if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return False
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return all(isinstance(one, ast.Name) for one in targets) and not any(
        isinstance(one, ast.Call) for one in ast.walk(node)
    )


def absolute_in(package: str, path: str) -> str:
    """The absolute name of a module, as a package names it. Raises ImportError."""
    rest = path.lstrip(".")
    level = len(path) - len(rest)
    if not level:
        return path
    if not package:
        raise ImportError("attempted relative import with no known parent package")
    parts = package.split(".")
    if level > len(parts):
        raise ImportError("attempted relative import beyond top-level package")
    return ".".join([*parts[: len(parts) - level + 1], *filter(None, [rest])])
