"""`[tool.shapewise]` in pyproject.toml, and the interpreter whose torch decides."""

from __future__ import annotations

import importlib.util
import os
import shutil
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
    line only, and only if its caller says that the project is trusted (`TRUST`): a program that a
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
                table = tomllib.loads(file.read_text("utf-8")).get("tool", {}).get("shapewise")
                if table is not None:
                    return _config(file, table)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigError(f"{file} is not valid TOML: {error}") from None
        except (OSError, AttributeError):
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
    return Config(
        root=file.parent,
        select=_names(file, table, "select") if "select" in table else None,
        ignore=_names(file, table, "ignore"),
        exclude=_names(file, table, "exclude"),
        interpreter=interpreter,
        severity=_severities(file, table.get("severity", {})),
        per_file_ignores=tuple(
            (pattern, _names(file, _table(file, table, "per-file-ignores"), pattern))
            for pattern in _table(file, table, "per-file-ignores")
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


def _names(file: Path, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{file}: {key} is not a list of strings")
    return tuple(value)


TRUST = "SHAPEWISE_TRUST_PROJECT"
"""Set to 1, the Pythons that a project names or holds may be started."""


def interpreter_for(path: Path, named: str | None, config: Config) -> str:
    """The Python to trace with: the one named, else this one if it has torch, else the one on PATH.

    A project's own, named in its pyproject.toml or in its `.venv`, is a program like any other that
    comes with a folder: it is started if `TRUST` says so. Raises ConfigError where there is none.
    """
    trusted = os.environ.get(TRUST) == "1"
    if named is None and config.interpreter is not None and not trusted:
        raise ConfigError(
            f"{config.root or path.parent}/{FILE} names the interpreter {config.interpreter}, which is not "
            f"started because a folder says so: name it with --interpreter, or set {TRUST}=1"
        )
    choice = named or config.interpreter
    if choice is not None:
        named_path = Path(choice).expanduser()
        is_path = os.path.dirname(choice) != ""  # `./python` is not looked for on PATH
        program = _executable(named_path.absolute() if is_path else named_path)
        if program is None:
            raise ConfigError(f"there is no Python interpreter at {choice}")
        return program
    if sys.executable and importlib.util.find_spec("torch") is not None:
        return sys.executable
    for folder in path.absolute().parents if trusted else ():
        if (folder / ".venv").is_dir() and (program := _executable(folder / ".venv")):
            return program
    program = shutil.which("python3") or shutil.which("python")
    if program is None or not Path(program).is_absolute():  # Windows looks in the current folder first
        raise ConfigError("no Python was found to trace with; name one with --interpreter")
    return program


def _executable(path: Path) -> str | None:
    """A Python by its path, by its name on PATH, or by the folder of its environment.

    Links are not followed: where a virtual environment links to, its packages are not.
    """
    if path.is_dir():
        inside = (path / "bin" / "python", path / "Scripts" / "python.exe")
        return next((str(program) for program in inside if program.is_file()), None)
    return shutil.which(str(path))
