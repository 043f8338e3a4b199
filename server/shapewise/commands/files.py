"""The files that the command line is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

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


def _excluded(absolute: str, configs: Configs) -> bool:
    try:
        return configs.of(absolute).excludes(absolute)
    except ConfigError:
        return False  # checking it will say so
