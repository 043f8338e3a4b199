"""The files that the command line is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from ..config import ConfigError, Configs
from ..workspace.listing import listed


@dataclass(frozen=True, slots=True)
class Wanted:
    """One file to be read. `named`: the user named it, and did not just name a folder above it."""

    path: str
    named: bool


def wanted_files(paths: Iterable[str], configs: Configs) -> Iterator[Wanted]:
    """Each file once: those named, and the Python and notebooks of the folders named, in order.

    A named file is taken whatever it is called; reading it will say what is wrong with it.
    """
    seen: set[str] = set()
    for path in paths:
        named = not os.path.isdir(path)
        for file in [path] if named else _walk(path):
            absolute = os.path.abspath(file)
            if absolute not in seen and (named or not _excluded(absolute, configs)):
                seen.add(absolute)
                yield Wanted(file, named)


def _walk(top: str) -> Iterator[str]:
    for path in listed(top):
        yield os.path.normpath(path) if top == "." else path


def _excluded(path: str, configs: Configs) -> bool:
    """By a pattern for the path below pyproject.toml, for a folder of it, or for a name in it."""
    try:
        config = configs.of(path)
    except ConfigError:
        return False  # checking it will say so
    if config.root is None or not config.exclude:
        return False
    relative = Path(path).relative_to(config.root)
    candidates = [relative.as_posix(), *(parent.as_posix() for parent in relative.parents), *relative.parts]
    return any(
        fnmatch(candidate, pattern.rstrip("/")) for candidate in candidates for pattern in config.exclude
    )
