"""The user's Python: whether it is one, and whether the tracer can run under it."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from .environment import environment
from .errors import CannotStart

OLDEST = (3, 10)
ADVICE = "Name your Python (shapewise.interpreter, --interpreter)."

_INSIDE = ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe")
"""Where a Python lies in the folder of an environment."""

_PROBE_SECONDS = 15.0
_PROBE = "import sys; sys.stdout.write('shapewise %d.%d.%d' % sys.version_info[:3])"
"""Says the version in words that Python 2 would understand too."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python that can run the tracer, if it has torch."""

    path: str
    version: tuple[int, int, int]


def locate(path: str | None) -> str:
    """The executable that a setting means: what `executable` finds, or this Python where it says nothing. Raises CannotStart."""
    if path is None or not path.strip():
        return sys.executable
    given = path.strip()
    found = executable(given)
    if found is None:
        why = (
            f"The folder {given} holds no Python"
            if os.path.isdir(given)
            else f"There is no Python at {given}"
        )
        raise CannotStart(f"{why}. {ADVICE}")
    return found


def executable(named: str) -> str | None:
    """A Python as people name it: a command, a file, or the folder of its environment.

    A command is one of PATH, whatever lies in the current folder by its name. Links are kept: the link of a
    virtual environment is what makes it one.
    """
    given = Path(named).expanduser()
    is_command = os.path.dirname(named) == ""
    if is_command and (found := shutil.which(named)) is not None and os.path.isabs(found):
        return found
    if given.is_dir():
        return next((str(given / one) for one in _INSIDE if (given / one).is_file()), None)
    return str(given.absolute()) if given.is_file() and not is_command else None


async def probe(path: str | None) -> Interpreter:
    """Run the Python once and ask for its version. Raises CannotStart."""
    python = locate(path)
    try:
        process = await asyncio.create_subprocess_exec(
            python,
            "-E",
            "-s",
            "-c",
            _PROBE,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment(),
        )
    except OSError as error:
        raise CannotStart(f"{python} cannot be run: {error.strerror or error}. {ADVICE}") from None
    try:
        output, _ = await asyncio.wait_for(process.communicate(), _PROBE_SECONDS)
    except asyncio.TimeoutError:
        raise CannotStart(f"{python} did not answer within {_PROBE_SECONDS:.0f} seconds. {ADVICE}") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    version = _version(output.decode(errors="replace"))
    if version is None:
        raise CannotStart(f"{python} does not answer as a Python does. {ADVICE}")
    if version < OLDEST:
        dotted, oldest = ".".join(map(str, version)), ".".join(map(str, OLDEST))
        raise CannotStart(f"{python} is Python {dotted}, and shapewise needs {oldest} or newer. {ADVICE}")
    return Interpreter(python, version)


def _version(output: str) -> tuple[int, int, int] | None:
    # A site hook may print before: the answer is what comes last.
    _, found, numbers = output.rpartition("shapewise ")
    try:
        major, minor, micro = (int(number) for number in numbers.split("."))
    except ValueError:
        return None
    return (major, minor, micro) if found else None


def shown(path: str) -> str:
    """A path as people write it, home folder as `~`."""
    home = str(Path.home())
    return "~" + path[len(home) :] if path.startswith(home + os.sep) else path
