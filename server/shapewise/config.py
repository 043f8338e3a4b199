"""`[tool.shapewise]` in pyproject.toml."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from .vocabulary.findings import SEVERITIES

FILE = "pyproject.toml"


class ConfigError(Exception):
    """One clear sentence for the user: which setting is wrong, and where it stands."""


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of a project. `root`: the folder of its pyproject.toml, None without one.

    `select` None means the rules that are on by default. `interpreter` is honoured by the command
    line only, and only if its caller says that the project is trusted (`commands/interpreter.py`): a program that a
    folder names is not started because somebody looks at the folder. `severity` has rules and the severity they are reported with,
    `per_file_ignores` patterns of paths under `root` and the rules that are ignored there.
    """

    root: Path | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    interpreter: str | None = None
    severity: tuple[tuple[str, str], ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def excludes(self, path: str | Path) -> bool:
        """Whether a file is left out: by a pattern for its path below pyproject.toml, for a folder of it, or for a name in it."""
        path = Path(path).absolute()
        if self.root is None or not self.exclude or not path.is_relative_to(self.root):
            return False
        relative = path.relative_to(self.root)
        candidates = [relative.as_posix(), *(one.as_posix() for one in relative.parents), *relative.parts]
        return any(fnmatch(one, pattern.rstrip("/")) for one in candidates for pattern in self.exclude)


class Configs:
    """The settings of many files, each pyproject.toml read once."""

    def __init__(self) -> None:
        self._known: dict[Path, Config | ConfigError] = {}

    def of(self, path: str | Path) -> Config:
        """The settings that hold for a file. Raises ConfigError."""
        folder = Path(path).absolute().parent
        if folder not in self._known:
            try:
                self._known[folder] = config_for(folder)
            except ConfigError as error:
                self._known[folder] = error
        known = self._known[folder]
        if isinstance(known, ConfigError):
            raise known
        return known


def config_for(path: Path) -> Config:
    """The settings that hold for a file or folder: those of the nearest pyproject.toml that has any.

    Raises ConfigError.
    """
    path = path.absolute()
    for folder in (path, *path.parents):
        file = folder / FILE
        try:
            if file.is_file():
                tool = _table(file, tomllib.loads(file.read_text("utf-8")), "tool")
                if "shapewise" in tool:
                    return _config(file, tool["shapewise"])
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigError(f"{file} is not valid TOML: {error}") from None
        except OSError:
            continue
    return Config()


def _config(file: Path, table: object) -> Config:
    if not isinstance(table, Mapping):
        raise ConfigError(f"{file}: tool.shapewise is not a table")
    known = ("select", "ignore", "exclude", "interpreter", "severity", "per-file-ignores")
    for key in table:
        if key not in known:
            raise ConfigError(f"{file}: tool.shapewise knows no {key!r}, only {', '.join(known)}")
    interpreter = table.get("interpreter")
    if interpreter is not None:
        if not isinstance(interpreter, str) or not interpreter:
            raise ConfigError(f"{file}: interpreter is not the path of a Python")
        if "/" in interpreter or "\\" in interpreter:
            interpreter = str(file.parent / interpreter)
    ignored = _table(file, table, "per-file-ignores")
    return Config(
        root=file.parent,
        select=_names(file, table, "select") if "select" in table else None,
        ignore=_names(file, table, "ignore"),
        exclude=_names(file, table, "exclude"),
        interpreter=interpreter,
        severity=_severities(file, table.get("severity", {})),
        per_file_ignores=tuple(
            (pattern, _names(file, ignored, pattern, "per-file-ignores.")) for pattern in ignored
        ),
    )


def _table(file: Path, table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, Mapping):
        raise ConfigError(f"{file}: {key} is not a table")
    return value


def _severities(file: Path, table: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(table, Mapping) or any(value not in SEVERITIES for value in table.values()):
        raise ConfigError(f"{file}: severity is not a table of rules and {', '.join(SEVERITIES)}")
    return tuple((str(rule), str(value)) for rule, value in table.items())


def _names(file: Path, table: Mapping[str, Any], key: str, above: str = "") -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{file}: {above}{key} is not a list of strings")
    return tuple(value)
