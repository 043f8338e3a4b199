"""Under which Python the command line traces."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path

from ..config import FILE, Config, ConfigError
from ..host.interpreter import executable

TRUST = "SHAPEWISE_TRUST_PROJECT"
"""Set to 1, the Pythons that a project names or holds may be started."""


def interpreter_for(path: Path, named: str | None, config: Config) -> str:
    """The Python to trace a file with: the one named, else this one if it has torch, else the one on PATH.

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
        program = executable(choice)
        if program is None:
            raise ConfigError(f"there is no Python interpreter at {choice}")
        return program
    if sys.executable and importlib.util.find_spec("torch") is not None:
        return sys.executable
    for folder in path.absolute().parents if trusted else ():
        if (folder / ".venv").is_dir() and (program := executable(str(folder / ".venv"))):
            return program
    program = shutil.which("python3") or shutil.which("python")
    if program is None or not Path(program).is_absolute():  # Windows looks in the current folder first
        raise ConfigError("no Python was found to trace with; name one with --interpreter")
    return program
